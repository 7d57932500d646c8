/**
 * Webhook deliveries per second, from the queue to "delivered" in the database, compared with a bare loop of the same
 * HTTP client that posts the same bytes; and how much one endpoint that hangs slows the others. Both run in turns, and
 * the median ratio counts.
 */
import type { EventType } from "../src/contract/events.ts";
import { Agent } from "undici";
import { newId } from "../src/lib/id.ts";
import { webhookHttpClient } from "../src/lib/outbound/webhook-http-client.ts";
import { createEncryption } from "../src/lib/encryption.ts";
import { DISPATCHER_DEFAULTS, runDispatcher } from "../src/webhooks/dispatcher.ts";
import { insertCatalog } from "../src/store/catalogs.ts";
import type { Db } from "../src/store/db.ts";
import {
  claimDeliveries,
  enqueue,
  FIRST_ENDPOINT,
  openQueueDb,
  releaseDeliveries,
} from "../src/webhooks/queue.sql.ts";
import { sql } from "../src/store/sql.ts";
import { insertEndpoint } from "../src/webhooks/endpoints.sql.ts";
import { appendEvent, type NewEvent } from "../src/webhooks/events.sql.ts";
import { newSecret, encryptSecret } from "../src/webhooks/signing.ts";
import { withOwnDatabase } from "./own-database.ts";
import { median } from "./statistics.ts";
import { markdownTable, number, type Row } from "./table.ts";
import { HUNG, startReceiver } from "./webhooks-receiver.ts";

const ENDPOINTS = 200;
const EVENTS = 100;
const WARM_UP_EVENTS = 20;
const HUNG_DELIVERIES = 100;
const ROUNDS = 3;
const LOOPS = DISPATCHER_DEFAULTS.slots;
const DATA = { run_id: newId(), note: "x".repeat(1_300) };
const ENCRYPTION = createEncryption("the benchmark's own key, long enough for it");
const LOOPBACK = ["127.0.0.1"];
const quiet = { info: () => {}, warn: () => {}, error: () => {} };

/** Every event goes to all healthy endpoints. */
type Place = { readonly db: Db; readonly origin: string; readonly events: number };

/** Deliveries per second, and microseconds of processor time of the sender for each. */
type Speed = { readonly rate: number; readonly cpuUs: number };
type Round = { readonly bare: Speed; readonly engine: Speed; readonly besideHung: Speed };

export async function measureWebhooks(talk: (text: string) => void): Promise<readonly Row[]> {
  return withOwnDatabase(async (db) => measureOn(db, talk));
}

async function measureOn(db: Db, talk: (text: string) => void): Promise<readonly Row[]> {
  await using receiver = await startReceiver();
  const { origin } = receiver;
  const place = { db, origin, events: EVENTS };
  // The first round compiles code and does not count.
  await measureRound({ ...place, events: WARM_UP_EVENTS });
  const rounds: Round[] = [];
  for (let i = 0; i < ROUNDS; i += 1) {
    const round = await measureRound(place);
    rounds.push(round);
    talk(
      `webhooks, round ${i + 1}: ${Object.entries(round)
        .map(([what, { rate }]) => `${what} ${number(rate)}/s`)
        .join(", ")}`,
    );
  }
  return [...toRows(rounds), await claimRow(db)];
}

async function measureRound(place: Place): Promise<Round> {
  const bare = await bareSpeed(place);
  // Before and after, so that other load affects both sides.
  const before = await engineSpeed(place, { hasHung: false });
  const besideHung = await engineSpeed(place, { hasHung: true });
  const after = await engineSpeed(place, { hasHung: false });
  return { bare: middle(bare, await bareSpeed(place)), engine: middle(before, after), besideHung };
}

function middle(one: Speed, other: Speed): Speed {
  return { rate: (one.rate + other.rate) / 2, cpuUs: (one.cpuUs + other.cpuUs) / 2 };
}

