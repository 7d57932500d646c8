/**
 * Dispatchers, owners and time act on deliveries in any order: log, queue and attempts must agree with each other and
 * with a simple model. The model knows the state and the lease of each delivery; which of the due ones a claim takes is
 * left to the claim, within its limits.
 */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import fc from "fast-check";
import { clockedDb } from "../../test/database-clock.ts";
import { seedCatalog } from "../../test/seed.ts";
import { attemptIn, seedEndpoint, seedEvent } from "../../test/fakes/receiver-seed.ts";
import { newId } from "../lib/id.ts";
import { sql } from "../store/sql.ts";
import { deleteEndpoint } from "./endpoints.sql.ts";
import { insertSentEvent } from "./events.sql.ts";
import { finishDeliveries } from "./finish.sql.ts";
import type { DeliveryState } from "../contract/webhooks.ts";
import type { Finish } from "./finish.sql.ts";
import { resend } from "./log.sql.ts";
import { claimDeliveries, FIRST_ENDPOINT, releaseDeliveries, nextDueInMs } from "./queue.sql.ts";
import type { ClaimLimits, ClaimedDelivery, DeliveryLease } from "./queue.sql.ts";
import { closeAfterTests } from "../../test/close-after.ts";

let running: Promise<void> = Promise.resolve();
after(async () => running.catch(() => undefined));
const db = closeAfterTests(await clockedDb());

const TEST = "webhook.test";
const CAPS = { perEndpoint: 3, retriesPerEndpoint: 1, perFailingEndpoint: 2 };
const LEASE_MS = 30_000;

/** After a failure, shrinking ends in time for the test to report it. */
const BOUNDS = { interruptAfterTimeLimit: 20_000 };
const LENGTH = { maxLength: 60, size: "max" } as const;

/** Numbers that choose are taken modulo the number of choices. */
type Step =
  | { readonly do: "events"; readonly catalog: number; readonly count: number; readonly isLate: boolean }
  | { readonly do: "test"; readonly catalog: number; readonly state: "delivered" | "dead" }
  | { readonly do: "claim"; readonly limit: number; readonly retryLimit: number; readonly from: number }
  | { readonly do: "claimTogether"; readonly limits: readonly number[] }
  | {
      readonly do: "finish";
      readonly held: readonly number[];
      readonly state: DeliveryState;
      readonly inS: number;
    }
  | { readonly do: "handBack"; readonly held: readonly number[] }
  | { readonly do: "wait"; readonly s: number }
  | { readonly do: "resend"; readonly delivery: number }
  | {
      readonly do: "resendDead";
      readonly catalog: number;
      readonly sinceS: number;
      readonly isOfOne: boolean;
    }
  | { readonly do: "replaceEndpoint"; readonly catalog: number };

const kind = <Do extends Step["do"]>(name: Do) => ({ do: fc.constant(name) });
const catalog = fc.nat({ max: 1 });
const someHeld = fc.array(fc.oneof(fc.nat({ max: 5 }), fc.nat({ max: 40 })), { minLength: 1, maxLength: 3 });
const limit = fc.integer({ min: 1, max: 8 });
const STATES = fc.constantFrom<DeliveryState[]>("delivered", "pending", "pending", "dead");

/** Weights. */
const often = <T>(weight: number, arbitrary: fc.Arbitrary<T>) => ({ weight, arbitrary });
const anyStep = (claim: fc.Arbitrary<Step>): fc.Arbitrary<Step> =>
  fc.oneof(
    often(
      3,
      fc.record({ ...kind("events"), catalog, count: fc.constantFrom(1, 2, 3, 7), isLate: fc.boolean() }),
    ),
    often(6, claim),
    often(5, fc.record({ ...kind("finish"), held: someHeld, state: STATES, inS: fc.constantFrom(1, 1, 20) })),
    often(2, fc.record({ ...kind("handBack"), held: someHeld })),
    often(4, fc.record({ ...kind("wait"), s: fc.constantFrom(1, 1, 2, 5, 15, 30) })),
    often(2, fc.record({ ...kind("resend"), delivery: fc.nat({ max: 40 }) })),
    fc.record({
      ...kind("resendDead"),
      catalog,
      sinceS: fc.constantFrom(0, 20, 100_000),
      isOfOne: fc.boolean(),
    }),
    fc.record({ ...kind("test"), catalog, state: fc.constantFrom("delivered", "dead") }),
    fc.record({ ...kind("replaceEndpoint"), catalog }),
  );
