import assert from "node:assert/strict";
import { test } from "node:test";
import { BIGCOMMERCE_FIELDS, checkBigCommerce, parseSettings } from "./settings.ts";
import { assertCases } from "../../../test/assert-cases.ts";

const good = { store_hash: "abc123", access_token: "s3cret" };

function wrong(settings: Record<string, string>): string[] {
  return checkBigCommerce({ ...good, ...settings }).map(({ setting }) => setting);
}

test("the store hash can be entered alone or as the API path of the control panel", () => {
  const spellings = [
    "abc123",
    "ABC123",
    "stores/abc123",
    "/stores/abc123/v3/",
    "https://api.bigcommerce.com/stores/abc123/v3/",
    "https://api.bigcommerce.com/stores/abc123/v2",
    "https://api.bigcommerce.com/stores/abc123/",
  ];

  for (const store_hash of spellings) {
    assert.deepEqual(wrong({ store_hash }), [], store_hash);
    assert.equal(
      parseSettings({ ...good, store_hash }).apiUrl,
      "https://api.bigcommerce.com/stores/abc123/",
      store_hash,
    );
  }
});

test("an invalid store hash is refused before any request", () => {
  for (const store_hash of [
    "abc",
    "my-shop.mybigcommerce.com",
    "abc123/../../x",
    "abc 123",
    "https://evil.example/abc123",
  ])
    assert.deepEqual(wrong({ store_hash }), ["store_hash"], store_hash);
});

test("every setting is checked, and the problem names it", () => {
  assertCases(wrong, [
    [{}, []],
    [{ access_token: "with space" }, ["access_token"]],
    [{ access_token: "line\nbreak" }, ["access_token"]],
    [{ channel_id: "0" }, ["channel_id"]],
    [{ channel_id: "one" }, ["channel_id"]],
    [{ channel_id: "667159" }, []],
    [{ storefront_url: "shop.example" }, ["storefront_url"]],
    [{ storefront_url: "https://shop.example/" }, []],
    [{ storefront_url: "https://user:pass@shop.example" }, ["storefront_url"]],
    [{ storefront_url: "https://shop.example/?a=1" }, ["storefront_url"]],
    [{ base_url: "http://proxy.example" }, ["base_url"]],
    [{ base_url: "https://proxy.example/bc" }, []],
    [{ base_url: "http://127.0.0.1:8080" }, []],
    [{ base_url: "ftp://proxy.example" }, ["base_url"]],
  ]);
});

test("missing settings are reported by the field table only", () => {
  assert.deepEqual(checkBigCommerce({}), []);
});

test("only the token is a secret, and every field has a help text", () => {
  const secrets = BIGCOMMERCE_FIELDS.filter(({ secret }) => secret).map(({ name }) => name);

  assert.deepEqual(secrets, ["access_token"]);
  for (const { name, label, help } of BIGCOMMERCE_FIELDS)
    assert.ok(label.length > 2 && help.endsWith("."), name);
});
