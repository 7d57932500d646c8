import assert from "node:assert/strict";
import { test } from "node:test";
import { closeAfterTests } from "../../test/close-after.ts";
import { freshDb } from "../../test/fresh.ts";
import { seedCatalog } from "../../test/seed.ts";
import { newId } from "../lib/id.ts";
import { applyRulesAgain } from "./rules.ts";
import { enqueueRun } from "./runs.ts";
import { sql } from "./sql.ts";

const db = closeAfterTests(await freshDb());

test("new settings make the run of rules that waits already render the feeds", async () => {
  const catalogId = await seedCatalog(db);
  await db.execute(sql`update catalogs set effects_version = 1 where id = ${catalogId}`);
  await enqueueRun(db, { id: newId(), catalogId, sourceId: null, kind: "rules", cause: "rules" });
  await applyRulesAgain(db, catalogId);
  const runs = await db.query(sql`select kind, cause, state from runs where catalog_id = ${catalogId}`);
  assert.deepEqual(runs, [{ kind: "rules", cause: "settings", state: "queued" }]);
});
