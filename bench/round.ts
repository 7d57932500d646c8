/**
 * One round at one size, on a new catalog: all kinds of syncs in order, and the limits in between. Every step is
 * checked: one that did not do its work would be fast.
 */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { deepEqual, equal } from "node:assert/strict";
import type { System } from "../src/cli/system.ts";
import type { Queries } from "../src/store/db.ts";
import { sql } from "../src/store/sql.ts";
import { CHANGED_EVERY } from "./catalog.ts";
import { createSubject, type Cycle, runCycle, type Running, type Subject } from "./cycle.ts";
import { type Limits, measureLimits } from "./limits.ts";
import type { Shop } from "./shop.ts";

export type Place = Running & {
  readonly shop: Shop;
  readonly items: number;
  /** For files that only a measurement needs. */
  readonly dir: string;
};

export type Round = {
  readonly first: Cycle;
  readonly limits: Limits;
  /** The source answers 304. */
  readonly notModified: Cycle;
  /** The source has no validators and sends the same bytes again. */
  readonly sameBytes: Cycle;
  /** Other bytes, the same items: every row is read and compared. */
  readonly sameItems: Cycle;
  readonly changed: Cycle;
};

export async function runRound(place: Place): Promise<Round> {
  const { system, shop } = place;
  const subject = await createSubject(system, shop.url);
  const cycle = async (): Promise<Cycle> => runCycle(place, subject);

  shop.show("first", { hasValidators: true });
  const first = await cycle();
  checkFirst(first, place);
  const limits = await measureLimits(
    place,
    first.files.reduce((sum, { bytes }) => sum + bytes, 0),
  );

  const before = await rowMarks(system.db);
  const notModified = await cycle();
  checkUnchanged(notModified, place, 304);
  shop.show("first", { hasValidators: false });
  const sameBytes = await cycle();
  checkUnchanged(sameBytes, place, 200);
  shop.show("blank_column", { hasValidators: true });
  const sameItems = await cycle();
  checkUnchanged(sameItems, place, 200);
  deepEqual(await rowMarks(system.db), before, "an unchanged item was written again");

  shop.show("changed", { hasValidators: true });
  const changed = await cycle();
  equal(changed.stats.upserted, Math.ceil(place.items / CHANGED_EVERY));
  await clearSubject(system, subject);
  return { first, limits, notModified, sameBytes, sameItems, changed };
}

function checkFirst({ stats, files }: Cycle, { items }: Place): void {
  equal(stats.upserted, items, "every row of the file must become an item");
  for (const { file, written } of files) equal(written, items, `${file} must have every item`);
}

function checkUnchanged({ stats, files }: Cycle, { items, shop }: Place, status: number): void {
  equal(shop.lastStatus(), status);
  equal(stats.unchanged, items);
  equal(stats.upserted, 0);
  for (const { file, changed } of files) equal(changed, false, `${file} must keep its bytes`);
}

/** Position and writer of every row: unchanged only if the sync wrote no row. */
async function rowMarks(db: Queries): Promise<unknown> {
  return db.query(sql`select count(*), sum(hashtext(ctid::text || xmin::text)::bigint) as mark from items`);
}

/** Restores the state for the next round. */
export async function clearSubject({ db, config }: System, { catalogId }: Subject): Promise<void> {
  // No truncation: it would wait for a pass over the items, which waits for it in another session.
  await db.execute(sql`delete from items where catalog_id = ${catalogId}`);
  await db.execute(sql`delete from catalogs where id = ${catalogId}`);
  await rm(join(config.dataDir, "feeds", catalogId), { recursive: true, force: true });
}
