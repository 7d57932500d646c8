/** A backup is kept for years: each schema that was ever released can be restored by today's program. */
import assert from "node:assert/strict";
import { copyFile, mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { before, test } from "node:test";
import { closeAfterTests } from "../../../test/close-after.ts";
import { freshDb, tempDir } from "../../../test/fresh.ts";
import type { Db } from "../db.ts";
import { listApplied, migrate } from "../migrate.ts";
import { writeBackup } from "./backup.ts";
import { restoreBackup } from "./restore.ts";
import { columnList, listTables, quoted } from "./schema.ts";
import { isLong } from "../../../test/long.ts";

const FOLDER = join(import.meta.dirname, "../../../migrations");
const NAMES = (await readdir(FOLDER)).sort();

/** Up to this migration every table has rows below. Raise it, and add rows, with a migration that adds a table. */
const COVERED = 46;

/** Stands for the name of a column that migration 50 changes. */
const ETAG = "<etag>";

/** Rows in every table, as programs of that time wrote them: finished, waiting and under way. */
const ROWS: readonly { readonly from: number; readonly text: string }[] = [
  {
    from: 1,
    text: `
      insert into catalogs (id, slug, name, feed_token_hash, feed_token_sealed, item_count, snapshot, published_run_id)
        values ('${id(1)}', 'shop', 'Shop', '\\x01', '\\x02', 2, 7, '${id(22)}');
      insert into api_keys (id, catalog_id, name, handle, secret_hash, scopes)
        values ('${id(2)}', '${id(1)}', 'a "key"', 'h1', '\\x03', '{read,write}');
      insert into sources (id, catalog_id, kind, name, settings, interval_s)
        values ('${id(3)}', '${id(1)}', 'feed_url', 'line\nbreak\tand \\\\N', '{"url": "https://shop.example/"}', 3600);
      insert into runs (id, catalog_id, source_id, kind, state, cause, owner, lease_until) values
        ('${id(21)}', '${id(1)}', '${id(3)}', 'sync', 'running', 'schedule', '${id(99)}', now()),
        ('${id(22)}', '${id(1)}', null, 'render', 'succeeded', 'sync', null, null),
        ('${id(23)}', '${id(1)}', null, 'render', 'queued', 'settings', null, null);
      insert into items (catalog_id, id, source_id, fingerprint, sort_key, body) values
        ('${id(1)}', 'mug', '${id(3)}', '\\x04', 'mug', '{"title":"Mug"}'),
        ('${id(1)}', 'cup', null, '\\x05', 'cup', '{"title":"Тарелка"}');
      insert into feed_files values
        ('${id(22)}', 'gmc.tsv', '${id(31)}', 'abc', 10, 5, 4, true, now(), 2, 0);`,
  },
  {
    from: 2,
    text: `
      insert into audits (run_id, catalog_id, base, freshness, ruleset, score, grade, items)
        values ('${id(22)}', '${id(1)}', 'b', 'f', 'r', 87, 'B', 2);
      insert into verdicts values ('${id(1)}', 'mug', '\\x0102', '{257}');`,
  },
  {
    from: 3,
    text: `
      insert into webhook_endpoints (catalog_id, id, url, events, secret_sealed)
        values ('${id(1)}', '${id(41)}', 'https://receiver.example/', '{sync.completed}', '\\x06');
      insert into webhook_events values ('${id(1)}', '${id(42)}', 'sync.completed', '{}', now());
      insert into webhook_deliveries (catalog_id, id, event_id, endpoint_id, attempts, next_attempt_at, created_at)
        values ('${id(1)}', '${id(43)}', '${id(42)}', '${id(41)}', 1, now(), now());
      insert into webhook_attempts (catalog_id, delivery_id, number, started_at, total_ms, status)
        values ('${id(1)}', '${id(43)}', 1, now(), 12.5, 500);`,
  },
  {
    from: 4,
    text: `
      insert into runs (id, catalog_id, kind, state, cause)
        values ('${id(24)}', '${id(1)}', 'sync', 'queued', 'push');
      insert into pushes values ('${id(24)}', 'replace', 'json', 0.5, 1);
      insert into push_chunks values ('${id(24)}', 0, '\\x00ff');
      insert into push_keys (catalog_id, key, run_id) values ('${id(1)}', 'once', '${id(24)}');`,
  },
  {
    from: 6,
    text: `
      insert into webhook_queue
        (id, catalog_id, endpoint_id, event_id, attempts, schedule_step, due_at, turn)
        values ('${id(43)}', '${id(1)}', '${id(41)}', '${id(42)}', 1, 1, now(), nextval('webhook_queue_arrivals'));`,
  },
  {
    from: 8,
    text: "update catalogs set previous_feed_token_hash = '\\x07', previous_feed_token_until = now();",
  },
  {
    from: 11,
    text: `
      insert into source_tests (id, catalog_id, request, wanted_until)
        values ('${id(51)}', '${id(1)}', '\\x08', now());`,
  },
  {
    from: 12,
    text: `
      insert into removed_sources (id, catalog_id, items, item_count) values ('${id(52)}', '${id(1)}', 'keep', 7);
      insert into removed_catalogs (catalog_id) values ('${id(1)}');`,
  },
  {
    from: 14,
    text: `
      insert into changes (id, catalog_id, actor, actor_name, call, target_type, fields)
        values ('${id(53)}', '${id(1)}', 'cli', 'root', 'source update', 'source', '{name}');`,
  },
  {
    from: 17,
    text: `
      insert into sessions (token_hash, expires_at) values ('\\x09', now());
      insert into session_keys values ('\\x09', '${id(2)}');
      insert into sign_in_codes values ('\\x0a', now());`,
  },
  {
    from: 18,
    text: `
      insert into feed_fetches values ('${id(1)}', 'gmc.tsv', now(), 'Google', 200);
      insert into sync_health (origin_id, catalog_id, run_id, finished_at, failures)
        values ('${id(3)}', '${id(1)}', '${id(21)}', now(), 0);`,
  },
  {
    from: 21,
    text: `
      insert into changed_products (source_id, product_key) values ('${id(3)}', '42');
      insert into shop_webhooks (id, source_id, kind, settings, secret_sealed, status)
        values ('${id(61)}', '${id(3)}', 'shopify', '{}', '\\x0b', 'active');`,
  },
  { from: 23, text: `insert into run_issues values ('${id(21)}', '\\x28');` },
  {
    from: 24,
    text: `
      insert into rule_sets (catalog_id, version, rules) values ('${id(1)}', 1, '{"rules":[]}');
      insert into category_mappings (catalog_id, path, category) values ('${id(1)}', 'Home > Mugs', '2169');
      insert into category_paths (catalog_id, path, items, categorized, titles) values ('${id(1)}', 'Home > Mugs', 2, 0, '{"A mug, blue","A \\"mug\\""}');
      insert into proposals (id, catalog_id, item_id, field, value, source_hash, extractor, version, confidence, is_grounded,
                             state, group_key)
        values ('${id(71)}', '${id(1)}', 'a', 'brand', 'Kiln', '\\x0c', 'brand', 1, 0.9, true, 'approved', '\\x0d');
      insert into runs (id, catalog_id, kind, state, cause) values ('${id(72)}', '${id(1)}', 'plan', 'queued', 'request');
      insert into plans values ('${id(72)}', '{}');`,
  },
  {
    from: 25,
    text: `
      insert into destinations (id, catalog_id, kind, name, settings, secrets_sealed, format, file_name, is_sharded, vanished_days,
                                schedule, daily_at, time_zone, enabled)
        values ('${id(81)}', '${id(1)}', 'sftp', 'OpenAI', '{"host": "sftp.example"}', '\\x0e', 'acp.csv.gz', 'products', true,
                14, 'publication', '06:00', 'UTC', true);
      insert into destination_deliveries (id, destination_id, cause, run_id, file, ${ETAG}, state, created_at, removed)
        values ('${id(82)}', '${id(81)}', 'publication', '${id(22)}', 'acp.csv', 'ab', 'delivered', now(), '{"a,b.csv"}');
      insert into destination_vanished values ('${id(81)}', 'gone', '{}');`,
  },
  { from: 26, text: `insert into model_questions values ('${id(1)}', 'a', '\\x0f');` },
  {
    from: 29,
    text: `
      insert into alert_settings (catalog_id, recipients, next_digest_at) values ('${id(1)}', '{feeds@shop.example}', now());
      insert into alerts (id, catalog_id, code, subject, severity, message, since, opened_at, last_seen_at, notified_at)
        values ('${id(101)}', '${id(1)}', 'source_stale', '${id(3)}', 'failing', 'It is "old".', now(), now(), now(), now());
      insert into alert_mails (id, catalog_id, mail_id, recipient, subject, text, html, next_attempt_at, lease_until, lease_owner, created_at)
        values ('${id(102)}', '${id(1)}', '${id(103)}', 'feeds@shop.example', 's', 't', '<p>', now(), now(), '${id(104)}', now());`,
  },
  {
    from: 30,
    text: `
      insert into runs (id, catalog_id, kind, state, cause) values ('${id(93)}', '${id(1)}', 'sync_plan', 'queued', 'request');
      insert into fetch_receipts values ('${id(1)}', '2026-11-15', 'gmc.tsv', 'Google', '${id(22)}', 200, 3, 4096, now(), now());
      insert into feed_consumers values ('${id(1)}', 'gmc.tsv', 'Google', true, now(), now(), 200, '${id(22)}', 'ab', 5, 86400);`,
  },
  {
    from: 27,
    text: `
      insert into runs (id, catalog_id, kind, state, cause)
        values ('${id(91)}', '${id(1)}', 'render', 'failed', 'sync');
      insert into renders (run_id, catalog_id, folder, state, exceeded, held_since)
        values ('${id(91)}', '${id(1)}', '${id(92)}', 'held', '[{"limit": "price_zero"}]', now());`,
  },
  {
    from: 31,
    text: `
      insert into decisions (id, catalog_id, action, changes, version) values ('${id(73)}', '${id(1)}', 'approve', 1, 2);
      update proposals set decision_id = '${id(73)}', before = '{"state": "pending"}', sibling_id = 'b';`,
  },
  { from: 45, text: "insert into restores values (now(), now());" },
  {
    from: 36,
    text: `
      insert into proposal_passes values ('${id(1)}', '${id(105)}', '\\x01', 1);
      insert into proposal_pass_groups values ('${id(1)}', '${id(105)}', 0, '\\x02');`,
  },
];

function id(number: number): string {
  return `00000000-0000-7000-8000-${String(number).padStart(12, "0")}`;
}

/** Every table of the schema, row by row, as text; what a restore changes on purpose is left out. */
async function contents(db: Db, shapes: Awaited<ReturnType<typeof listTables>>): Promise<object> {
  const all: Record<string, unknown> = {};
  for (const { table, columns } of shapes) {
    const kept = columns.filter((column) => !/^(published_run_id|stale_at)$/.test(column));
    const text = `select ${columnList({ table, columns: kept })} from ${quoted(table)} order by 1, 2`;
    all[table] = await db.query({ text, values: [] });
  }
  return all;
}

/**
 * Two databases for all tests: a new one takes longer than what is tested in it. The old one is migrated one step in
 * each test.
 */
const old = closeAfterTests(await freshDb({ isMigrated: false }));
const restored = closeAfterTests(await freshDb({ isMigrated: false }));

const run = async (db: Db, text: string) => db.execute({ text, values: [] });

async function removeRows(db: Db): Promise<void> {
  const tables = (await listTables(db)).map(({ table }) => quoted(table));
  await run(db, `truncate ${tables.join(", ")}`);
}

let newTables: Awaited<ReturnType<typeof listTables>>;

before(async () => {
  await using fresh = await freshDb();
  newTables = await listTables(fresh);
});

/** Each takes all migrations: with every new one, all of them take longer. The long suite tests them all. */
const isTested = (at: number): boolean => isLong || at % 8 === 0 || at === NAMES.length - 1;

for (const [at, name] of NAMES.entries()) {
  if (!isTested(at)) continue;
  test(`a backup taken when ${name} was the newest migration is restored with every row`, async () => {
    await using folder = await tempDir();
    await run(restored, "drop schema if exists shelfwire cascade");
    const migrations = join(folder.path, "migrations");
    await mkdir(migrations);
    for (const one of NAMES.slice(0, at + 1)) await copyFile(join(FOLDER, one), join(migrations, one));
    await migrate(old, migrations);
    await removeRows(old);
    const version = Number(name.slice(0, 4));
    const etag = version < 50 ? "sha256" : "etag";
    for (const { from, text } of ROWS) if (from <= version) await run(old, text.replace(ETAG, etag));
    const file = join(folder.path, "shop.backup");

    const written = await writeBackup(old, { path: file, notes: {}, overwrite: false });
    const counts = await restoreBackup(restored, file);

    const applied = async (db: Db) => (await listApplied(db)).map(({ name: one }) => one);
    assert.deepEqual(counts, written);
    if (version <= COVERED)
      assert.deepEqual(
        Object.keys(written).filter((table) => written[table] === 0),
        [],
      );
    assert.deepEqual(await applied(restored), NAMES);
    // The tables are those of a new installation, and hold what the old one had.
    assert.deepEqual(await listTables(restored), newTables);
    const columns = new Map((await listTables(restored)).map((shape) => [shape.table, shape.columns]));
    const common = (await listTables(old)).map((shape) => ({
      ...shape,
      columns: shape.columns.filter((column) => columns.get(shape.table)?.includes(column)),
    }));
    assert.deepEqual(await contents(restored, common), await contents(old, common));
    assert.deepEqual(await restored.query({ text: "select published_run_id from catalogs", values: [] }), [
      { publishedRunId: null },
    ]);
  });
}