function toRows(rounds: readonly Round[]): readonly Row[] {
  const rate = (of: (round: Round) => Speed) => `${number(median(rounds.map((round) => of(round).rate)))}/s`;
  const cpu = (of: (round: Round) => Speed) =>
    `${number(median(rounds.map((round) => of(round).cpuUs)), 1)} µs`;
  const engine = rate((round) => round.engine);
  const againstBare = { items: null, against: "a bare undici loop", better: "higher" } as const;
  return [
    {
      ...againstBare,
      what: "webhook deliveries",
      figure: engine,
      reference: rate(({ bare }) => bare),
      ratios: rounds.map((round) => round.engine.rate / round.bare.rate),
    },
    {
      ...againstBare,
      what: "webhook deliveries, the sender's processor time for one",
      figure: cpu((round) => round.engine),
      reference: cpu(({ bare }) => bare),
      ratios: rounds.map((round) => round.bare.cpuUs / round.engine.cpuUs),
    },
    {
      what: "healthy endpoints beside one that hangs",
      items: null,
      figure: rate(({ besideHung }) => besideHung),
      against: "the same without it",
      reference: engine,
      ratios: rounds.map((round) => round.besideHung.rate / round.engine.rate),
      target: { sign: "≥", value: 0.95 },
    },
  ];
}

async function bareSpeed({ origin, events }: Place): Promise<Speed> {
  const agent = new Agent({ connections: LOOPS });
  const body = JSON.stringify({ event: "sync.completed", created_at: new Date(), data: DATA });
  const headers = { "content-type": "application/json", "user-agent": "Service-Webhooks/1.0" };
  let left = ENDPOINTS * events;
  const loop = async () => {
    while (left-- > 0) {
      const answer = await agent.request({
        origin,
        path: `/${left % ENDPOINTS}`,
        method: "POST",
        headers,
        body,
      });
      await answer.body.text();
    }
  };
  const speed = stopwatch();
  await Promise.all(Array.from({ length: LOOPS }, loop));
  const measured = speed(ENDPOINTS * events);
  await agent.close();
  return measured;
}

/** The speed of healthy endpoints, with or without one that hangs and is due first. */
async function engineSpeed({ db, origin, events }: Place, { hasHung }: { hasHung: boolean }): Promise<Speed> {
  const catalogId = await newCatalog(db);
  if (hasHung) {
    await newEndpoint(db, { catalogId, url: origin + HUNG, events: ["audit.completed"] });
    for (let i = 0; i < HUNG_DELIVERIES; i += 1) await append(db, { catalogId, type: "audit.completed" });
  }
  for (let i = 0; i < ENDPOINTS; i += 1) {
    await newEndpoint(db, { catalogId, url: `${origin}/${i}`, events: ["sync.completed"] });
  }
  for (let i = 0; i < events; i += 1) await append(db, { catalogId, type: "sync.completed" });
  await db.execute({ text: "analyze", values: [] });

  const queue = openQueueDb(db.target, "shelfwire-bench");
  const webhooks = webhookHttpClient({ allowPrivate: LOOPBACK });
  const over = new AbortController();
  let measured: Speed = { rate: 0, cpuUs: 0 };
  const speed = stopwatch();
  await runDispatcher(
    {
      db: queue,
      client: webhooks,
      encryption: ENCRYPTION,
      log: quiet,
      now: () => new Date(),
      onCounts: ({ delivered }) => {
        if (delivered < ENDPOINTS * events || over.signal.aborted) return;
        measured = speed(delivered);
        over.abort();
      },
    },
    { on: () => () => {} },
    over.signal,
    { ...DISPATCHER_DEFAULTS, stopNow: over.signal },
  );
  await webhooks.close();
  await queue.close();
  await db.execute({ text: "delete from catalogs where id = $1", values: [catalogId] });
  return measured;
}