const claimAfterClaim = fc.record({
  ...kind("claim"),
  limit,
  retryLimit: fc.nat({ max: 3 }),
  from: fc.constantFrom(0, 0, 0, 1, 2),
});
const claimsAtOnce = fc.record({
  ...kind("claimTogether"),
  limits: fc.array(limit, { minLength: 2, maxLength: 3 }),
});

type Known = {
  readonly id: string;
  readonly catalogId: string;
  readonly endpointId: string;
  readonly isTest: boolean;
  state: DeliveryState;
  attempts: number;
  failures: number;
  dueAt: Date;
  finishedAt: Date | null;
  lease: { readonly token: string; readonly until: Date } | null;
};

type World = {
  now: Date;
  readonly catalogs: { readonly id: string; endpoints: string[] }[];
  readonly known: Map<string, Known>;
  /** Every lease ever claimed, also expired ones. */
  readonly held: ClaimedDelivery[];
};

async function newWorld(): Promise<World> {
  // What a run left that failed. A catalog takes its own along, as the end of every run makes sure.
  for (const table of ["webhook_queue", "webhook_attempts", "catalogs"]) {
    await db.execute({ text: `delete from ${table}`, values: [] });
  }
  const catalogs = [];
  for (const count of [1, 2]) {
    const id = await seedCatalog(db);
    const endpoints = [];
    for (let i = 0; i < count; i += 1) endpoints.push(await seedEndpoint(db, id));
    catalogs.push({ id, endpoints });
  }
  return { now: new Date("2026-03-01T12:00:00.000Z"), catalogs, known: new Map(), held: [] };
}

const later = (now: Date, seconds: number): Date => new Date(now.getTime() + seconds * 1_000);
const isLeased = ({ lease }: Known, now: Date): boolean => lease !== null && lease.until > now;
const isQueued = ({ state }: Known): boolean => state === "pending";
const isClaimable = (known: Known, now: Date): boolean =>
  isQueued(known) && known.dueAt <= now && !isLeased(known, now);
const choose = <T>(list: readonly T[], n: number): T | undefined => list[n % list.length];
const catalogOf = ({ catalogs }: World, n: number) => {
  const chosen = choose(catalogs, n);
  assert.ok(chosen);
  return chosen;
};
/** Tokens that are still those of the delivery's lease, whether or not it has run out. */
const isOwner = ({ known }: World, { id, token }: DeliveryLease): boolean =>
  known.get(id)?.lease?.token === token;

