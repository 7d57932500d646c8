/**
 * Tests of sources on their way from a caller to a worker and back. A row is inserted by whoever waits for the answer,
 * claimed by a worker under a lease, answered, and deleted. The caller extends `wanted_until` as long as it waits; a test
 * that nobody waits for any more is neither claimed nor continued.
 */
import type { Queries } from "./db.ts";
import { notify } from "./notices.ts";
import { hasExpired } from "./runs.ts";
import type { Lease } from "./runs.ts";
import { sql } from "./sql.ts";

export type NewSourceTest = {
  readonly id: string;
  readonly catalogId: string;
  /** Sealed. */
  readonly request: Buffer;
  readonly wantedMs: number;
};

/** False if the catalog has `most` open tests already. Exact, also for calls at the same time. */
export async function insertSourceTest(db: Queries, test: NewSourceTest, most: number): Promise<boolean> {
  const inserted = await db.execute(sql`
    insert into source_tests (id, catalog_id, request, wanted_until)
    select ${test.id}::uuid, ${test.catalogId}::uuid, ${test.request}::bytea,
           clock_timestamp() + make_interval(secs => ${test.wantedMs / 1000})
     where count_source_tests(${test.catalogId}::uuid) < ${most}`);
  if (inserted === 1) await notify(db, { about: "source tests" });
  return inserted === 1;
}

export type SourceTestState = {
  readonly isClaimed: boolean;
  /** The worker that claimed it no longer extends its lease. */
  readonly isAbandoned: boolean;
  /** Sealed; null until it is answered. */
  readonly answer: Buffer | null;
};

/** Says how far the test is, and that it is still waited for. Undefined: it is gone, with its catalog. */
export async function awaitSourceTest(
  db: Queries,
  id: string,
  wantedMs: number,
): Promise<SourceTestState | undefined> {
  const rows = await db.query<SourceTestState>(sql`
    update source_tests set wanted_until = clock_timestamp() + make_interval(secs => ${wantedMs / 1000})
     where id = ${id}
    returning answer, owner is not null as "isClaimed",
              answer is null and owner is not null and ${hasExpired(sql`lease_until`)} as "isAbandoned"`);
  return rows[0];
}

/** Nothing works on the test: it is answered, was never claimed, or its worker is gone. */
const IS_IDLE = sql`(answer is not null or owner is null or ${hasExpired(sql`lease_until`)})`;

/** Ends the caller's interest. While a worker reads the source the row stays, and counts, until the worker has stopped. */
export async function dropSourceTest(db: Queries, id: string): Promise<void> {
  if ((await db.execute(sql`delete from source_tests where id = ${id} and ${IS_IDLE}`)) === 1) return;
  await db.execute(sql`update source_tests set wanted_until = '-infinity' where id = ${id}`);
  await notify(db, { about: "source test canceled", id });
}

export type ClaimedSourceTest = {
  readonly id: string;
  readonly catalogId: string;
  readonly request: Buffer;
};

/** Takes a test: of the catalog with the fewest under way, and of those the oldest. */
export async function claimSourceTest(
  db: Queries,
  { owner, leaseMs }: Lease,
): Promise<ClaimedSourceTest | undefined> {
  const rows = await db.query<ClaimedSourceTest>(sql`
    update source_tests
       set owner = ${owner}, lease_until = clock_timestamp() + make_interval(secs => ${leaseMs / 1000})
     where id = (select t.id from source_tests t
                  where t.owner is null and not ${hasExpired(sql`t.wanted_until`)}
                  order by (select count(*) from source_tests o
                             where o.catalog_id = t.catalog_id and o.owner is not null and o.answer is null),
                           t.created_at, t.id
                  limit 1
                    for update skip locked)
    returning id, catalog_id as "catalogId", request`);
  return rows[0];
}

type Claim = { readonly id: string; readonly owner: string };

/** The worker's heartbeat. False: the caller is gone, or the test is another worker's. */
export async function extendSourceTest(db: Queries, { id, owner }: Claim, leaseMs: number): Promise<boolean> {
  const extended = await db.execute(sql`
    update source_tests set lease_until = clock_timestamp() + make_interval(secs => ${leaseMs / 1000})
     where id = ${id} and owner = ${owner} and not ${hasExpired(sql`wanted_until`)}`);
  return extended === 1;
}

export async function answerSourceTest(db: Queries, { id, owner }: Claim, answer: Buffer): Promise<void> {
  await db.execute(
    sql`update source_tests set answer = ${answer}, lease_until = null where id = ${id} and owner = ${owner}`,
  );
  await notify(db, { about: "source test answered", id });
}

/** Ends a test that was canceled. */
export async function deleteSourceTest(db: Queries, { id, owner }: Claim): Promise<void> {
  await db.execute(sql`delete from source_tests where id = ${id} and owner = ${owner}`);
}

/** Gives a test back, for another worker: this one has to stop. */
export async function releaseSourceTest(db: Queries, { id, owner }: Claim): Promise<void> {
  await db.execute(
    sql`update source_tests set owner = null, lease_until = null where id = ${id} and owner = ${owner} and answer is null`,
  );
  await notify(db, { about: "source tests" });
}

/** Deletes what a killed server or worker left. */
export async function pruneSourceTests(db: Queries): Promise<number> {
  return db.execute(sql`delete from source_tests where ${hasExpired(sql`wanted_until`)} and ${IS_IDLE}`);
}
