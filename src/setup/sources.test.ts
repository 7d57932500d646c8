import assert from "node:assert/strict";
import { test } from "node:test";
import { runsOf } from "../../test/actions.ts";
import { freshDb } from "../../test/fresh.ts";
import { seedCatalog } from "../../test/seed.ts";
import { AppError } from "../errors.ts";
import { newId } from "../lib/id.ts";
import { createEncryption } from "../lib/encryption.ts";
import { findSource, saveRead, listSources } from "../store/sources.ts";
import {
  addSource,
  newSettingsToTry,
  decryptSecrets,
  removeSource,
  settingsToTry,
  updateSource,
} from "./sources.ts";
import type { SourceInput } from "./sources.ts";
import { closeAfterTests } from "../../test/close-after.ts";

const ENCRYPTION = createEncryption("a key for tests, long enough to be one");
const FEED = "https://shop.example/feed.csv";

const db = closeAfterTests(await freshDb());

async function input(more: Partial<SourceInput> = {}): Promise<SourceInput> {
  return {
    catalogId: await seedCatalog(db),
    kind: "feed_url",
    settings: { url: FEED },
    intervalS: 3_600,
    ...more,
  };
}

test("secrets are stored encrypted, and decrypted only for a read", async () => {
  const settings = { url: FEED, username: "shop", password: "correct horse", headers: "X-Token: battery" };

  const { id, kind } = await addSource(db, ENCRYPTION, await input({ settings }));

  const kept = await findSource(db, id);
  assert.equal(kind, "feed_url");
  assert.deepEqual(kept?.settings, { url: FEED, format: "auto", username: "shop" });
  assert.deepEqual(decryptSecrets(ENCRYPTION)(kept?.secretsEncrypted ?? null), {
    password: "correct horse",
    headers: "X-Token: battery",
  });
  const [row] = await db.query<{ all: string }>({
    text: "select to_jsonb(sources)::text as all from sources where id = $1",
    values: [id],
  });
  assert.doesNotMatch(row?.all ?? "correct horse", /correct horse|battery/);
});

test("a source without secrets has nothing to decrypt", async () => {
  const { id } = await addSource(db, ENCRYPTION, await input());

  const kept = await findSource(db, id);
  assert.equal(kept?.secretsEncrypted, null);
  assert.deepEqual(decryptSecrets(ENCRYPTION)(null), {});
});

test("by default a source is named after its kind, may lose half of its items, and is due at once", async () => {
  const usual = await findSource(db, (await addSource(db, ENCRYPTION, await input())).id);
  const set = await findSource(
    db,
    (await addSource(db, ENCRYPTION, await input({ name: "Outlet", maxRemovedRatio: 0.1 }))).id,
  );

  assert.deepEqual([usual?.name, usual?.maxRemovedRatio], ["shop.example", 0.5]);
  assert.ok((usual?.nextSyncAt?.getTime() ?? Infinity) <= Date.now() + 1);
  assert.deepEqual([set?.name, set?.maxRemovedRatio], ["Outlet", 0.1]);
});

const refused: readonly { title: string; more: Partial<SourceInput>; says: RegExp }[] = [
  { title: "of an unknown kind", more: { kind: "carrier_pigeon" }, says: /carrier_pigeon.*feed_url/ },
  { title: "of a kind named like a built-in property", more: { kind: "toString" }, says: /toString/ },
  { title: "without a required setting", more: { settings: {} }, says: /url: Is required/ },
  { title: "with an unknown setting", more: { settings: { url: FEED, colour: "red" } }, says: /colour/ },
  { title: "with a ratio above 1", more: { maxRemovedRatio: 1.1 }, says: /max_removed_ratio/ },
  { title: "with a negative ratio", more: { maxRemovedRatio: -0.1 }, says: /max_removed_ratio/ },
  {
    title: "with a ratio that is no number",
    more: { maxRemovedRatio: Number.NaN },
    says: /max_removed_ratio/,
  },
];
for (const { title, more, says } of refused) {
  test(`a source ${title} is refused, and nothing is added`, async () => {
    const wrong = await input(more);

    await assert.rejects(
      addSource(db, ENCRYPTION, wrong),
      (error) =>
        error instanceof AppError && error.code === "source_settings_invalid" && says.test(error.message),
    );
    assert.deepEqual(await listSources(db, wrong.catalogId), []);
  });
}