/** What each step does to the database and to the model. */
const STEPS: {
  readonly [Do in Step["do"]]: (world: World, step: Extract<Step, { do: Do }>) => Promise<void>;
} = {
  events: async (world, { catalog: n, count, isLate }) => {
    const { id: catalogId, endpoints } = catalogOf(world, n);
    const createdAt = later(world.now, isLate ? -120 : 0);
    for (let i = 0; i < count; i += 1) {
      const eventId = await seedEvent(db, catalogId, { at: createdAt });
      const rows = await db.query<{ id: string; endpointId: string }>(
        sql`select id, endpoint_id as "endpointId" from webhook_deliveries where event_id = ${eventId}`,
      );
      assert.equal(rows.length, endpoints.length);
      const blank = { isTest: false, attempts: 0, failures: 0, finishedAt: null, lease: null };
      for (const row of rows) {
        world.known.set(row.id, { ...row, ...blank, state: "pending", catalogId, dueAt: world.now });
      }
    }
  },

  test: async (world, { catalog: n, state }) => {
    const { id: catalogId, endpoints } = catalogOf(world, n);
    const [endpointId] = endpoints;
    assert.ok(endpointId !== undefined);
    const event = { id: newId(), catalogId, endpointId, type: TEST, payload: "{}", createdAt: world.now };
    const owned = await db.tx(async (tx) => {
      const owned = await insertSentEvent(tx, event);
      assert.ok(owned);
      await finishDeliveries(tx, [ending(owned, { state, now: world.now, nextAttemptAt: null })]);
      return owned;
    });
    const { now: dueAt, now: finishedAt } = world;
    const ended = {
      isTest: true,
      state,
      attempts: 1,
      failures: 0,
      dueAt,
      finishedAt,
      lease: null,
    };
    world.known.set(owned.id, { id: owned.id, catalogId, endpointId, ...ended });
  },

  claim: async (world, { limit, retryLimit, from }) => {
    const endpoints = [FIRST_ENDPOINT, ...world.catalogs.flatMap(({ endpoints }) => endpoints)];
    const request = { limit, retryLimit, after: choose(endpoints, from) ?? FIRST_ENDPOINT };
    await claimAlone(world, request);
  },

  claimTogether: async (world, { limits }) => {
    const claims = await Promise.all(
      limits.map(async (limit) => claimDeliveries(db, claimOf({ limit, retryLimit: limit }))),
    );
    // Taken down one after the other: what two of them have is found out by the second.
    for (const claimed of claims) takeDown(world, claimed);
  },

  finish: async (world, { held, state, inS }) => {
    const owned = heldBy(world, held);
    const theirs = new Set(owned.filter((one) => isOwner(world, one)).map(({ id }) => id));
    const end = { state, now: world.now, nextAttemptAt: state === "pending" ? later(world.now, inS) : null };

    const finished = await finishDeliveries(
      db,
      owned.map((one) => ending(one, end)),
    );

    assert.deepEqual(finished, theirs);
    for (const id of finished) endKnown(knownAs(world, id), end);
  },

  handBack: async (world, { held }) => {
    const owned = heldBy(world, held);
    await releaseDeliveries(db, owned);
    for (const one of owned) if (isOwner(world, one)) knownAs(world, one.id).lease = null;
  },

  wait: async (world, { s }) => {
    world.now = await db.clock.set(later(world.now, s));
  },

  resend: async (world, { delivery }) => {
    const { now } = world;
    const one = choose([...world.known.values()], delivery);
    if (one === undefined) return;
    const isFree = !isQueued(one) || !isLeased(one, now);

    const count = await db.tx(async (tx) => resend(tx, { catalogId: one.catalogId, deliveryId: one.id }));

    assert.equal(count, isFree ? 1 : 0);
    if (isFree) beginAnew(one, now);
  },

  resendDead: async (world, { catalog: n, sinceS, isOfOne }) => {
    const { now } = world;
    const { id: catalogId, endpoints } = catalogOf(world, n);
    const deadSince = later(now, -sinceS);
    const endpointId = isOfOne ? endpoints[0] : undefined;
    const dead = [...world.known.values()].filter(
      (one) =>
        one.catalogId === catalogId &&
        one.state === "dead" &&
        !one.isTest &&
        (endpointId === undefined || one.endpointId === endpointId) &&
        one.finishedAt !== null &&
        one.finishedAt >= deadSince,
    );

    const which = {
      catalogId,
      deadSince,
      exceptEvent: TEST,
      ...(endpointId !== undefined && { endpointId }),
    };
    const count = await db.tx(async (tx) => resend(tx, which));

    assert.equal(count, dead.length);
    for (const one of dead) beginAnew(one, now);
  },

  replaceEndpoint: async (world, { catalog: n }) => {
    const chosen = catalogOf(world, n);
    const [id, ...others] = chosen.endpoints;
    assert.ok(id !== undefined);
    assert.ok(await db.tx(async (tx) => deleteEndpoint(tx, { catalogId: chosen.id, id })));
    for (const one of world.known.values()) if (one.endpointId === id) world.known.delete(one.id);
    chosen.endpoints = [...others, await seedEndpoint(db, chosen.id)];
  },
};

