/**
 * The cached plans of dispatchers. They are made when the queue is empty and used when it has a hundred thousand
 * deliveries, so they must be good for both. A scan is good if it starts at a position in an index, that is with a
 * condition on the index's first column. With a condition on a later column only, it reads the whole index.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { escapeLiteral } from "pg";
import { freshDb } from "../../test/fresh.ts";
import { seedCatalog } from "../../test/seed.ts";
import { anyDue, attemptIn } from "../../test/fakes/receiver-seed.ts";
import type { Db, Queries, Session } from "../store/db.ts";
import { sql } from "../store/sql.ts";
import type { Sql } from "../store/sql.ts";
import { finishDeliveries } from "./finish.sql.ts";
import type { Finish } from "./finish.sql.ts";
import { claimDeliveries, enqueue, openQueueDb } from "./queue.sql.ts";
import type { DeliveryLease } from "./queue.sql.ts";

const NOW = new Date("2026-03-01T12:00:00.000Z");
/** Tables that grow without a bound. */
const TABLES = ["webhook_queue", "webhook_deliveries", "webhook_events"];

const CLAIM = anyDue({
  limit: 64,
  retryLimit: 48,
  perEndpoint: 4,
  retriesPerEndpoint: 3,
  perFailingEndpoint: 1,
});

/** Each of 50 endpoints, of as many catalogs, is to get 400 events; all are due, and one in ten is a retry. */
async function fillQueue(db: Db): Promise<void> {
  for (let i = 0; i < 50; i += 1) await seedCatalog(db);
  await db.execute(sql`
    insert into webhook_endpoints (catalog_id, id, url, events, secret_sealed)
    select id, gen_random_uuid(), 'https://hooks.example/', '{}', '' from catalogs`);
  await db.execute(sql`
    insert into webhook_events (catalog_id, id, type, payload, created_at)
    select id, gen_random_uuid(), 'sync.completed', '{}', ${NOW}::timestamptz - i * interval '1 second'
      from catalogs, generate_series(1, 400) i`);
  await db.execute(sql`
    with logged as (
      insert into webhook_deliveries (catalog_id, id, event_id, endpoint_id, attempts, next_attempt_at, created_at)
      select e.catalog_id, gen_random_uuid(), e.id, p.id, (extract(second from e.created_at)::int % 10 = 0)::int,
             e.created_at, e.created_at
        from webhook_events e join webhook_endpoints p using (catalog_id)
      returning *)
    ${enqueue(sql`logged`)}`);
}

/** Makes the statistics exact, and keeps autovacuum from changing them during the test. */
async function settle(db: Db): Promise<void> {
  for (const table of TABLES) {
    await db.execute({ text: `alter table ${table} set (autovacuum_enabled = off)`, values: [] });
  }
  await db.execute({ text: `vacuum analyze ${TABLES.join(", ")}`, values: [] });
}

/** On a dispatcher's connection that has run both statements once: from then on their plans are cached. */
async function onSender<T>(db: Db, work: (session: Session) => Promise<T>): Promise<T> {
  const queue = openQueueDb(db.target, "shelfwire-test-deliveries");
  try {
    return await queue.session(async (session) => {
      await claimDeliveries(session, { ...CLAIM, limit: 0 });
      await finishDeliveries(session, []);
      return work(session);
    });
  } finally {
    await queue.close();
  }
}

/** The parts of EXPLAIN's output that are checked; the numbers only if the statement was executed. */
type Node = {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Index Name"?: string;
  readonly "Index Cond"?: string;
  readonly "Actual Rows"?: number;
  readonly "Actual Loops"?: number;
  readonly "Rows Removed by Filter"?: number;
  readonly "Shared Hit Blocks"?: number;
  readonly "Shared Read Blocks"?: number;
  readonly Plans?: readonly Node[];
};

async function explain(session: Queries, execute: string, options = ""): Promise<Node> {
  const [row] = await session.query<{ "QUERY PLAN": [{ Plan: Node }] }>({
    text: `explain (${options} format json) execute ${execute}`,
    values: [],
  });
  assert.ok(row);
  return row["QUERY PLAN"][0].Plan;
}

/** The scans of our tables. A ModifyTable node gets its rows from a scan and is not one itself. */
function scansOf(plan: Node): readonly Node[] {
  const below = (plan.Plans ?? []).flatMap(scansOf);
  const isScan = plan["Node Type"] !== "ModifyTable" && TABLES.includes(plan["Relation Name"] ?? "");
  return isScan ? [plan, ...below] : below;
}

const inWords = (scan: Node): string =>
  `${scan["Node Type"]} of ${scan["Relation Name"]} by ${scan["Index Name"] ?? "no index"}, ${scan["Index Cond"] ?? "all of it"}`;

