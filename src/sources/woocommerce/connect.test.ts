import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { product, SHOP_URL } from "../../../test/fakes/woocommerce-rows.ts";
import { KEYS, type WooShop } from "../../../test/fakes/woocommerce-shop.ts";
import { WITH_KEY, WITHOUT_KEY, wooWorld } from "../../../test/fakes/woocommerce-world.ts";
import type { AppError } from "../../errors.ts";
import type { SourceEvent, SourceSettings } from "../source.ts";

const idsIn = (events: readonly SourceEvent[]): string[] =>
  events.flatMap((event) => (event.kind === "draft" ? [event.draft.id ?? ""] : []));

/** A shop that is set up in some way, and still is read. */
async function reads(arrange: (shop: WooShop) => void, settings = WITH_KEY): Promise<WooShop["requests"]> {
  await using world = await wooWorld();
  world.shop.products = [product(7), product(8)];
  arrange(world.shop);

  const events = await world.read(settings);

  assert.deepEqual(idsIn(events), ["7", "8"]);
  assert.equal(events.at(-1)?.kind, "end");
  return world.shop.requests;
}

describe("a shop is reached", () => {
  test("by Basic authentication over TLS, with the secret in no address", async () => {
    const requests = await reads(() => undefined);

    const asked = requests.filter(({ route }) => route === "wc/v3/products");
    assert.ok(asked.length > 0);
    for (const { query, headers } of asked) {
      assert.match(headers.authorization ?? "", /^Basic /);
      assert.equal(query["consumer_secret"], undefined);
    }
  });

  test("by keys in the address where the server strips the header, found out once", async () => {
    const requests = await reads((shop) => Object.assign(shop.gate, { stripsAuthorization: true }));

    const withHeader = requests.filter(({ headers }) => headers.authorization !== undefined);
    assert.equal(withHeader.length, 1);
    assert.ok(requests.some(({ query }) => query["consumer_secret"] === KEYS.secret));
  });

  test("by signed requests where WordPress does not know of the TLS in front of it", async () => {
    const requests = await reads((shop) => Object.assign(shop.gate, { seesTls: false }));

    assert.ok(requests.some(({ query }) => query["oauth_signature"] !== undefined));
  });

  test("by signed requests over plain http, where the secret is never sent", async () => {
    await using world = await wooWorld();
    world.shop.products = [product(7)];
    world.shop.gate.home = world.shop.origin;

    const events = await world.read({ ...WITH_KEY, url: world.shop.origin });

    assert.deepEqual(idsIn(events), ["7"]);
    assert.doesNotMatch(JSON.stringify(world.shop.requests), new RegExp(KEYS.secret));
    assert.ok(world.shop.requests.every(({ headers }) => headers.authorization === undefined));
  });

  test("over plain http through a host name that is not the shop's own", async () => {
    await using world = await wooWorld();
    world.shop.products = [product(7)];
    world.shop.gate.home = "http://internal.example";

    const events = await world.read({ ...WITH_KEY, url: world.shop.origin });

    assert.deepEqual(idsIn(events), ["7"]);
  });

  test("with a signature of its own for every try, for a nonce counts once", async () => {
    await using world = await wooWorld();
    world.shop.products = [product(7)];
    world.shop.gate.home = world.shop.origin;
    world.shop.fail({ route: "wc/v3/products", from: 2, times: 2, status: 503 });

    const events = await world.read({ ...WITH_KEY, url: world.shop.origin });

    assert.deepEqual(idsIn(events), ["7"]);
  });

  test("in a folder, and without pretty links", async () => {
    const settings = { ...WITH_KEY, url: `${SHOP_URL}/store/` };

    await reads((shop) => Object.assign(shop, { folder: "/store" }), settings);
    await reads((shop) => Object.assign(shop, { folder: "/store", hasPrettyLinks: false }), settings);
    await reads((shop) => Object.assign(shop, { hasPrettyLinks: false }));
  });

  test("although it tells strangers nothing", async () => {
    await reads((shop) => Object.assign(shop, { hasOpenIndex: false }));
  });

  test("without a key, by what every visitor may ask", async () => {
    const requests = await reads(() => undefined, WITHOUT_KEY);

    const open = /^(?:|wc\/store\/v1\/.*|wp\/v2\/product)$/;
    assert.ok(requests.every(({ route }) => open.test(route)));
  });

  test("by the address of one of its pages", async () => {
    const settings = { ...WITH_KEY, url: `${SHOP_URL}/product/mug-7/` };

    await reads(() => undefined, settings);
    await reads((shop) => Object.assign(shop, { hasPageCache: true }), settings);
    await reads((shop) => Object.assign(shop, { hasPageCache: true }), { url: settings.url });
    await reads((shop) => Object.assign(shop, { folder: "/store" }), {
      ...WITH_KEY,
      url: `${SHOP_URL}/store/product/mug-7/?attribute_size=S`,
    });
  });

  test("at the address it gives itself when that only adds www, so that no redirect drops the key", async () => {
    await reads((shop) => Object.assign(shop.gate, { home: "https://www.shop.example" }));
    await reads(
      (shop) => {
        shop.folder = "/store";
        shop.gate.home = "https://www.shop.example/store";
      },
      { ...WITH_KEY, url: `${SHOP_URL}/store` },
    );
  });
});

