import assert from "node:assert/strict";
import { test } from "node:test";
import { freshDb } from "../../test/fresh.ts";
import { seedCatalog } from "../../test/seed.ts";
import { parseKey } from "../lib/api-key.ts";
import { createEncryption } from "../lib/encryption.ts";
import { findCatalogBySlug, listCatalogs } from "../store/catalogs.ts";
import { findLiveKey, listKeys } from "../store/keys.ts";
import { findSource } from "../store/sources.ts";
import { createDemo, DEMO_SLUG } from "./demo.ts";

const ENCRYPTION = createEncryption("a key for tests, long enough to be one");

const DEMO = { intervalS: 3_600, showsKey: true };

test("an empty installation gets a demo catalog with a source and a working key, once", async () => {
  await using db = await freshDb();

  const demo = await createDemo(db, ENCRYPTION, DEMO);
  const again = await createDemo(db, ENCRYPTION, DEMO);

  assert.equal(again, undefined);
  assert.equal((await findCatalogBySlug(db, DEMO_SLUG))?.id, demo?.catalogId);
  const source = await findSource(db, demo?.sourceId ?? "");
  assert.deepEqual([source?.catalogId, source?.intervalS], [demo?.catalogId, 3_600]);
  assert.match(source?.settings["url"] ?? "", /^sample:/);
  const key = await findLiveKey(db, parseKey(demo?.key ?? "") ?? "");
  assert.deepEqual([key?.catalogId, key?.scopes], [demo?.catalogId, ["read", "write"]]);
});

test("a demo whose key cannot be shown has none", async () => {
  await using db = await freshDb();

  const demo = await createDemo(db, ENCRYPTION, { ...DEMO, showsKey: false });

  assert.equal(demo?.key, null);
  assert.deepEqual(await listKeys(db, demo?.catalogId ?? ""), []);
});

test("an installation that has a catalog gets no demo", async () => {
  await using db = await freshDb();
  await seedCatalog(db);

  assert.equal(await createDemo(db, ENCRYPTION, DEMO), undefined);

  assert.equal((await listCatalogs(db)).length, 1);
});
