/** Since when renders are held, across the renders that take each other's place. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { freshDb } from "../../test/fresh.ts";
import { seedCatalog, seedRun } from "../../test/seed.ts";
import { newId } from "../lib/id.ts";
import type { Exceeded } from "../contract/publish-guard.ts";
import { recordRender, type RenderRecord } from "./renders.ts";
import { sql } from "./sql.ts";

const limit = (signal: string): Exceeded => ({
  signal,
  subject: null,
  before: null,
  after: null,
  change: null,
  limit: null,
  message: "It is exceeded.",
});

test("a render that is held for the same reason is held since the first one, for another reason since now", async () => {
  await using db = await freshDb();
  const catalogId = await seedCatalog(db);
  const hold = async (...signals: readonly string[]): Promise<RenderRecord> => {
    await db.execute(sql`delete from runs where state = 'queued' and catalog_id = ${catalogId}`);
    const runId = await seedRun(db, catalogId, { kind: "render" });
    await db.execute(sql`update runs set state = 'failed' where id = ${runId}`);
    const exceeded = signals.map(limit);
    return recordRender(db, { runId, catalogId, folder: newId(), exceeded, state: "held" });
  };

  const first = await hold("items_removed");
  const again = await hold("feed_size", "items_removed");
  const other = await hold("price_median");

  assert.deepEqual(again.heldSince, first.heldSince);
  assert.ok((other.heldSince?.getTime() ?? 0) >= other.createdAt.getTime() - 1_000);
  assert.notDeepEqual(other.heldSince, first.heldSince);
});
