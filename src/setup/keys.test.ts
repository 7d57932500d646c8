import assert from "node:assert/strict";
import { test } from "node:test";
import { freshDb } from "../../test/fresh.ts";
import { seedCatalog } from "../../test/seed.ts";
import { AppError } from "../errors.ts";
import { hashKey, parseKey } from "../lib/api-key.ts";
import { findLiveKey, listKeys } from "../store/keys.ts";
import { createKey } from "./keys.ts";
import { closeAfterTests } from "../../test/close-after.ts";

const db = closeAfterTests(await freshDb());
const catalogId = await seedCatalog(db);

test("a key is shown once: only its handle and hash are stored", async () => {
  const { id, key, scopes } = await createKey(db, {
    catalogId,
    name: "shop",
    scopes: ["read"],
    expiresAt: null,
  });

  const kept = await findLiveKey(db, parseKey(key) ?? "");
  assert.equal(kept?.id, id);
  assert.deepEqual(kept?.secretHash, hashKey(key));
  assert.deepEqual(scopes, ["read"]);
  const [row] = await db.query<{ all: string }>({
    text: "select to_jsonb(api_keys)::text as all from api_keys where id = $1",
    values: [id],
  });
  const secret = key.split("_")[2] ?? key;
  assert.equal(row?.all.includes(secret), false);
});

test("scopes are stored in one order, without duplicates", async () => {
  const scopesOf = async (scopes: readonly string[]) =>
    (await createKey(db, { catalogId, name: "n", scopes, expiresAt: null })).scopes;

  assert.deepEqual(await scopesOf(["write", "read"]), ["read", "write"]);
  assert.deepEqual(await scopesOf(["admin", "write", "read"]), ["read", "write", "admin"]);
  assert.deepEqual(await scopesOf(["write", "write"]), ["write"]);
});

const refused = [
  { title: "without a scope", scopes: [], expiresAt: null, says: /none/ },
  { title: "with an unknown scope", scopes: ["read", "owner"], expiresAt: null, says: /owner/ },
  { title: "that has expired already", scopes: ["read"], expiresAt: new Date(0), says: /future/ },
  { title: "with an invalid expiry", scopes: ["read"], expiresAt: new Date("soon"), says: /future/ },
];
for (const { title, scopes, expiresAt, says } of refused) {
  test(`a key ${title} is refused`, async () => {
    const before = (await listKeys(db, catalogId)).length;

    await assert.rejects(
      createKey(db, { catalogId, name: "n", scopes, expiresAt }),
      (error) => error instanceof AppError && error.code === "invalid_request" && says.test(error.message),
    );
    assert.equal((await listKeys(db, catalogId)).length, before);
  });
}
