import assert from "node:assert/strict";
import { test } from "node:test";
import type { SourceKind } from "../sources/registry.ts";
import { movedSecrets } from "./moved-secrets.ts";

type Settings = Readonly<Record<string, string>>;

const secrets = { password: "hush", headers: "X-Token: battery" };

/** Empty texts clear a setting, as in an edit after its check. */
function pointers(kind: SourceKind, before: Settings, edit: Settings): readonly string[] {
  const after = Object.fromEntries(Object.entries({ ...before, ...edit }).filter(([, text]) => text !== ""));
  return movedSecrets({ kind, before, after, secrets, edit }).map(({ pointer }) => pointer);
}

const BOTH = ["/settings/password", "/settings/headers"];
const AT_SHOP = { url: "https://shop.example/a.csv" };
const PROXY = "http://127.0.0.1:8099/shopify";

const STAYING: readonly (readonly [SourceKind, Settings, Settings])[] = [
  ["feed_url", AT_SHOP, { url: "https://shop.example/b.csv?page=2" }],
  ["feed_url", AT_SHOP, { url: " https://SHOP.example:443/" }],
  ["feed_url", AT_SHOP, { format: "csv", username: "jane.doe" }],
  ["feed_url", AT_SHOP, { store_url: "https://elsewhere.example" }],
  ["woocommerce", { url: "https://shop.example" }, { url: "https://shop.example/store" }],
  ["shopify", { shop: "kiln" }, { shop: "https://kiln.myshopify.com/" }],
  ["shopify", { shop: "kiln" }, { shop: "https://admin.shopify.com/store/kiln" }],
  ["shopify", { shop: "kiln", base_url: PROXY }, { shop: "other" }],
  ["shopify", { shop: "kiln", base_url: PROXY }, { base_url: "http://127.0.0.1:8099/v2" }],
  ["bigcommerce", { store_hash: "abc123" }, { store_hash: "def456" }],
  ["bigcommerce", { store_hash: "abc123" }, { storefront_url: "https://elsewhere.example" }],
];

test("secrets are kept if the source changes to another path on the same host", () => {
  for (const [kind, before, edit] of STAYING) {
    assert.deepEqual(pointers(kind, before, edit), [], `${kind} ${JSON.stringify(edit)}`);
  }
});

const MOVING: readonly (readonly [SourceKind, Settings, Settings])[] = [
  ["feed_url", AT_SHOP, { url: "https://elsewhere.example/a.csv" }],
  ["feed_url", AT_SHOP, { url: "http://shop.example/a.csv" }],
  ["feed_url", AT_SHOP, { url: "https://shop.example:8443/a.csv" }],
  ["woocommerce", { url: "https://shop.example" }, { url: "https://elsewhere.example" }],
  ["shopify", { shop: "one" }, { shop: "two" }],
  ["shopify", { shop: "one" }, { base_url: PROXY }],
  ["shopify", { shop: "one", base_url: PROXY }, { base_url: "https://elsewhere.example" }],
  ["shopify", { shop: "one", base_url: PROXY }, { base_url: "" }],
  ["bigcommerce", { store_hash: "abc123" }, { base_url: "https://elsewhere.example" }],
  ["bigcommerce", { store_hash: "abc123", base_url: PROXY }, { base_url: "" }],
];

test("secrets are not kept if any setting leads to another host", () => {
  for (const [kind, before, edit] of MOVING) {
    assert.deepEqual(pointers(kind, before, edit), BOTH, `${kind} ${JSON.stringify(edit)}`);
  }
});

test("secrets that are entered again or cleared are no problem; all others are named", () => {
  const url = "https://elsewhere.example/";

  assert.deepEqual(pointers("feed_url", AT_SHOP, { url, password: "new", headers: "" }), []);
  assert.deepEqual(pointers("feed_url", AT_SHOP, { url, password: "new" }), ["/settings/headers"]);
  const move = { before: AT_SHOP, after: { url }, secrets: {}, edit: { url } };
  assert.deepEqual(movedSecrets({ kind: "feed_url", ...move }), []);
});