const take = async (world: World, step: Step): Promise<void> => {
  // No two things happen in the same thousandth of a second, so that what came later is later.
  world.now = await db.clock.set(later(world.now, 0.001));
  await (STEPS[step.do] as (world: World, step: Step) => Promise<void>)(world, step);
};

function knownAs({ known }: World, id: string): Known {
  const one = known.get(id);
  assert.ok(one, "a delivery that is there");
  return one;
}

function beginAnew(one: Known, now: Date): void {
  Object.assign(one, { state: "pending", failures: 0, dueAt: now, finishedAt: null, lease: null });
}

/** Each at most once, though several may be of one delivery. */
function heldBy({ held }: World, numbers: readonly number[]): readonly ClaimedDelivery[] {
  // The newest come first, for those are the ones that still count.
  return [...new Set(numbers.map((n) => choose(held.toReversed(), n)))].filter((one) => one !== undefined);
}

type End = { readonly state: DeliveryState; readonly now: Date; readonly nextAttemptAt: Date | null };

function endKnown(one: Known, { state, now, nextAttemptAt }: End): void {
  Object.assign(one, { state, attempts: one.attempts + 1, failures: one.failures + 1, lease: null });
  one.dueAt = nextAttemptAt ?? one.dueAt;
  one.finishedAt = nextAttemptAt === null ? now : null;
}

function ending({ id, token }: DeliveryLease, { state, now, nextAttemptAt }: End): Finish {
  const retryInS = nextAttemptAt && (nextAttemptAt.getTime() - now.getTime()) / 1_000;
  return { id, token, state, retryInS, attempt: attemptIn(now, state === "delivered") };
}

const claimOf = ({
  limit,
  retryLimit,
  after = FIRST_ENDPOINT,
}: Pick<ClaimLimits, "limit" | "retryLimit"> & { after?: string }): ClaimLimits => ({
  ...CAPS,
  leaseMs: LEASE_MS,
  limit,
  retryLimit,
  after,
});

/** What a claim returns was free to be claimed, and agrees with the model. */
function takeDown(world: World, claimed: readonly ClaimedDelivery[]): void {
  for (const { id, token, attempts, failures, endpointId } of claimed) {
    const one = knownAs(world, id);
    assert.ok(isClaimable(one, world.now), "it is due, and nobody else's");
    assert.deepEqual([attempts, failures, endpointId], [one.attempts, one.failures, one.endpointId]);
    one.lease = { token, until: later(world.now, LEASE_MS / 1_000) };
  }
  world.held.push(...claimed);
}

type Wanted = { readonly limit: number; readonly retryLimit: number; readonly after: string };

/** A claim without a concurrent one keeps its limits and those of every endpoint. */
async function claimAlone(world: World, wanted: Wanted): Promise<readonly ClaimedDelivery[]> {
  const failing = await failingEndpoints();

  const claimed = await claimDeliveries(db, claimOf(wanted));

  takeDown(world, claimed);
  const retries = claimed.filter(isRetry).length;
  assert.ok(claimed.length <= wanted.limit && retries <= wanted.retryLimit, "no more than was asked for");
  assert.ok(claimed.every(({ endpointId }) => endpointId > wanted.after));
  // One that met its limit of retries may have spent its places on those that it then could not take.
  const isEnough = claimed.length === wanted.limit || retries === wanted.retryLimit;
  for (const [endpointId, all] of Map.groupBy(world.known.values(), (one) => one.endpointId)) {
    const cap = failing.has(endpointId) ? CAPS.perFailingEndpoint : CAPS.perEndpoint;
    const taken = new Set(claimed.filter((one) => one.endpointId === endpointId).map(({ id }) => id));
    checkEndpoint(world, all.filter(isQueued), { taken, cap, isAll: !isEnough && endpointId > wanted.after });
  }
  return claimed;
}