/** The cost of a claim of all slots with a long queue, compared with a short one. */
async function claimRow(db: Db): Promise<Row> {
  const few = await claimMs(db, { endpoints: 50, events: 20 });
  const many = await claimMs(db, { endpoints: 1_000, events: 100 });
  return {
    what: "a claim of 64 from 1,000 endpoints with 100,000 deliveries",
    items: null,
    figure: `${number(many, 1)} ms`,
    against: "from 50 with 1,000",
    reference: `${number(few, 1)} ms`,
    ratios: [many / few],
    better: "lower",
  };
}

const CLAIMS = 15;

async function claimMs(
  db: Db,
  { endpoints, events }: { endpoints: number; events: number },
): Promise<number> {
  const catalogId = await newCatalog(db);
  await db.execute(sql`
    insert into webhook_endpoints (catalog_id, id, url, events, secret_sealed)
    select ${catalogId}::uuid, gen_random_uuid(), 'https://hooks.example/', '{}', '' from generate_series(1, ${endpoints}::int)`);
  await db.execute(sql`
    insert into webhook_events (catalog_id, id, type, payload, created_at)
    select ${catalogId}::uuid, gen_random_uuid(), 'sync.completed', ${JSON.stringify(DATA)}::text, now()
      from generate_series(1, ${events}::int)`);
  await db.execute(sql`
    with logged as (
      insert into webhook_deliveries (catalog_id, id, event_id, endpoint_id, next_attempt_at, created_at)
      select e.catalog_id, gen_random_uuid(), e.id, p.id, now(), now()
        from webhook_events e join webhook_endpoints p using (catalog_id) where catalog_id = ${catalogId}
      returning *)
    ${enqueue(sql`logged`)}`);
  await db.execute(sql`analyze`);
  const queue = openQueueDb(db.target, "shelfwire-bench");
  const claim = { ...DISPATCHER_DEFAULTS, limit: 64, retryLimit: 48 };
  const times: number[] = [];
  let after = FIRST_ENDPOINT;
  for (let i = 0; i < CLAIMS; i += 1) {
    const began = performance.now();
    const claimed = await claimDeliveries(queue, { ...claim, after });
    times.push(performance.now() - began);
    // Until all endpoints have their maximum in flight.
    after = claimed.reduce((last, { endpointId }) => (endpointId > last ? endpointId : last), FIRST_ENDPOINT);
    await releaseDeliveries(queue, claimed);
    if (claimed.length < claim.limit) after = FIRST_ENDPOINT;
  }
  await queue.close();
  await db.execute(sql`delete from catalogs where id = ${catalogId}`);
  return median(times);
}

/** Starts a clock; returns the speed for a number of deliveries since then. */
function stopwatch(): (count: number) => Speed {
  const began = performance.now();
  const cpu = process.cpuUsage();
  return (count) => {
    const { user, system } = process.cpuUsage(cpu);
    return { rate: (count * 1_000) / (performance.now() - began), cpuUs: (user + system) / count };
  };
}

async function append(db: Db, event: { catalogId: string; type: EventType }): Promise<void> {
  // The data need not fit the type: it is only stored and sent.
  const stored = { ...event, data: DATA, createdAt: new Date() } as unknown as NewEvent;
  await db.tx(async (tx) => appendEvent(tx, stored));
}

async function newCatalog(db: Db): Promise<string> {
  const id = newId();
  const token = Buffer.from(id);
  const names = { slug: id, name: "Bench", settings: {} };
  await insertCatalog(db, { id, ...names, feedTokenHash: token, feedTokenEncrypted: token });
  return id;
}

async function newEndpoint(
  db: Db,
  endpoint: { catalogId: string; url: string; events: readonly EventType[] },
): Promise<void> {
  const secretEncrypted = encryptSecret(ENCRYPTION, newSecret());
  await insertEndpoint(
    db,
    { ...endpoint, id: newId(), secretEncrypted, createdAt: new Date() },
    ENDPOINTS + 1,
  );
}

if (import.meta.main) {
  const rows = await measureWebhooks((text) => process.stderr.write(`${text}\n`));
  process.stdout.write(markdownTable(rows));
}
