/** Events that were stored before feed tokens were encrypted in them (0013). */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { cp, readdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { tablesWith } from "../../test/dump.ts";
import { freshDb, tempDir } from "../../test/fresh.ts";
import { anyDue } from "../../test/fakes/receiver-seed.ts";
import { newId } from "../lib/id.ts";
import type { Db } from "../store/db.ts";
import { migrate } from "../store/migrate.ts";
import { sql } from "../store/sql.ts";
import { withFeedToken } from "./events.sql.ts";
import { claimDeliveries } from "./queue.sql.ts";

const MIGRATIONS = join(import.meta.dirname, "../../migrations");
const AT = new Date("2026-03-01T12:00:00.000Z");
const TOKEN = "abcdefghijklmnopqrstuvwxyz012345";
const OLDER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ543210";
const ENCRYPTED = Buffer.from("the present token, encrypted");

const payloadOf = (token: string) =>
  JSON.stringify({
    event: "feeds.rendered",
    created_at: AT.toISOString(),
    data: {
      run_id: newId(),
      stats: {
        note: 'an item says "file":"acp.csv","url":"/f/my-shop/zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz/" \u0001',
      },
      feeds: ["acp.csv", "acp.json", "gmc.tsv", "jsonld.json"].map((file) => ({
        file,
        url: `https://feeds.example/shop/f/my-shop/${token}/${file}`,
      })),
    },
  });

async function seedEvent(db: Db, catalogId: string, endpointId: string, payload: string): Promise<void> {
  const [eventId, id] = [newId(), newId()];
  await db.execute(sql`
    insert into webhook_events (catalog_id, id, type, payload, created_at)
    values (${catalogId}, ${eventId}, 'feeds.rendered', ${payload}, ${AT})`);
  await db.execute(sql`
    insert into webhook_deliveries (catalog_id, id, event_id, endpoint_id, next_attempt_at, created_at)
    values (${catalogId}, ${id}, ${eventId}, ${endpointId}, ${AT}, ${AT})`);
  await db.execute(sql`
    insert into webhook_queue (id, catalog_id, endpoint_id, event_id, attempts, schedule_step, due_at, turn)
    values (${id}, ${catalogId}, ${endpointId}, ${eventId}, 0, 0, ${AT}, nextval('webhook_queue_arrivals'))`);
  await db.execute(sql`
    insert into webhook_attempts (catalog_id, delivery_id, number, started_at, total_ms, status, answer)
    values (${catalogId}, ${id}, 1, ${AT}, 7, 500, ${Buffer.concat([Buffer.of(0, 255), Buffer.from(payload)])}),
           (${catalogId}, ${id}, 2, ${AT}, 7, 500, ${Buffer.from("try later")})`);
}

test("the migration removes feed tokens from stored events and answers, and pending payloads stay the same", async () => {
  await using folder = await tempDir();
  for (const name of (await readdir(MIGRATIONS)).filter((file) => file < "0013"))
    await cp(join(MIGRATIONS, name), join(folder.path, name));
  await using db = await freshDb({ isMigrated: false });
  await migrate(db, folder.path);
  const [catalogId, endpointId] = [newId(), newId()];
  const hash = createHash("sha256").update(TOKEN).digest();
  await db.execute(sql`
    insert into catalogs (id, slug, name, feed_token_hash, feed_token_sealed)
    values (${catalogId}, 'my-shop', 'Shop', ${hash}, ${ENCRYPTED})`);
  await db.execute(sql`
    insert into webhook_endpoints (catalog_id, id, url, events, secret_sealed)
    values (${catalogId}, ${endpointId}, 'https://hooks.example/', ${["feeds.rendered"]}, '\\x00')`);
  const [present, replaced] = [payloadOf(TOKEN), payloadOf(OLDER)];
  for (const payload of [present, replaced]) await seedEvent(db, catalogId, endpointId, payload);

  await migrate(db);

  assert.deepEqual(await tablesWith(db, TOKEN), []);
  assert.deepEqual(await tablesWith(db, OLDER), []);
  const claimed = await claimDeliveries(db, anyDue());
  assert.deepEqual(
    claimed.map(({ payload }) => withFeedToken(payload, TOKEN)),
    [present, replaced.replaceAll(OLDER, TOKEN)],
  );
  for (const { feedTokenEncrypted } of claimed) assert.deepEqual(feedTokenEncrypted, ENCRYPTED);
  const answers = await db.query<{ number: number; answer: Buffer | null }>(
    sql`select number, answer from webhook_attempts order by number`,
  );
  assert.deepEqual(
    answers.map(({ answer }) => answer?.toString() ?? null),
    [null, null, "try later", "try later"],
  );
});