test("all problems of a source are reported at once, with the names of the settings", async () => {
  const wrong = await input({ settings: { format: "paper", password: "x", url: "ftp://shop.example/f" } });

  await assert.rejects(addSource(db, ENCRYPTION, wrong), (error) => {
    assert.ok(error instanceof AppError);
    assert.deepEqual(error.fields.map(({ pointer }) => pointer).sort(), [
      "/settings/format",
      "/settings/url",
      "/settings/username",
    ]);
    return true;
  });
});

async function sourceOfThreeItems(): Promise<{ id: string; catalogId: string }> {
  const source = await input();
  const { catalogId } = source;
  const { id } = await addSource(db, ENCRYPTION, source);
  await db.execute({
    text: `insert into items (catalog_id, id, source_id, fingerprint, sort_key, body)
           select $1, n::text, $2, '\\x00', n::text, '{}' from generate_series(1, 3) n`,
    values: [catalogId, id],
  });
  return { id, catalogId };
}

test("removing a source removes its items and renders the feeds without them", async () => {
  const { id, catalogId } = await sourceOfThreeItems();

  assert.deepEqual(await removeSource(db, id, "remove"), { removed: 3, kept: 0, runId: null });

  assert.equal(await findSource(db, id), undefined);
  assert.deepEqual(
    (await runsOf(db, catalogId)).map(({ kind, cause }) => ({ kind, cause })),
    [{ kind: "render", cause: "removal" }],
  );
});

test("removing a source can keep its items, without a source, and the feeds unchanged", async () => {
  const { id, catalogId } = await sourceOfThreeItems();

  assert.deepEqual(await removeSource(db, id, "keep"), { removed: 0, kept: 3, runId: null });

  assert.equal(await findSource(db, id), undefined);
  assert.deepEqual(await runsOf(db, catalogId), []);
  const owners = await db.query<{ owner: string | null }>({
    text: "select source_id as owner from items where catalog_id = $1",
    values: [catalogId],
  });
  assert.deepEqual(owners, [{ owner: null }, { owner: null }, { owner: null }]);
});

test("a source that does not exist cannot be removed", async () => {
  await assert.rejects(
    removeSource(db, newId()),
    (error) => error instanceof AppError && error.code === "unknown_source",
  );
});

test("a change of a source keeps the other settings and secrets, and forces a full read", async () => {
  await using db = await freshDb();
  const catalogId = await seedCatalog(db);
  const settings = { url: "https://shop.example/a.csv", username: "me", password: "hush" };
  const { id } = await addSource(db, ENCRYPTION, { catalogId, kind: "feed_url", settings, intervalS: 3_600 });
  await saveRead(db, id, { validators: { etag: "x" } });
  const before = await findSource(db, id);
  assert.ok(before);

  await updateSource(db, ENCRYPTION, before, {
    settings: { url: "https://shop.example/b.csv" },
    maxRemovedRatio: 1,
    enabled: false,
  });

  const after = await findSource(db, id);
  assert.ok(after);
  assert.equal(after.settings["url"], "https://shop.example/b.csv");
  assert.equal(decryptSecrets(ENCRYPTION)(after.secretsEncrypted)["password"], "hush");
  assert.deepEqual(
    [after.maxRemovedRatio, after.enabled, after.intervalS, after.validators],
    [1, false, 3_600, null],
  );
});

test("a wrong change of a source changes nothing", async () => {
  await using db = await freshDb();
  const catalogId = await seedCatalog(db);
  const settings = { url: "https://shop.example/a.csv" };
  const { id } = await addSource(db, ENCRYPTION, { catalogId, kind: "feed_url", settings, intervalS: 3_600 });
  const before = await findSource(db, id);
  assert.ok(before);

  await assert.rejects(updateSource(db, ENCRYPTION, before, { settings: { url: "" } }), {
    code: "source_settings_invalid",
  });
  await assert.rejects(updateSource(db, ENCRYPTION, before, { maxRemovedRatio: 2 }), {
    code: "source_settings_invalid",
  });

  assert.deepEqual(await findSource(db, id), before);
});

test("a source that is enabled is due at once; one that was enabled keeps its due time", async () => {
  const { id } = await addSource(db, ENCRYPTION, await input({ enabled: false }));
  await db.execute({
    text: "update sources set next_sync_at = now() + interval '30 minutes' where id = $1",
    values: [id],
  });
  const change = async (enabled: boolean) => {
    const source = await findSource(db, id);
    assert.ok(source);
    await updateSource(db, ENCRYPTION, source, { enabled });
    return (await findSource(db, id))?.nextSyncAt?.getTime() ?? 0;
  };

  const off = await change(false);
  const on = await change(true);
  const still = await change(true);

  assert.ok(off > Date.now() + 1_000_000);
  assert.ok(on <= Date.now() + 1_000);
  assert.equal(still, on);
});

