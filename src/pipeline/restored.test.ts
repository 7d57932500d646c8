/**
 * What a restored copy does not do by itself, and what happens to what waited. Real processes:
 * test/e2e/restored-copy.test.ts.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { freshDb } from "../../test/fresh.ts";
import { seedCatalog, seedRun, seedSource } from "../../test/seed.ts";
import { claimDaily } from "../destinations/destinations.sql.ts";
import { newId } from "../lib/id.ts";
import { claimMail, enqueueMail } from "../store/alert-mails.ts";
import { noteChangedProducts } from "../store/changed-products.ts";
import type { Db } from "../store/db.ts";
import { restoredSince } from "../store/restores.ts";
import { claimDueShopWebhook } from "../store/shop-webhooks.ts";
import { sql } from "../store/sql.ts";
import { enqueueDueRuns } from "./maintenance.ts";
import { markRestored, resume } from "./restored.ts";

const statesOf = async (db: Db, table: "runs" | "alert_mails" | "webhook_deliveries") =>
  (
    await db.query<{ state: string }>({ text: `select state from ${table} order by created_at`, values: [] })
  ).map(({ state }) => state);

const queuedSyncs = async (db: Db) =>
  db.query(sql`select cause from runs where kind = 'sync' and state = 'queued' order by cause`);

const mail = (catalogId: string) => ({
  catalogId,
  mailId: newId(),
  recipients: ["feeds@shop.example"],
  subject: "s",
  text: "t",
  html: "h",
  refersTo: [],
});

/**
 * A catalog in which everything is due: a sync, a sync of reported products, a daily upload, a shop webhook, a mail.
 */
async function allDue(db: Db): Promise<string> {
  const catalogId = await seedCatalog(db);
  const [due, reported] = [await seedSource(db, catalogId), await seedSource(db, catalogId)];
  await db.execute(sql`update sources set next_sync_at = now() + interval '1 hour' where id = ${reported}`);
  await noteChangedProducts(db, reported, ["42"]);
  await db.execute(sql`update changed_products set noted_at = now() - interval '1 minute'`);
  await db.execute(sql`
    insert into destinations (id, catalog_id, kind, name, settings, format, file_name, is_sharded, vanished_days, schedule, daily_at,
                              time_zone, enabled, next_daily_at)
    values (${newId()}, ${catalogId}, 'sftp', 'd', '{}', 'acp.csv', 'products', false, 0, 'daily', '06:00', 'UTC', true, now())`);
  await db.execute(sql`
    insert into shop_webhooks (id, source_id, kind, settings, secret_sealed, status)
    values (${newId()}, ${due}, 'shopify', '{}', '\\x00', 'active')`);
  await enqueueMail(db, mail(catalogId));
  return catalogId;
}

const LEASE = { owner: newId(), leaseS: 60 };

/** What a worker would begin now. */
async function begun(db: Db): Promise<readonly unknown[]> {
  await enqueueDueRuns({ db });
  return [
    await queuedSyncs(db),
    (await claimDaily(db, 9)).length,
    (await claimDueShopWebhook(db)) !== undefined,
    (await claimMail(db, LEASE)) !== undefined,
  ];
}

test("a restored copy begins no sync, upload, shop webhook or mail by itself, and does so when it is live", async () => {
  await using db = await freshDb();
  await db.tx(markRestored);
  await allDue(db);

  assert.deepEqual(await begun(db), [[], 0, false, false]);
  assert.ok(await restoredSince(db));
  await db.tx(resume);

  assert.equal(await restoredSince(db), null);
  const both = [{ cause: "schedule" }, { cause: "webhook" }];
  assert.deepEqual(await begun(db), [both, 1, true, true]);
});

test("syncs, mails and webhook deliveries that waited at the backup are not continued; pushes and renders are", async () => {
  await using db = await freshDb();
  const catalogId = await seedCatalog(db);
  const sourceId = await seedSource(db, catalogId);
  await seedRun(db, catalogId, { sourceId, cause: "schedule" });
  await seedRun(db, catalogId, { cause: "push" });
  await seedRun(db, catalogId, { kind: "render", cause: "request" });
  await enqueueMail(db, mail(catalogId));
  const [event, endpoint, delivery] = [newId(), newId(), newId()];
  await db.execute(sql`
    insert into webhook_endpoints (catalog_id, id, url, events, secret_sealed)
    values (${catalogId}, ${endpoint}, 'https://r.example/', '{feeds.rendered}', '\\x00')`);
  await db.execute(sql`
    insert into webhook_events (catalog_id, id, type, payload, created_at) values (${catalogId}, ${event}, 'feeds.rendered', '{}', now())`);
  await db.execute(sql`
    insert into webhook_deliveries (catalog_id, id, event_id, endpoint_id, next_attempt_at, created_at)
    values (${catalogId}, ${delivery}, ${event}, ${endpoint}, now(), now())`);

  await db.tx(markRestored);

  assert.deepEqual(await statesOf(db, "runs"), ["failed", "queued", "queued"]);
  assert.deepEqual(await statesOf(db, "alert_mails"), ["dead"]);
  assert.deepEqual(await statesOf(db, "webhook_deliveries"), ["dead"]);
  // A sync that a restore ended is no failure of the source.
  assert.deepEqual(await db.query(sql`select 1 from sync_health where failures > 0`), []);
  const { withheld_deliveries: withheld, waiting_deliveries: waiting } = await db.tx(resume);
  assert.deepEqual([withheld, waiting], [1, 0]);
});

test("an installation that is live cannot be resumed", async () => {
  await using db = await freshDb();

  await assert.rejects(db.tx(resume), { code: "conflict" });
});
