/**
 * The migration from one table of deliveries to a queue and a log (0006), on a database with deliveries in every state;
 * and deletions that cascade afterwards.
 */
import assert from "node:assert/strict";
import { cp, readdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { clockedDb, type ClockedDb } from "../../test/database-clock.ts";
import { tempDir } from "../../test/fresh.ts";
import type { Disposable } from "../../test/fresh.ts";
import { seedCatalog } from "../../test/seed.ts";
import { anyDue, attemptIn, seedEndpoint } from "../../test/fakes/receiver-seed.ts";
import { newId } from "../lib/id.ts";
import type { Db, Queries } from "../store/db.ts";
import { migrate } from "../store/migrate.ts";
import { sql } from "../store/sql.ts";
import type { Sql } from "../store/sql.ts";
import { deleteEndpoint } from "./endpoints.sql.ts";
import { finishDeliveries } from "./finish.sql.ts";
import type { Finish } from "./finish.sql.ts";
import { findDeliveries, listAttempts } from "./log.sql.ts";
import { claimDeliveries } from "./queue.sql.ts";
import type { ClaimLimits, ClaimedDelivery, DeliveryLease } from "./queue.sql.ts";

const MIGRATIONS = join(import.meta.dirname, "../../migrations");
const NOW = new Date("2026-03-01T12:00:00.000Z");
const at = (seconds: number) => new Date(NOW.getTime() + seconds * 1_000);

/** Rows of the old table: times in seconds from now, and a token where there is a lease. */
type Old = {
  readonly state: "pending" | "delivered" | "dead";
  readonly attempts: number;
  readonly step: number;
  readonly nextS?: number;
  readonly leaseS?: number;
};

const OLD = {
  untouched: { state: "pending", attempts: 0, step: 0, nextS: -60 },
  failedTwice: { state: "pending", attempts: 2, step: 2, nextS: -50 },
  sentAgain: { state: "pending", attempts: 3, step: 0, nextS: -40 },
  untouchedToo: { state: "pending", attempts: 0, step: 0, nextS: -30 },
  lapsed: { state: "pending", attempts: 1, step: 1, nextS: -20, leaseS: 0 },
  inFlight: { state: "pending", attempts: 1, step: 1, nextS: -70, leaseS: 25 },
  later: { state: "pending", attempts: 4, step: 4, nextS: 3_600 },
  delivered: { state: "delivered", attempts: 2, step: 1 },
  dead: { state: "dead", attempts: 3, step: 3 },
} satisfies Readonly<Record<string, Old>>;
type Name = keyof typeof OLD;
const NAMES = Object.keys(OLD) as Name[];

type Place = {
  readonly db: Disposable<ClockedDb>;
  readonly catalogId: string;
  readonly endpointId: string;
  readonly deliveries: Readonly<Record<Name, DeliveryLease>>;
};

/**
 * A database before the migration, with one delivery of each kind for one endpoint, made in the order of their names.
 */
async function seedOldSchema(): Promise<Place> {
  await using folder = await tempDir();
  const files = (await readdir(MIGRATIONS)).filter((name) => name < "0006");
  for (const name of files) await cp(join(MIGRATIONS, name), join(folder.path, name));
  const db = await clockedDb({ isMigrated: false });
  await migrate(db, folder.path);
  const catalogId = await seedCatalog(db);
  const endpointId = await insertOldEndpoint(db, catalogId);
  const deliveries: Partial<Record<Name, DeliveryLease>> = {};
  for (const name of NAMES) deliveries[name] = await insertOld(db, { catalogId, endpointId }, name);
  return { db, catalogId, endpointId, deliveries: deliveries as Record<Name, DeliveryLease> };
}

/** By the statement of that time: today's needs a function that came later. */
async function insertOldEndpoint(db: Db, catalogId: string): Promise<string> {
  const id = newId();
  await db.execute(sql`
    insert into webhook_endpoints (catalog_id, id, url, events, secret_sealed, created_at)
    values (${catalogId}, ${id}, 'https://hooks.example/', ${["sync.completed"]}, '\\x00', ${at(-200)})`);
  return id;
}

async function insertOld(
  db: Db,
  { catalogId, endpointId }: { readonly catalogId: string; readonly endpointId: string },
  name: Name,
): Promise<DeliveryLease> {
  const { state, attempts, step, nextS, leaseS }: Old = OLD[name];
  const [eventId, id, token] = [newId(), newId(), newId()];
  const when = (seconds?: number) => (seconds === undefined ? null : at(seconds));
  await db.execute(sql`
    insert into webhook_events (catalog_id, id, type, payload, created_at)
    values (${catalogId}, ${eventId}, 'sync.completed', ${JSON.stringify({ name })}, ${at(-100)})`);
  await db.execute(sql`
    insert into webhook_deliveries (
      catalog_id, id, event_id, endpoint_id, state, attempts, schedule_step, next_attempt_at, lease_until, lease_token,
      created_at, finished_at)
    values (${catalogId}, ${id}, ${eventId}, ${endpointId}, ${state}, ${attempts}, ${step}, ${when(nextS)},
            ${when(leaseS)}, ${leaseS === undefined ? null : token}, ${at(-100)}, ${state === "pending" ? null : at(-10)})`);
  await db.execute(sql`
    insert into webhook_attempts (catalog_id, delivery_id, number, started_at, total_ms, status, answer)
    select ${catalogId}, ${id}, i, ${at(-90)}::timestamptz + i * interval '1 second', 7, 500, '\\x00ff'
      from generate_series(1, ${attempts}::int) i`);
  return { id, token };
}

async function seedMigrated(): Promise<Place> {
  const place = await seedOldSchema();
  assert.deepEqual((await migrate(place.db)).at(0), "0006_webhook_queue.sql");
  return place;
}

async function claim(
  db: ClockedDb,
  { now = NOW, ...more }: Partial<ClaimLimits> & { readonly now?: Date } = {},
): Promise<readonly ClaimedDelivery[]> {
  await db.clock.set(now);
  return claimDeliveries(db, anyDue(more));
}

const delivered = (owned: DeliveryLease): Finish => ({
  ...owned,
  state: "delivered",
  retryInS: null,
  attempt: attemptIn(NOW),
});

/** Everything that is kept of webhooks, in the columns that were there before and still are. */
const keptIn = async (db: Db) => ({
  endpoints: await db.query(sql`
    select catalog_id, id, url, events, secret_sealed, created_at from webhook_endpoints order by id`),
  events: await db.query(sql`
    select catalog_id, id, type, payload, created_at from webhook_events order by id`),
  deliveries: await db.query(sql`
    select catalog_id, id, event_id, endpoint_id, state, attempts, next_attempt_at, created_at, finished_at
      from webhook_deliveries order by id`),
  attempts: await db.query(sql`select * from webhook_attempts order by delivery_id, number`),
});

test("the migration to a separate queue loses and changes nothing", async () => {
  const place = await seedOldSchema();
  await using db = place.db;
  const before = await keptIn(db);
  const queue = await db.query(sql`
    select id, catalog_id, endpoint_id, event_id, attempts, schedule_step, next_attempt_at as due_at, is_retry,
           lease_until, lease_token
      from webhook_deliveries where state = 'pending' order by id`);

  await migrate(db);

  assert.equal(before.deliveries.length, NAMES.length);
  assert.deepEqual(await keptIn(db), before);
  assert.equal(queue.length, 7);
  const moved = await db.query(sql`
    select id, catalog_id, endpoint_id, event_id, attempts, schedule_step, due_at, is_retry, lease_until, lease_token
      from webhook_queue order by id`);
  assert.deepEqual(moved, queue);
});

test("migrated deliveries are claimed in their order, with their attempts and schedules", async () => {
  const place = await seedMigrated();
  await using db = place.db;

  const claimed: ClaimedDelivery[] = [];
  for (let last: readonly ClaimedDelivery[] = await claim(db, { limit: 1 }); last.length > 0; ) {
    claimed.push(...last);
    last = await claim(db, { limit: 1 });
  }

  assert.deepEqual(
    claimed.map(({ id, attempts, failures, payload }) => [id, attempts, failures, payload]),
    (["untouched", "failedTwice", "sentAgain", "untouchedToo", "lapsed"] as const).map((name) => [
      place.deliveries[name].id,
      OLD[name].attempts,
      OLD[name].step,
      JSON.stringify({ name }),
    ]),
  );
  const later = await claim(db, { now: at(3_600), limit: 64 });
  assert.ok(later.some(({ id, failures }) => id === place.deliveries.later.id && failures === 4));
});

test("a migrated lease still hides its delivery, and its token finishes it", async () => {
  const place = await seedMigrated();
  await using db = place.db;
  const { inFlight } = place.deliveries;
  const taken = await claim(db, { now: at(24.999) });

  const ours = await finishDeliveries(db, [
    delivered({ id: inFlight.id, token: newId() }),
    delivered(inFlight),
  ]);

  assert.ok(taken.length > 0 && !taken.some(({ id }) => id === inFlight.id));
  assert.deepEqual(ours, new Set([inFlight.id]));
  const attempts = (await listAttempts(db, place.catalogId, [inFlight.id])).get(inFlight.id) ?? [];
  assert.deepEqual(
    attempts.map(({ number, status }) => [number, status]),
    [
      [1, 500],
      [2, 200],
    ],
  );
});

test("a migrated lease that has expired is claimed again, and its old token finishes nothing", async () => {
  const place = await seedMigrated();
  await using db = place.db;
  const { lapsed, inFlight } = place.deliveries;

  const heirs = await claim(db, { now: at(25) });
  const ours = await finishDeliveries(db, [delivered(lapsed), delivered(inFlight)]);

  assert.deepEqual(
    new Set(heirs.filter(({ attempts }) => attempts === 1).map(({ id }) => id)),
    new Set([lapsed.id, inFlight.id]),
  );
  assert.deepEqual(ours, new Set());
});

test("migrated deliveries that are finished are in the log with all attempts, and are not claimed", async () => {
  const place = await seedMigrated();
  await using db = place.db;
  const ended = [place.deliveries.delivered.id, place.deliveries.dead.id];

  const claimed = await claim(db, { now: at(100_000) });

  assert.equal(claimed.length, 7);
  assert.ok(!claimed.some(({ id }) => ended.includes(id)));
  const rows = await findDeliveries(db, place.catalogId, { limit: 100 });
  const log = new Map(rows.map(({ id, state, finished_at: time }) => [id, [state, time]]));
  const attempts = await listAttempts(db, place.catalogId, ended);
  const numbers = (id: string) => attempts.get(id)?.map(({ number }) => number);
  for (const state of ["delivered", "dead"] as const) {
    const { id } = place.deliveries[state];
    assert.deepEqual(log.get(id), [state, at(-10).toISOString()]);
    assert.deepEqual(numbers(id), state === "dead" ? [1, 2, 3] : [1, 2]);
  }
});

/** How many rows each table has of a catalog. */
const countsOf = async (db: Queries, catalogId: string) => {
  const [counts] = await db.query(sql`
    select (select count(*) from webhook_queue where catalog_id = ${catalogId}) as queued,
           (select count(*) from webhook_deliveries where catalog_id = ${catalogId}) as deliveries,
           (select count(*) from webhook_attempts where catalog_id = ${catalogId}) as attempts`);
  return counts;
};
const NONE = { queued: 0, deliveries: 0, attempts: 0 };
/** All but `dead`, which has three attempts of sixteen. */
const WITHOUT_DEAD = { queued: 7, deliveries: 8, attempts: 13 };

/** In a session without our schema in its search path. */
const elsewhere = async (db: Db, statement: Sql) =>
  db.tx(async (tx) => {
    await tx.execute(sql`set local search_path to pg_catalog`);
    return tx.execute(statement);
  });
const deleteById = (db: Db, table: string, id: string): Sql => ({
  text: `delete from ${db.target.schema}.${table} where id = $1`,
  values: [id],
});

type Deletion = { readonly what: Sql; readonly leaves: object };
const DELETIONS: Readonly<Record<string, (place: Place) => Deletion>> = {
  "a catalog": ({ db, catalogId }) => ({ what: deleteById(db, "catalogs", catalogId), leaves: NONE }),
  "an endpoint": ({ db, endpointId }) => ({
    what: deleteById(db, "webhook_endpoints", endpointId),
    leaves: NONE,
  }),
  "a delivery that has ended": ({ db, deliveries }) => ({
    what: deleteById(db, "webhook_deliveries", deliveries.dead.id),
    leaves: WITHOUT_DEAD,
  }),
  "a delivery that waits": ({ db, deliveries }) => ({
    what: deleteById(db, "webhook_deliveries", deliveries.sentAgain.id),
    leaves: { ...WITHOUT_DEAD, queued: 6 },
  }),
};

for (const [name, deletion] of Object.entries(DELETIONS)) {
  test(`deleting ${name} deletes its attempts and its queue, with any search path`, async () => {
    for (const isOurPath of [true, false]) {
      const place = await seedMigrated();
      await using db = place.db;
      const { what, leaves } = deletion(place);

      await (isOurPath ? db.execute(what) : elsewhere(db, what));

      assert.deepEqual(await countsOf(db, place.catalogId), leaves);
    }
  });
}

test("deleteEndpoint deletes everything of the endpoint and nothing of others", async () => {
  const place = await seedMigrated();
  await using db = place.db;
  const { catalogId, endpointId: id } = place;
  const other = await seedEndpoint(db, catalogId);
  const [moved] = await db.query<DeliveryLease>(
    sql`update webhook_queue set endpoint_id = ${other} where id = ${place.deliveries.sentAgain.id} returning id`,
  );
  await db.execute(sql`update webhook_deliveries set endpoint_id = ${other} where id = ${moved?.id}`);

  await db.tx(async (tx) => deleteEndpoint(tx, { catalogId, id }));

  assert.deepEqual(await countsOf(db, catalogId), { queued: 1, deliveries: 1, attempts: 3 });
});