const isRetry = ({ attempts }: Pick<Known, "attempts">): boolean => attempts > 0;

/**
 * No more in flight than the limits; the oldest first; and, if the claim had slots left, as many as the limits allow.
 */
function checkEndpoint(
  { now }: World,
  queued: readonly Known[],
  {
    taken,
    cap,
    isAll,
  }: { readonly taken: ReadonlySet<string>; readonly cap: number; readonly isAll: boolean },
): void {
  const inFlight = queued.filter((one) => isLeased(one, now));
  const retriesInFlight = inFlight.filter(isRetry).length;
  assert.ok(inFlight.length <= CAPS.perEndpoint && retriesInFlight <= CAPS.retriesPerEndpoint, "its caps");
  assert.ok(taken.size === 0 || inFlight.length <= cap, "an endpoint that fails gets no more than its part");
  const left = queued.filter((one) => isClaimable(one, now));
  const hasRoomFor = (one: Known) =>
    inFlight.length < cap && (!isRetry(one) || retriesInFlight < CAPS.retriesPerEndpoint);
  assert.ok(!isAll || !left.some(hasRoomFor), "nothing is left that there was room for");
  const isTaken = ({ id }: Known) => taken.has(id);
  for (const one of queued.filter((each) => isRetry(each) && isTaken(each))) {
    assert.ok(!left.some((other) => isRetry(other) && other.dueAt < one.dueAt), "retries by due time");
  }
  // Deliveries are known in the order of their arrival.
  const firsts = queued.filter((one) => !isRetry(one) && (isTaken(one) || isClaimable(one, now)));
  assert.ok(!firsts.slice(cap).some(isTaken), "first attempts by arrival");
}

async function failingEndpoints(): Promise<ReadonlySet<string>> {
  const rows = await db.query<{ id: string }>(
    sql`select id from webhook_endpoints where failing_since is not null`,
  );
  return new Set(rows.map(({ id }) => id));
}

type Row = {
  readonly id: string;
  readonly state: DeliveryState | null;
  readonly logAttempts: number;
  readonly nextAttemptAt: Date | null;
  readonly finishedAt: Date | null;
  readonly isQueued: boolean;
  readonly attempts: number | null;
  readonly failures: number | null;
  readonly dueAt: Date | null;
  readonly leaseUntil: Date | null;
  readonly token: string | null;
  readonly attemptNumbers: readonly number[];
};

/** Every delivery in log, queue or attempts. */
const rowsNow = () =>
  db.query<Row>(sql`
    select id, d.state, d.attempts as "logAttempts", d.next_attempt_at as "nextAttemptAt",
           d.finished_at as "finishedAt", q.endpoint_id is not null as "isQueued", q.attempts,
           q.schedule_step as failures, q.due_at as "dueAt", q.lease_until as "leaseUntil", q.lease_token as token,
           coalesce(a.numbers, '{}') as "attemptNumbers"
      from webhook_deliveries d
      full join webhook_queue q using (id)
      full join (select delivery_id as id, array_agg(number order by number) as numbers
                   from webhook_attempts group by 1) a using (id)`);

/** The tables agree with each other and with the model. */
async function checkLaws(world: World): Promise<void> {
  const rows = await rowsNow();
  for (const row of rows) {
    assert.equal(row.isQueued, row.state === "pending", "queued if and only if its log says pending");
    assert.deepEqual(row.nextAttemptAt, row.dueAt, "log and queue have one time");
    assert.deepEqual(
      row.attemptNumbers,
      Array.from({ length: row.logAttempts }, (_, i) => i + 1),
      "as many attempts as are counted",
    );
    assert.ok(!row.isQueued || row.attempts === row.logAttempts, "log and queue count alike");
  }
  const seen = rows.map((row) => [row.id, row.state, row.logAttempts, row.finishedAt, queueFacts(row)]);
  const known = [...world.known.values()].map((one) => [
    one.id,
    one.state,
    one.attempts,
    one.finishedAt,
    queueFacts({
      ...one,
      isQueued: isQueued(one),
      leaseUntil: one.lease?.until ?? null,
      token: one.lease?.token ?? null,
    }),
  ]);
  assert.deepEqual(new Map(seen.map((row) => [row[0], row])), new Map(known.map((row) => [row[0], row])));
  assert.deepEqual(await nextDueInMs(db), nextKnown(world));
}