describe("a shop that cannot be read says why", () => {
  const refusals: readonly [string, (shop: WooShop) => void, string, RegExp, SourceSettings?][] = [
    [
      "a secret that is mistyped",
      () => undefined,
      "source_unauthorized",
      /knows the consumer key, but the consumer secret is not the one.*in WooCommerce → Settings/,
      { ...WITH_KEY, consumer_secret: "cs_wrong" },
    ],
    [
      "a key that is mistyped",
      () => undefined,
      "source_unauthorized",
      /does not know the consumer key: it is mistyped or was deleted/,
      { ...WITH_KEY, consumer_key: "ck_wrong" },
    ],
    [
      "a secret that is mistyped, to a shop that speaks another language",
      (shop) =>
        shop.fail({
          route: "wc/v3/products",
          status: 401,
          body: JSON.stringify({ code: "woocommerce_rest_authentication_error", message: "Ungültig." }),
        }),
      "source_unauthorized",
      /refused the consumer key or its secret: one of them is mistyped/,
    ],
    [
      "a clock that is wrong, where requests are signed",
      (shop) => Object.assign(shop.gate, { seesTls: false, clockAheadS: 3_600 }),
      "source_unauthorized",
      /clock of this machine or of the shop's is wrong/,
    ],
    [
      "a secret that is mistyped, where requests are signed",
      (shop) => Object.assign(shop.gate, { seesTls: false }),
      "source_unauthorized",
      /refused the consumer key or its secret/,
      { ...WITH_KEY, consumer_secret: "cs_wrong" },
    ],
    [
      "a key that was deleted",
      (shop) => Object.assign(shop.gate, { keys: null }),
      "source_unauthorized",
      /does not know the consumer key/,
    ],
    [
      "a key that may only write",
      (shop) => Object.assign(shop.gate, { permission: "write" }),
      "source_unauthorized",
      /the key may only write\. Set its permission to Read in WooCommerce → Settings/,
    ],
    [
      "a key that WooCommerce does not look for, because of plain permalinks",
      (shop) => {
        shop.hasPrettyLinks = false;
        shop.fail({ route: "wc/v3/products", status: 401, body: '{"code":"woocommerce_rest_cannot_view"}' });
      },
      "source_unauthorized",
      /set to plain permalinks.*Choose another structure in Settings → Permalinks/,
    ],
    [
      "a page that is no page of a shop",
      (shop) => Object.assign(shop, { folder: "/elsewhere" }),
      "source_not_found",
      /Enter the address of the shop itself.*not that of one of its pages/,
      { ...WITH_KEY, url: `${SHOP_URL}/product/mug-9/` },
    ],
    [
      "a user who may not read products",
      (shop) =>
        shop.fail({
          route: "wc/v3/products",
          status: 403,
          body: JSON.stringify({ code: "woocommerce_rest_cannot_view", message: "Désolé" }),
        }),
      "source_unauthorized",
      /the user it belongs to may not read products/,
    ],
    [
      "a plugin that closes the REST API",
      (shop) =>
        shop.fail({
          route: "wc/v3/products",
          status: 403,
          body: JSON.stringify({ code: "rest_forbidden", message: "No." }),
        }),
      "source_unauthorized",
      /closes its REST API to us: a security plugin/,
    ],
    [
      "a WordPress without WooCommerce",
      (shop) => Object.assign(shop, { hasWooCommerce: false }),
      "source_not_found",
      /WooCommerce plugin is active/,
    ],
    [
      "an address without WordPress",
      (shop) => Object.assign(shop, { folder: "/elsewhere" }),
      "source_not_found",
      /no WordPress REST API at this address/,
    ],
    [
      "a staging site behind a password",
      (shop) => shop.fail({ route: "", status: 401, headers: { "www-authenticate": "Basic" } }),
      "source_unauthorized",
      /user name and password before WordPress/,
    ],
    [
      "a firewall",
      (shop) => shop.fail({ route: "wc/v3/products", status: 403 }),
      "source_unavailable",
      /firewall.*consumer key is not the problem/,
    ],
    [
      "a firewall that wants a human",
      (shop) => shop.fail({ route: "", status: 503, headers: { "cf-mitigated": "challenge" } }),
      "source_unavailable",
      /mistakes us for a bot/,
    ],
    [
      "a shop in maintenance",
      (shop) => shop.fail({ route: "", status: 503 }),
      "source_unavailable",
      /maintenance or overloaded/,
    ],
    [
      "a shop whose PHP crashes, whatever the size of the page",
      (shop) => shop.fail({ route: "wc/v3/products", from: 2, status: 500 }),
      "source_unavailable",
      /fatal-errors/,
    ],
    [
      "a host that asks for fewer requests for ever",
      (shop) =>
        shop.fail({ route: "wc/v3/products", from: 2, status: 429, headers: { "retry-after": "3600" } }),
      "source_unavailable",
      /asks for fewer requests/,
    ],
    [
      "a parameter it does not know",
      (shop) =>
        shop.fail({
          route: "wc/v3/products",
          from: 2,
          status: 400,
          body: JSON.stringify({ code: "rest_invalid_param", message: "offset" }),
        }),
      "source_unavailable",
      /Update WooCommerce/,
    ],
    [
      "an object where a list is due",
      (shop) => shop.fail({ route: "wc/v3/products", from: 2, status: 200, body: '{"products":[]}' }),
      "source_malformed",
      /did not answer with a list/,
    ],
    [
      "a web page where data is due",
      (shop) => shop.fail({ route: "wc/v3/products", from: 2, status: 200 }),
      "source_unavailable",
      /text\/html/,
    ],
    [
      "a web page where the index is due",
      (shop) => shop.fail({ route: "", status: 200 }),
      "source_not_found",
      /no WordPress REST API/,
    ],
    [
      "a Store API that is closed",
      (shop) =>
        shop.fail({
          route: "wc/store/v1/products",
          status: 401,
          body: JSON.stringify({ code: "woocommerce_coming_soon", message: "Soon." }),
        }),
      "source_unauthorized",
      /coming-soon/,
      WITHOUT_KEY,
    ],
  ];
  for (const [title, arrange, code, message, settings = WITH_KEY] of refusals) {
    test(title, async () => {
      await using world = await wooWorld();
      world.shop.products = [product(7)];
      arrange(world.shop);

      await assert.rejects(world.read(settings), (error: AppError) => {
        assert.equal(error.code, code, error.message);
        assert.match(error.message, message);
        assert.doesNotMatch(error.message, /ck_|cs_|consumer_key=|oauth_|127\.0\.0\.1.*\?/);
        return true;
      });
    });
  }

  test("settings that were never checked", async () => {
    await using world = await wooWorld();

    await assert.rejects(world.read({ url: "shop.example" }), { code: "source_settings_invalid" });
    assert.equal(world.shop.requests.length, 0);
  });

  test("an address that the guard does not let us reach", async () => {
    await using world = await wooWorld();

    await assert.rejects(world.read({ ...WITH_KEY, url: "http://192.168.0.1" }), {
      code: "target_forbidden",
    });
  });
});

describe("a shop that only stumbles is read all the same", () => {
  const stumbles: readonly [string, (shop: WooShop) => void][] = [
    ["with its index", (shop) => shop.fail({ route: "", times: 2, status: 503 })],
    ["with a web page for its index", (shop) => shop.fail({ route: "", times: 2, status: 200 })],
    ["with its settings", (shop) => shop.fail({ route: "wc/v3/settings/general", times: 2, status: 502 })],
    [
      "with many requests to wait",
      (shop) =>
        shop.fail({
          route: "wc/v3/products",
          from: 2,
          times: 8,
          status: 429,
          headers: { "retry-after": "0" },
        }),
    ],
    ["with web pages", (shop) => shop.fail({ route: "wc/v3/products", from: 2, times: 1, status: 200 })],
    ["with a host that caps its pages", (shop) => Object.assign(shop, { pageCap: 1 })],
    ["with a proxy that drops its totals", (shop) => Object.assign(shop, { sendsTotals: false })],
  ];
  for (const [title, arrange] of stumbles) {
    test(title, async () => {
      await reads(arrange);
    });
  }
});