test("a new interval counts from the last automatic sync, and a source that is due stays due", async () => {
  const { id } = await addSource(db, ENCRYPTION, await input({ intervalS: 21_600 }));
  /**
   * Seconds until the next sync, which began `ago` before and has the usual interval, after a change to `intervalS`.
   */
  const dueIn = async (ago: string, intervalS: number) => {
    await db.execute({
      text: "update sources set interval_s = 21600, next_sync_at = now() + interval '6 hours' - $2::interval where id = $1",
      values: [id, ago],
    });
    const source = await findSource(db, id);
    assert.ok(source);
    await updateSource(db, ENCRYPTION, source, { intervalS });
    const now = await db.first<{ seconds: number }>({
      text: "select extract(epoch from next_sync_at - now())::float as seconds from sources where id = $1",
      values: [id],
    });
    return Math.round((now?.seconds ?? Number.NaN) / 60) * 60 + 0;
  };

  assert.equal(await dueIn("2 hours", 10_800), 3_600);
  assert.equal(await dueIn("2 hours", 86_400), 22 * 3_600);
  assert.equal(await dueIn("2 hours", 21_600), 4 * 3_600);
  assert.equal(await dueIn("2 hours", 3_600), 0, "it is due at once");
  assert.ok((await dueIn("7 hours", 86_400)) < 0, "it stays due");
});

test("a test uses the settings that would be stored, with secrets", async () => {
  const settings = { url: FEED, username: "me", password: "hush" };
  const source = await findSource(db, (await addSource(db, ENCRYPTION, await input({ settings }))).id);
  assert.ok(source);

  assert.deepEqual(settingsToTry(ENCRYPTION, source), { ...settings, format: "auto" });
  assert.deepEqual(settingsToTry(ENCRYPTION, source, { url: `${FEED}?a`, password: "new" }), {
    url: `${FEED}?a`,
    format: "auto",
    username: "me",
    password: "new",
  });
  assert.throws(() => settingsToTry(ENCRYPTION, source, { url: "https://other.example/" }), {
    code: "source_settings_invalid",
  });
  assert.deepEqual(newSettingsToTry("feed_url", { url: FEED }), { url: FEED, format: "auto" });
});

test("a source's secrets are not kept for another shop's host, nor from a proxy to the vendor", async () => {
  const settings = { shop: "one", access_token: "shpat_0123456789abcdef0123456789abcdef" };
  const { id } = await addSource(db, ENCRYPTION, await input({ kind: "shopify", settings }));
  const base_url = "http://127.0.0.1:8099";
  const change = async (edit: Readonly<Record<string, string>>) => {
    const source = await findSource(db, id);
    assert.ok(source);
    await updateSource(db, ENCRYPTION, source, { settings: edit });
  };
  const refused = {
    code: "source_settings_invalid",
    message: /access_token: Enter it again.*is not sent to https:\/\/(one|two)\.myshopify\.com/,
  };

  await assert.rejects(change({ shop: "two" }), refused);
  await change({ base_url, access_token: settings.access_token });
  await assert.rejects(change({ base_url: "" }), refused);
  await change({ shop: "two" });

  assert.deepEqual((await findSource(db, id))?.settings["shop"], "two");
});

test("sources without a name are named by their host, then by the path of the feed, then by a number", async () => {
  const catalogId = await seedCatalog(db);
  const urls = [
    "https://shop.example/de.csv?token=secret",
    "https://shop.example/fr.csv?token=secret",
    "https://shop.example/fr.csv",
    "https://shop.example/fr.csv",
    `https://shop.example/${"x".repeat(100)}.csv`,
    "https://shop.example:8443/",
    "https://shop.example:8443/",
  ];
  for (const url of urls) await addSource(db, ENCRYPTION, await input({ catalogId, settings: { url } }));
  const shopify = { shop: "kiln.myshopify.com", access_token: "shpat_0123456789abcdef0123456789abcdef" };
  await addSource(db, ENCRYPTION, await input({ catalogId, kind: "shopify", settings: shopify }));

  const names = (await listSources(db, catalogId)).map(({ name }) => name);

  assert.deepEqual(names, [
    "shop.example",
    "shop.example/fr.csv",
    "shop.example/fr.csv 2",
    "shop.example/fr.csv 3",
    "shop.example 2",
    "shop.example:8443",
    "shop.example:8443 2",
    "kiln.myshopify.com",
  ]);
});
