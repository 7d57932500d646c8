import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { product, SHOP_URL } from "../../../test/fakes/woocommerce-rows.ts";
import { KEYS, type WooShop } from "../../../test/fakes/woocommerce-shop.ts";
import { WITH_KEY, WITHOUT_KEY, wooWorld } from "../../../test/fakes/woocommerce-world.ts";
import type { AppError } from "../../errors.ts";
import type { SourceEvent, SourceSettings } from "../source.ts";

const idsIn = (events: readonly SourceEvent[]): string[] =>
  events.flatMap((event) => (event.kind === "draft" ? [event.draft.id ?? ""] : []));

/** Reads a shop after a change to it, and checks that it is complete. */
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

    const requested = requests.filter(({ route }) => route === "wc/v3/products");
    assert.ok(requested.length > 0);
    for (const { query, headers } of requested) {
      assert.match(headers.authorization ?? "", /^Basic /);
      assert.equal(query["consumer_secret"], undefined);
    }
  });

  test("by keys in the query if the server removes the header, which is found out once", async () => {
    const requests = await reads((shop) => Object.assign(shop.auth, { stripsAuthorization: true }));

    const withHeader = requests.filter(({ headers }) => headers.authorization !== undefined);
    assert.equal(withHeader.length, 1);
    assert.ok(requests.some(({ query }) => query["consumer_secret"] === KEYS.secret));
  });

  test("by signed requests if WordPress does not detect the TLS proxy in front of it", async () => {
    const requests = await reads((shop) => Object.assign(shop.auth, { seesTls: false }));

    assert.ok(requests.some(({ query }) => query["oauth_signature"] !== undefined));
  });

  test("by signed requests over plain http, and the secret is never sent", async () => {
    await using world = await wooWorld();
    world.shop.products = [product(7)];
    world.shop.auth.home = world.shop.origin;

    const events = await world.read({ ...WITH_KEY, url: world.shop.origin });

    assert.deepEqual(idsIn(events), ["7"]);
    assert.doesNotMatch(JSON.stringify(world.shop.requests), new RegExp(KEYS.secret));
    assert.ok(world.shop.requests.every(({ headers }) => headers.authorization === undefined));
  });

  test("over plain http through a host name that is not the shop's own", async () => {
    await using world = await wooWorld();
    world.shop.products = [product(7)];
    world.shop.auth.home = "http://internal.example";

    const events = await world.read({ ...WITH_KEY, url: world.shop.origin });

    assert.deepEqual(idsIn(events), ["7"]);
  });

  test("with a new signature for every retry, because a nonce is valid once", async () => {
    await using world = await wooWorld();
    world.shop.products = [product(7)];
    world.shop.auth.home = world.shop.origin;
    world.shop.fail({ route: "wc/v3/products", from: 2, times: 2, status: 503 });

    const events = await world.read({ ...WITH_KEY, url: world.shop.origin });

    assert.deepEqual(idsIn(events), ["7"]);
  });

  test("in a folder, and with plain permalinks", async () => {
    const settings = { ...WITH_KEY, url: `${SHOP_URL}/store/` };

    await reads((shop) => Object.assign(shop, { folder: "/store" }), settings);
    await reads((shop) => Object.assign(shop, { folder: "/store", hasPrettyLinks: false }), settings);
    await reads((shop) => Object.assign(shop, { hasPrettyLinks: false }));
  });

  test("although it refuses its index to visitors", async () => {
    await reads((shop) => Object.assign(shop, { hasOpenIndex: false }));
  });

  test("without a key, through routes that are open to every visitor", async () => {
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

  test("at its own address if that only adds www, so that no redirect drops the key", async () => {
    await reads((shop) => Object.assign(shop.auth, { home: "https://www.shop.example" }));
    await reads(
      (shop) => {
        shop.folder = "/store";
        shop.auth.home = "https://www.shop.example/store";
      },
      { ...WITH_KEY, url: `${SHOP_URL}/store` },
    );
  });
});

describe("a read fails with the reason:", () => {
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
      "a secret that is mistyped, and a shop whose messages are not in English",
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
      "a clock that is wrong, if requests are signed",
      (shop) => Object.assign(shop.auth, { seesTls: false, clockAheadS: 3_600 }),
      "source_unauthorized",
      /clock of this machine or of the shop's is wrong/,
    ],
    [
      "a secret that is mistyped, if requests are signed",
      (shop) => Object.assign(shop.auth, { seesTls: false }),
      "source_unauthorized",
      /refused the consumer key or its secret/,
      { ...WITH_KEY, consumer_secret: "cs_wrong" },
    ],
    [
      "a key that was deleted",
      (shop) => Object.assign(shop.auth, { keys: null }),
      "source_unauthorized",
      /does not know the consumer key/,
    ],
    [
      "a key that may only write",
      (shop) => Object.assign(shop.auth, { permission: "write" }),
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
      "the address of a page of another site",
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
      "a firewall with a challenge for browsers",
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
      "a host that always asks for fewer requests",
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
      "an object instead of a list",
      (shop) => shop.fail({ route: "wc/v3/products", from: 2, status: 200, body: '{"products":[]}' }),
      "source_malformed",
      /did not answer with a list/,
    ],
    [
      "a web page instead of data",
      (shop) => shop.fail({ route: "wc/v3/products", from: 2, status: 200 }),
      "source_unavailable",
      /text\/html/,
    ],
    [
      "a web page instead of the index",
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

  test("settings that were not checked", async () => {
    await using world = await wooWorld();

    await assert.rejects(world.read({ url: "shop.example" }), { code: "source_settings_invalid" });
    assert.equal(world.shop.requests.length, 0);
  });

  test("an address that the outbound guard forbids", async () => {
    await using world = await wooWorld();

    await assert.rejects(world.read({ ...WITH_KEY, url: "http://192.168.0.1" }), {
      code: "target_forbidden",
    });
  });
});

describe("a shop is read in spite of temporary problems:", () => {
  const problems: readonly [string, (shop: WooShop) => void][] = [
    ["its index fails", (shop) => shop.fail({ route: "", times: 2, status: 503 })],
    ["its index is a web page", (shop) => shop.fail({ route: "", times: 2, status: 200 })],
    ["its settings fail", (shop) => shop.fail({ route: "wc/v3/settings/general", times: 2, status: 502 })],
    [
      "it asks to wait many times",
      (shop) =>
        shop.fail({
          route: "wc/v3/products",
          from: 2,
          times: 8,
          status: 429,
          headers: { "retry-after": "0" },
        }),
    ],
    [
      "a list is a web page",
      (shop) => shop.fail({ route: "wc/v3/products", from: 2, times: 1, status: 200 }),
    ],
    ["the host limits the size of pages", (shop) => Object.assign(shop, { pageCap: 1 })],
    ["a proxy drops the totals", (shop) => Object.assign(shop, { sendsTotals: false })],
  ];
  for (const [title, arrange] of problems) {
    test(title, async () => {
      await reads(arrange);
    });
  }
});
