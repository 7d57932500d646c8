import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { routeCall } from "./client.ts";
import { preferredSite } from "./connect.ts";
import { checkWoo, siteOf } from "./settings.ts";

const good = { url: "https://shop.example", consumer_key: "ck_1", consumer_secret: "cs_2" };
const problemsOf = (settings: Record<string, string>): string[] =>
  checkWoo({ ...good, ...settings }).map(({ setting }) => setting);

describe("the settings of a shop", () => {
  test("are valid with a key and its secret, or with neither", () => {
    assert.deepEqual(problemsOf({}), []);
    assert.deepEqual(problemsOf({ consumer_key: "", consumer_secret: "" }), []);
    assert.deepEqual(problemsOf({ url: "http://10.0.0.7/shop" }), []);
  });

  test("say which of key and secret is missing, swapped or misentered", () => {
    assert.deepEqual(problemsOf({ consumer_secret: "" }), ["consumer_secret"]);
    assert.deepEqual(problemsOf({ consumer_key: "" }), ["consumer_key"]);
    assert.deepEqual(problemsOf({ consumer_key: "cs_2", consumer_secret: "ck_1" }), [
      "consumer_key",
      "consumer_secret",
    ]);
    assert.deepEqual(problemsOf({ consumer_key: "ck_1 with a space" }), ["consumer_key"]);
  });

  test("need a whole web address without a password in it", () => {
    for (const url of ["", "shop.example", "ftp://shop.example", "https://me:pw@shop.example"]) {
      assert.deepEqual(problemsOf({ url }), ["url"]);
    }
  });
});

describe("the address of a shop", () => {
  test("is the folder of WordPress, whatever address was pasted", () => {
    for (const pasted of [
      "",
      "/",
      "/wp-admin/edit.php",
      "/wp-json",
      "/wp-json/wc/v3/products?x=1",
      "/index.php",
      "?a=b#c",
    ]) {
      assert.equal(siteOf(`https://shop.example/store${pasted}`), "https://shop.example/store");
    }
    assert.equal(siteOf("https://shop.example/"), "https://shop.example");
  });

  test("leads to a route by path, or by query with plain permalinks", () => {
    const site = "https://shop.example/store";

    assert.deepEqual(routeCall({ kind: "pretty", site }, "wc/v3/products", { a: 1 }), {
      url: `${site}/wp-json/wc/v3/products`,
      query: { a: 1 },
    });
    assert.deepEqual(routeCall({ kind: "plain", site }, "wc/v3/products", { a: 1 }), {
      url: `${site}/`,
      query: { rest_route: "/wc/v3/products", a: 1 },
    });
  });

  const SHOP = "https://shop.example";
  /** The key is never sent to another host. */
  const sites = [
    [SHOP, "https://www.shop.example", "https://www.shop.example"],
    ["http://shop.example", "https://shop.example/", SHOP],
    [SHOP, "http://shop.example", SHOP],
    [SHOP, "https://elsewhere.example", SHOP],
    ["http://10.0.0.7:8080", SHOP, "http://10.0.0.7:8080"],
    [SHOP, undefined, SHOP],
    [SHOP, "no address", SHOP],
  ] as const;
  for (const [entered, home, expected] of sites) {
    test(`entered as ${entered}, with the home ${home}, is ${expected}`, () => {
      assert.equal(preferredSite(entered, home), expected);
    });
  }
});
