import assert from "node:assert/strict";
import { test } from "node:test";
import { freshDb } from "../../test/fresh.ts";
import { newId } from "../lib/id.ts";
import type { Db } from "./db.ts";
import {
  eachVerdictChange,
  findVerdicts,
  openVerdictStaging,
  replaceVerdicts,
  type StagedVerdicts,
} from "./verdicts.ts";

type Audited = {
  readonly mode: StagedVerdicts;
  readonly removed?: readonly string[];
  readonly most?: number;
};

/** Stages these verdicts, by item, and stores them; returns what changes, as texts. */
async function audit(
  db: Db,
  catalogId: string,
  verdicts: Readonly<Record<string, string | null>>,
  { mode, removed = [], most = 10 }: Audited,
): Promise<readonly string[]> {
  return db.session(async (session) => {
    const staging = await openVerdictStaging(session, 1);
    for (const [id, verdict] of Object.entries(verdicts))
      await staging.add(id, verdict === null ? null : Buffer.from(verdict), verdict === null ? [] : [1]);
    await staging.finish(removed);
    return session.tx(async (tx) => {
      const changes = await Array.fromAsync(eachVerdictChange(tx, catalogId, mode, most));
      await replaceVerdicts(tx, catalogId, mode);
      const text = (verdict: Uint8Array | null | undefined) => verdict && Buffer.from(verdict).toString();
      return changes.map(({ was, is, count }) => `${count} x ${text(was)} > ${text(is)}`).toSorted();
    });
  });
}

async function stored(db: Db, catalogId: string): Promise<Readonly<Record<string, string | undefined>>> {
  const rows = await findVerdicts(db, catalogId, ["a", "b", "c", "d", "e"]);
  return Object.fromEntries([...rows].map(([id, verdict]) => [id, verdict?.toString()]));
}

for (const [what, most] of Object.entries({ "few changes": 10, "many changes": 10_000 })) {
  test(`${what} of verdicts are counted, and the stored ones replaced`, async () => {
    await using db = await freshDb();
    const [catalogId, other] = [newId(), newId()];
    await audit(db, other, { a: "theirs", z: "theirs" }, { mode: "all" });

    const first = await audit(db, catalogId, { a: "1", b: "1", c: null, d: "2" }, { mode: "all", most });
    assert.deepEqual(first, ["1 x undefined > 2", "1 x undefined > null", "2 x undefined > 1"]);

    const all = await audit(db, catalogId, { a: "1", b: "3", c: null, e: "1" }, { mode: "all", most });
    assert.deepEqual(all, [
      "1 x 1 > 1",
      "1 x 1 > 3",
      "1 x 2 > undefined",
      "1 x null > null",
      "1 x undefined > 1",
    ]);
    assert.deepEqual(await stored(db, catalogId), { a: "1", b: "3", c: undefined, e: "1" });

    const some = await audit(db, catalogId, { b: null, d: "4" }, { mode: "some", removed: ["e", "d"], most });
    assert.deepEqual(some, ["1 x 1 > undefined", "1 x 3 > null", "1 x undefined > 4"]);
    assert.deepEqual(await stored(db, catalogId), { a: "1", b: undefined, c: undefined, d: "4" });
    assert.deepEqual(await stored(db, other), { a: "theirs" });
  });
}
