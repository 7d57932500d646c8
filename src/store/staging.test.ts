import assert from "node:assert/strict";
import { test } from "node:test";
import { freshDb } from "../../test/fresh.ts";
import { openStaging } from "./staging.ts";
import { sql } from "./sql.ts";

const item = { position: 0, id: "a", groupId: null, fingerprint: "00", body: "{}" };

test("the next sync on a connection begins with an empty table without the index of a patch", async () => {
  await using db = await freshDb();
  await db.session(async (session) => {
    const first = await openStaging(session);
    await first.add(item);
    await first.finish();
    await session.execute(sql`create index staged_by_id on staged (id)`);

    const second = await openStaging(session);
    await second.add({ ...item, id: "b" });
    await second.finish();

    assert.deepEqual(await session.query(sql`select id from staged`), [{ id: "b" }]);
    const indexes = sql`select indexrelid::regclass::text from pg_index where indrelid = 'pg_temp.staged'::regclass`;
    assert.deepEqual(await session.query(indexes), []);
  });
});