const queueFacts = (row: Pick<Row, "isQueued" | "failures" | "dueAt" | "leaseUntil" | "token">) =>
  row.isQueued ? [row.failures, row.dueAt, row.leaseUntil, row.token] : null;

/** The next time at which something becomes claimable. */
function nextKnown({ now, known }: World): number | null {
  const times = [...known.values()]
    .filter(isQueued)
    .map(({ dueAt, lease }) => (dueAt > now ? dueAt : lease?.until))
    .filter((time) => time !== undefined && time > now)
    .map(Number);
  return times.length === 0 ? null : Math.min(...times) - now.getTime();
}

/** Much later, one dispatcher claims all that is queued, six at a time. */
async function drain(world: World): Promise<void> {
  world.now = await db.clock.set(later(world.now, 3_600));
  let after = FIRST_ENDPOINT;
  while ([...world.known.values()].some(isQueued)) {
    const claimed = await claimAlone(world, { limit: 6, retryLimit: 2, after });
    assert.ok(claimed.length > 0 || after !== FIRST_ENDPOINT, "what is due is to be had");
    const endpoints = claimed.map(({ endpointId }) => endpointId).toSorted();
    // As dispatchers do: from where it stopped at its limit, from the beginning otherwise.
    after = (claimed.length === 6 ? endpoints.at(-1) : undefined) ?? FIRST_ENDPOINT;
    const end = { state: "delivered", now: world.now, nextAttemptAt: null } as const;
    await finishDeliveries(
      db,
      claimed.map((one) => ending(one, end)),
    );
    for (const { id } of claimed) endKnown(knownAs(world, id), end);
  }
}

/** Every endpoint has two retries and two first attempts that are due. */
const PROLOGUE: readonly Step[] = [
  { do: "events", catalog: 0, count: 2, isLate: false },
  { do: "events", catalog: 1, count: 2, isLate: false },
  { do: "claim", limit: 6, retryLimit: 0, from: 0 },
  { do: "finish", held: [0, 1, 2, 3, 4, 5], state: "pending", inS: 1 },
  { do: "events", catalog: 0, count: 2, isLate: false },
  { do: "events", catalog: 1, count: 2, isLate: false },
  { do: "wait", s: 1 },
];

async function obey(steps: readonly Step[]): Promise<void> {
  const world = await newWorld();
  for (const step of PROLOGUE) await take(world, step);
  for (const step of steps) {
    await take(world, step);
    await checkLaws(world);
  }
  await drain(world);
  await checkLaws(world);
  await db.execute(sql`delete from catalogs`);
  assert.deepEqual(await rowsNow(), [], "a catalog takes all along");
}

/** What fast-check interrupts runs on, and would be in the way of the next. */
function obeyInTurn(steps: readonly Step[]): Promise<void> {
  running = running.catch(() => undefined).then(async () => obey(steps));
  return running;
}

test("log, queue and attempts agree after every step, with dispatchers that claim one after the other", async () => {
  const steps = fc.array(anyStep(claimAfterClaim), LENGTH);

  await fc.assert(fc.asyncProperty(steps, obeyInTurn), { ...BOUNDS, numRuns: 18 });
});

test("log, queue and attempts agree after every step, with dispatchers that claim at the same time", async () => {
  const steps = fc.array(anyStep(claimsAtOnce), LENGTH);

  await fc.assert(fc.asyncProperty(steps, obeyInTurn), { ...BOUNDS, numRuns: 10 });
});
