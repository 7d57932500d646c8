/** Rows for tests: a catalog, a source, a queued run. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { newId } from "../src/lib/id.ts";
import { insertCatalog } from "../src/store/catalogs.ts";
import type { Db } from "../src/store/db.ts";
import { enqueueRun } from "../src/store/runs.ts";
import type { NewRun } from "../src/store/runs.ts";
import { insertSource } from "../src/store/sources.ts";

export async function seedCatalog(db: Db): Promise<string> {
  const id = newId();
  await insertCatalog(db, {
    id,
    slug: `shop-${randomBytes(4).toString("hex")}`,
    name: "Shop",
    settings: {},
    feedTokenHash: randomBytes(32),
    feedTokenEncrypted: randomBytes(32),
  });
  return id;
}

export async function seedSource(db: Db, catalogId: string): Promise<string> {
  const id = newId();
  const isInserted = await insertSource(db, {
    id,
    catalogId,
    kind: "feed_url",
    name: "Feed",
    settings: { url: "https://shop.example/feed.csv" },
    secretsEncrypted: null,
    intervalS: 21_600,
    maxRemovedRatio: 0.5,
  });
  assert.ok(isInserted);
  return id;
}

export async function seedRun(db: Db, catalogId: string, more: Partial<NewRun> = {}): Promise<string> {
  const id = newId();
  await enqueueRun(db, { id, catalogId, sourceId: null, kind: "sync", cause: "request", ...more });
  return id;
}