/** The scans of the cached plans that are not good. */
async function faultsOfKeptPlans(session: Queries): Promise<readonly string[]> {
  const indexes = await session.query<{ name: string; first: string }>(sql`
    select relname as name, pg_get_indexdef(oid, 1, true) as first
      from pg_class where relkind = 'i' and relnamespace = current_schema()::regnamespace`);
  const firstColumn = new Map(indexes.map(({ name, first }) => [name, first]));
  const isGood = (scan: Node) => {
    const first = firstColumn.get(scan["Index Name"] ?? "");
    const isByIndex = ["Index Scan", "Index Only Scan"].includes(scan["Node Type"]);
    // The index's own columns are on the left, and have no table's name before them.
    return isByIndex && new RegExp(`\\(${first} [<=>]+ `).test(scan["Index Cond"] ?? "");
  };
  const kept = await session.query<{ name: string; count: number }>(sql`
    select name, cardinality(parameter_types) as count from pg_prepared_statements where not from_sql order by name`);
  const faults: string[] = [];
  for (const name of ["claim_deliveries", "finish_deliveries"]) {
    const count = kept.find((statement) => statement.name === name)?.count ?? 0;
    const scans = scansOf(await explain(session, `${name} (${Array(count).fill("null").join(", ")})`));
    assert.ok(scans.length >= 3, `${name} reads its tables`);
    faults.push(...scans.filter((scan) => !isGood(scan)).map((scan) => `${name}: ${inWords(scan)}`));
  }
  return faults;
}

/** One database for all moments, in this order: to fill the queue takes longest. */
const MOMENTS: Readonly<Record<string, (db: Db) => Promise<void>>> = {
  "while nothing was ever queued": async () => undefined,
  "while twenty thousand deliveries wait": fillQueue,
  "while nothing is queued and the log is long": async (db) => {
    await db.execute(sql`delete from webhook_queue`);
    await db.execute(sql`update webhook_deliveries set state = 'delivered', next_attempt_at = null`);
  },
};

test("plans start every scan at a position in an index", async (t) => {
  await using db = await freshDb();
  for (const [moment, prepare] of Object.entries(MOMENTS)) {
    await t.test(`if they are made ${moment}`, async () => {
      await prepare(db);
      await settle(db);

      const faults = await onSender(db, faultsOfKeptPlans);

      assert.deepEqual(faults, []);
    });
  }
});

test("with plans made for an empty queue, a claim and a finish of 64 in 20,000 read little more than those", async () => {
  await using db = await freshDb();
  await settle(db);

  const costs = await onSender(db, async (session) => {
    await fillQueue(db);
    const claim = await costsOf(session, async (spy) => claimDeliveries(spy, CLAIM));
    const owned = await db.query<DeliveryLease>(
      sql`select id, lease_token as token from webhook_queue where lease_until > ${NOW}`,
    );
    assert.equal(owned.length, 64);
    const finish = await costsOf(session, async (spy) => finishDeliveries(spy, owned.map(toFinish)));
    return [...claim, ...finish];
  });

  const [written] = await db.query<{ count: number }>(sql`select count(*) from webhook_attempts`);
  assert.equal(written?.count, 64);
  // Sixteen endpoints are visited, with a look at twice the four of each that may be in flight: 128 rows. Some pages
  // are read for each descent of an index, and the update's count includes that of the picking below it: 1,000 pages.
  assert.deepEqual(
    costs.filter(({ rows, pages }) => rows > 200 || pages > 1_300),
    [],
  );
});

/** Every other one is to be tried again. */
const toFinish = (owned: DeliveryLease, i: number): Finish => {
  const isOver = i % 2 === 0;
  const state = isOver ? "delivered" : "pending";
  return { ...owned, state, retryInS: isOver ? null : 60, attempt: attemptIn(NOW) };
};

/** Executes the statement by its kept plan. Says what each scan had to read. */
async function costsOf(session: Queries, call: (spy: Queries) => Promise<unknown>) {
  const { name, values } = await statementOf(call);
  const literals = values.map((value) => escapeLiteral(toText(value))).join(", ");
  const scans = scansOf(await explain(session, `${name} (${literals})`, "analyze, buffers,"));
  assert.ok(scans.length >= 3, `${name} reads its tables`);
  return scans.map((scan) => ({
    scan: inWords(scan),
    // Before PostgreSQL 18 the rows of one loop are rounded, which is precise enough here.
    rows: ((scan["Actual Rows"] ?? 0) + (scan["Rows Removed by Filter"] ?? 0)) * (scan["Actual Loops"] ?? 0),
    pages: (scan["Shared Hit Blocks"] ?? 0) + (scan["Shared Read Blocks"] ?? 0),
  }));
}

/** EXPLAIN takes no parameters: the statement is intercepted, so that its values can be written as literals. */
async function statementOf(call: (spy: Queries) => Promise<unknown>): Promise<Sql> {
  const caught: Sql[] = [];
  await call({
    query: async (statement) => {
      caught.push(statement);
      return [];
    },
    first: async () => assert.fail("it answers with rows"),
    execute: async () => assert.fail("it answers with rows"),
  });
  const [statement, ...more] = caught;
  assert.ok(statement && more.length === 0);
  return statement;
}

function toText(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  return Array.isArray(value) ? `{${value.join(",")}}` : String(value);
}
