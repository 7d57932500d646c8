import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { freshDb } from "../../test/fresh.ts";
import { seedCatalog } from "../../test/seed.ts";
import { newId } from "../lib/id.ts";
import { insertKey } from "../store/keys.ts";
import { insertSource } from "../store/sources.ts";
import { insertEndpoint } from "../webhooks/endpoints.sql.ts";
import { CATALOG_LIMITS } from "./limits.ts";

const MOST = 5;

test("sources, keys and webhooks of a catalog are limited exactly, also if created concurrently", async () => {
  await using db = await freshDb();
  const catalogId = await seedCatalog(db);
  const secret = Buffer.alloc(32);
  const makers = {
    source: async () => {
      const settings = { kind: "feed_url", name: "Feed", settings: {}, secretsEncrypted: null };
      const row = { id: newId(), catalogId, ...settings, intervalS: 3_600, maxRemovedRatio: 0.5 };
      return insertSource(db, row, MOST);
    },
    key: async () => {
      const row = { id: newId(), catalogId, name: "Key", handle: newId(), secretHash: secret };
      return insertKey(db, { ...row, scopes: ["read"], expiresAt: null }, MOST);
    },
    webhook: async () => {
      const row = { id: newId(), catalogId, url: "https://hooks.example/", events: [] };
      return insertEndpoint(db, { ...row, secretEncrypted: secret, createdAt: new Date() }, MOST);
    },
  };

  for (const [what, make] of Object.entries(makers)) {
    const made = await Promise.all(Array.from({ length: 30 }, make));
    assert.equal(made.filter(Boolean).length, MOST, what);
  }
});

test("the page on limits has the numbers of the table", async () => {
  const page = await readFile(new URL("../../docs/limits.md", import.meta.url), "utf8");
  const { sources, keys, webhooks } = CATALOG_LIMITS;
  assert.match(page, new RegExp(`\\| Sources \\| ${sources.toLocaleString("en-US")} \\|`));
  assert.match(page, new RegExp(`\\| API keys [^|]* \\| ${keys} \\|`));
  assert.match(page, new RegExp(`\\| Webhooks \\| ${webhooks} \\|`));
});
