import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { freshDb } from "../../test/fresh.ts";
import { AppError } from "../errors.ts";
import { createEncryption } from "../lib/encryption.ts";
import { findCatalog, findCatalogBySlug, listCatalogs } from "../store/catalogs.ts";
import { createCatalog, decryptFeedToken } from "./catalogs.ts";
import { closeAfterTests } from "../../test/close-after.ts";

const ENCRYPTION = createEncryption("a key for tests, long enough to be one");

const db = closeAfterTests(await freshDb());

test("a new catalog has its settings and its own encrypted feed token", async () => {
  const settings = { currency: "EUR", country: "NO", storeUrl: "https://shop.example/" };

  const created = await createCatalog(db, ENCRYPTION, { slug: "first", name: "First & Co", settings });

  const kept = await findCatalog(db, created.id);
  assert.deepEqual(created, { id: kept?.id, slug: "first", name: "First & Co" });
  assert.deepEqual(kept?.settings, settings);
  const token = decryptFeedToken(ENCRYPTION)(kept?.feedTokenEncrypted ?? Buffer.alloc(0));
  assert.match(token, /^[0-9A-Za-z]{32}$/);
  const [row] = await db.query<{ feedTokenHash: Buffer }>({
    text: "select feed_token_hash from catalogs where id = $1",
    values: [created.id],
  });
  assert.deepEqual(row?.feedTokenHash, createHash("sha256").update(token).digest());
  assert.throws(() =>
    decryptFeedToken(createEncryption("another key, just as long as the first"))(
      kept?.feedTokenEncrypted ?? Buffer.alloc(0),
    ),
  );
});

test("a slug can be used once", async () => {
  await createCatalog(db, ENCRYPTION, { slug: "taken", name: "One", settings: { currency: "USD" } });

  await assert.rejects(
    createCatalog(db, ENCRYPTION, { slug: "taken", name: "Two", settings: { currency: "USD" } }),
    (error) => error instanceof AppError && error.code === "conflict",
  );
  assert.equal((await findCatalogBySlug(db, "taken"))?.name, "One");
});

test("all problems are reported at once, and nothing is created", async () => {
  const before = (await listCatalogs(db)).length;

  await assert.rejects(
    createCatalog(db, ENCRYPTION, {
      slug: "Not a slug",
      name: " ",
      settings: { currency: "BITCOIN", country: "us", storeUrl: "ftp://shop.example", termsUrl: "terms" },
    }),
    (error) => {
      assert.ok(error instanceof AppError);
      assert.equal(error.code, "invalid_request");
      assert.deepEqual(
        error.fields.map(({ pointer }) => pointer),
        ["slug", "name", "currency", "country", "storeUrl", "termsUrl"],
      );
      for (const { pointer } of error.fields) assert.ok(error.message.includes(pointer));
      return true;
    },
  );
  assert.equal((await listCatalogs(db)).length, before);
});

test("a slug needs no escaping in a URL: lowercase letters, digits, and single dashes between them", async () => {
  const slugs = ["a", "0", "shop-1", "a-b-c", "x".repeat(63)];
  const others = ["", "-a", "a-", "a--b", "A", "ä", "a b", "a/b", "a.b", "x".repeat(64), "a\n"];
  await Promise.all([
    ...slugs.map(async (slug) =>
      createCatalog(db, ENCRYPTION, { slug, name: "Shop", settings: { currency: "USD" } }),
    ),
    ...others.map(async (slug) =>
      assert.rejects(
        createCatalog(db, ENCRYPTION, { slug, name: "Shop", settings: { currency: "USD" } }),
        JSON.stringify(slug),
      ),
    ),
  ]);
});

test("every accepted slug needs no escaping", async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ maxLength: 8 }), async (slug) => {
      const isMade = await createCatalog(db, ENCRYPTION, {
        slug,
        name: "Shop",
        settings: { currency: "USD" },
      }).then(
        () => true,
        (error: unknown) => error instanceof AppError && error.code === "conflict",
      );
      return !isMade || (slug !== "" && encodeURIComponent(slug) === slug && slug === slug.toLowerCase());
    }),
    { numRuns: 60 },
  );
});
