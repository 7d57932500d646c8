/**
 * Source tests on their way from a caller to a worker and back. The caller inserts a row and extends `wanted_until`
 * while it waits; a worker claims the row under a lease and stores the result. A test without a waiting caller is
 * neither claimed nor continued.
 */
import type { Queries } from "./db.ts";
import { notify } from "./notices.ts";
import { hasExpired, type Lease } from "./runs.ts";
import { prepared, sql } from "./sql.ts";

export type NewSourceTest = {
  readonly id: string;
  readonly catalogId: string;
  /** Encrypted. */
  readonly request: Buffer;
  readonly wantedMs: number;
};

export async function insertSourceTest(db: Queries, test: NewSourceTest): Promise<void> {
  await db.execute(sql`
    insert into source_tests (id, catalog_id, request, wanted_until)
    values (${test.id}, ${test.catalogId}, ${test.request},
            clock_timestamp() + make_interval(secs => ${test.wantedMs / 1000}))`);
  await notify(db, { about: "source tests" });
}

export type SourceTestState = {
  readonly isClaimed: boolean;
  readonly isAbandoned: boolean;
  /** Encrypted; null until the test has finished. */
  readonly answer: Buffer | null;
};

/** Returns the state of the test and extends the caller's lease. Undefined if the test was deleted with its catalog. */
export async function awaitSourceTest(
  db: Queries,
  id: string,
  wantedMs: number,
): Promise<SourceTestState | undefined> {
  return db.first<SourceTestState>(sql`
    update source_tests set wanted_until = clock_timestamp() + make_interval(secs => ${wantedMs / 1000})
     where id = ${id}
    returning answer, owner is not null as is_claimed,
              answer is null and owner is not null and ${hasExpired(sql`lease_until`)} as is_abandoned`);
}

/** No worker is on the test: it has finished, was never claimed, or its lease expired. */
const IS_IDLE = sql`(answer is not null or owner is null or ${hasExpired(sql`lease_until`)})`;

/** Cancels the test. While a worker reads the source the row stays until the worker has stopped. */
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

/** Claims the oldest test of the catalog with the fewest running. */
export async function claimSourceTest(
  db: Queries,
  { owner, leaseMs }: Lease,
): Promise<ClaimedSourceTest | undefined> {
  const claim = sql`
    update source_tests
       set owner = ${owner}, lease_until = clock_timestamp() + make_interval(secs => ${leaseMs / 1000})
     where id = (select t.id from source_tests t
                  where t.owner is null and not ${hasExpired(sql`t.wanted_until`)}
                  order by (select count(*) from source_tests o
                             where o.catalog_id = t.catalog_id and o.owner is not null and o.answer is null),
                           t.created_at, t.id
                  limit 1
                    for update skip locked)
    returning id, catalog_id, request`;
  return db.first<ClaimedSourceTest>(prepared(claim, "claim_source_test"));
}

type Claim = { readonly id: string; readonly owner: string };

/** The worker's heartbeat. False: the caller is gone, or the lease is lost. */
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

export async function deleteSourceTest(db: Queries, { id, owner }: Claim): Promise<void> {
  await db.execute(sql`delete from source_tests where id = ${id} and owner = ${owner}`);
}

/** Releases a test for another worker: this one stops. */
export async function releaseSourceTest(db: Queries, { id, owner }: Claim): Promise<void> {
  await db.execute(
    sql`update source_tests set owner = null, lease_until = null where id = ${id} and owner = ${owner} and answer is null`,
  );
  await notify(db, { about: "source tests" });
}

/** Deletes tests whose server or worker was killed. */
export async function pruneSourceTests(db: Queries): Promise<number> {
  return db.execute(sql`delete from source_tests where ${hasExpired(sql`wanted_until`)} and ${IS_IDLE}`);
}
