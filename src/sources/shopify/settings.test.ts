import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parseMetafields } from "./metafields.ts";
import { checkShopify, parseSettings, SHOPIFY_FIELDS, shopDomain } from "./settings.ts";

const good = { shop: "my-shop", access_token: "shpat_1" };

test("a shop can be entered as its name, its domain, or an address of it or of its admin", () => {
  const typed = [
    "my-shop",
    "My-Shop ",
    "my-shop.myshopify.com",
    "https://my-shop.myshopify.com",
    "https://my-shop.myshopify.com/admin/products?x=1",
    "https://admin.shopify.com/store/my-shop/settings",
    "admin.shopify.com/store/my-shop",
  ];

  for (const text of typed) assert.equal(shopDomain(text), "my-shop.myshopify.com", text);
});

test("the token is sent only to a name under myshopify.com", () => {
  const refused = [
    "www.my-shop.com",
    "my-shop.myshopify.com.evil.example",
    "evil.example/my-shop.myshopify.com",
    "https://user:pass@my-shop.myshopify.com",
    "my-shop.myshopify.com:8443",
    "-shop",
    "my_shop",
    "admin.shopify.com",
    "ftp://my-shop.myshopify.com",
    "",
  ];

  for (const text of refused) assert.equal(shopDomain(text), null, text);
  fc.assert(
    fc.property(fc.string(), (text) => {
      const domain = shopDomain(text);
      assert.ok(domain === null || /^[a-z0-9][a-z0-9-]*\.myshopify\.com$/.test(domain));
    }),
  );
});

const wrong: Readonly<Record<string, [Record<string, string>, string]>> = {
  "a shop's public domain": [{ ...good, shop: "www.my-shop.com" }, "shop"],
  "no credentials": [{ shop: "my-shop" }, "access_token"],
  "two kinds of credentials": [{ ...good, client_id: "a", client_secret: "b" }, "access_token"],
  "a token with a line break": [{ ...good, access_token: "shpat_1\nx" }, "access_token"],
  "a client id without its secret": [{ shop: "my-shop", client_id: "a" }, "client_secret"],
  "a client secret without its id": [{ shop: "my-shop", client_secret: "a" }, "client_id"],
  "a country that does not exist": [{ ...good, country: "Germany" }, "country"],
  "products outside the Online Store without a template": [{ ...good, published_only: "no" }, "url_template"],
  "a template without a placeholder": [{ ...good, url_template: "https://shop.example/" }, "url_template"],
  "a template that is no address": [{ ...good, url_template: "shop.example/{handle}" }, "url_template"],
  "a metafield rule that cannot be read": [{ ...good, metafields: "mpn: custom.mpn" }, "metafields"],
  "an unknown field": [{ ...good, metafields: "price = custom.price" }, "metafields"],
  "an API address with a password": [{ ...good, base_url: "https://a:b@proxy.example" }, "base_url"],
  "an API address that is none": [{ ...good, base_url: "proxy.example" }, "base_url"],
};

for (const [what, [settings, setting]] of Object.entries(wrong)) {
  test(`${what} is refused with the name of the setting`, () => {
    assert.deepEqual(
      checkShopify(settings).map((problem) => problem.setting),
      [setting],
    );
  });
}

test("valid settings are parsed", () => {
  const settings = {
    shop: "my-shop",
    client_id: "id",
    client_secret: "secret",
    published_only: "no",
    include_unlisted: "yes",
    country: "de",
    url_template: "https://shop.example/{handle}",
    metafields: "mpn = custom.part_number",
    base_url: "https://proxy.example/shop/",
  };

  assert.deepEqual(checkShopify(settings), []);
  assert.deepEqual(parseSettings(settings), {
    origin: "https://proxy.example/shop",
    credentials: { kind: "app", clientId: "id", clientSecret: "secret" },
    publishedOnly: false,
    includeUnlisted: true,
    country: "DE",
    urlTemplate: "https://shop.example/{handle}",
    metafields: [
      { field: "mpn", namespace: "custom", key: "part_number", isOfVariant: true, alias: "metafield0" },
    ],
  });
  assert.equal(parseSettings(good).origin, "https://my-shop.myshopify.com");
});

test("secrets are marked as such, and every field has a label and a help text", () => {
  const secrets = SHOPIFY_FIELDS.filter(({ secret }) => secret).map(({ name }) => name);

  assert.deepEqual(secrets, ["access_token", "client_secret", "api_secret"]);
  for (const { label, help } of SHOPIFY_FIELDS) assert.ok(label !== "" && help.length > 20);
});

test("a namespace alone stands for the attributes of the Google channel, and none for nothing", () => {
  const google = parseMetafields("mm-google-shopping");
  const none = parseMetafields("none");

  assert.ok(typeof google !== "string");
  assert.ok(google.some(({ field, key }) => field === "googleCategory" && key === "google_product_category"));
  assert.ok(google.every(({ namespace }) => namespace === "mm-google-shopping"));
  assert.deepEqual(none, []);
});

test("more metafields than a query may have are refused", () => {
  assert.equal(typeof parseMetafields("one, two, three"), "string");
});
