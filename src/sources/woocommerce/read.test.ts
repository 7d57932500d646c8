import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { product, variableProduct, variation } from "../../../test/fakes/woocommerce-rows.ts";
import { WITH_KEY, WITHOUT_KEY, wooWorld } from "../../../test/fakes/woocommerce-world.ts";
import type { SourceEvent } from "../source.ts";
import { namedValues } from "../../../test/named-values.ts";

const draftsIn = (events: readonly SourceEvent[]) =>
  events.flatMap((event) => (event.kind === "draft" ? [event.draft] : []));
const idsIn = (events: readonly SourceEvent[]) => draftsIn(events).map(({ id }) => id);
const warningsIn = (events: readonly SourceEvent[]) =>
  events.flatMap((event) => (event.kind === "warning" ? [event.warning.message] : []));
const routesOf = (requests: readonly { route: string }[]) => requests.map(({ route }) => route);

describe("a whole read", () => {
  test("leaves out what the shop does not offer, with one warning per reason", async () => {
    await using world = await wooWorld();
    world.shop.products = [
      product(1),
      product(2, { status: "draft" }),
      product(3, { status: "private" }),
      product(4, { catalog_visibility: "hidden" }),
      product(5, { catalog_visibility: "search" }),
      product(6, { post_password: "tea" }),
      product(7, { type: "grouped", grouped_products: [1], price: "12.50", regular_price: "" }),
      product(8, { type: "pw-gift-card" }),
      product(9, { type: "external", external_url: "https://elsewhere.example/", purchasable: false }),
      variableProduct(20, []),
      variableProduct(30, [31, 32, 39]),
      variableProduct(40, [41], { catalog_visibility: "hidden" }),
      variableProduct(50, [51], { status: "draft" }),
    ];
    world.shop.variations = [
      variation(31, 30),
      variation(32, 30, { status: "private" }),
      variation(41, 40),
      variation(51, 50),
    ];

    const events = await world.read();

    assert.deepEqual(idsIn(events), ["1", "5", "9", "31"]);
    assert.deepEqual(warningsIn(events).toSorted(), [
      "1 gift card was left out: feeds do not take them.",
      "1 grouped product was left out: these have no price, and their members are items themselves.",
      "1 product is protected by a password and was left out.",
      "1 variable product was left out: without variations there is nothing to buy.",
      "1 variation is not enabled in WooCommerce and was left out.",
      "1 variation is of a product that is not published and was left out.",
      "1 variation that a product still names was deleted or moved to another product; there is nothing to sell.",
      "2 products are set to the catalog visibility Hidden and were left out.",
      "3 products are not published in WooCommerce (draft, private or scheduled) and were left out.",
    ]);
    assert.partialDeepStrictEqual(events.at(-1), { kind: "end", validators: null, expected: null });
  });

  for (const [version, statesPasswords] of [
    ["a version that reports it", true],
    ["a version that does not", false],
  ] as const) {
    test(`leaves out products that ask for a password, without a key, in ${version}`, async () => {
      await using world = await wooWorld();
      Object.assign(world.shop, { statesPasswords });
      world.shop.products = [
        product(1),
        product(2, { post_password: "tea" }),
        variableProduct(30, [31], { post_password: "tea" }),
      ];
      world.shop.variations = [variation(31, 30)];

      const events = await world.read(WITHOUT_KEY);

      assert.deepEqual(idsIn(events), ["1"]);
      assert.deepEqual(warningsIn(events), ["2 products are protected by a password and were left out."]);
    });
  }

  test("leaves out products that ask for a password where an older REST API does not report it", async () => {
    await using world = await wooWorld();
    const { post_password: _untold, ...older } = product(2);
    world.shop.products = [product(1), older];
    world.shop.before("wp/v2/product", 1, () => Object.assign(older, { post_password: "tea" }));

    const events = await world.read();

    assert.deepEqual(idsIn(events), ["1"]);
  });

  test("notes that a shop does not state which products ask for a password", async () => {
    await using world = await wooWorld();
    world.shop.hasOpenPosts = false;
    world.shop.products = Array.from({ length: 150 }, (_, i) => product(i + 1));

    const events = await world.read(WITHOUT_KEY);

    assert.equal(idsIn(events).length, 150);
    assert.match(warningsIn(events).join(), /does not say which products are protected by a password/);
    assert.equal(routesOf(world.shop.requests).filter((route) => route === "wp/v2/product").length, 1);
  });

  for (const [name, settings] of [
    ["with a key", WITH_KEY],
    ["without a key", WITHOUT_KEY],
  ] as const) {
    test(`has no SKU for a variation to which WooCommerce gives its product's, ${name}`, async () => {
      await using world = await wooWorld();
      world.shop.products = [
        variableProduct(30, [31, 32, 33], { sku: "shirt" }),
        variableProduct(40, [41], { sku: "hat" }),
      ];
      world.shop.variations = [
        variation(31, 30, { sku: "" }),
        variation(32, 30, { sku: "" }),
        variation(33, 30, { sku: "shirt-33" }),
        variation(41, 40, { sku: "" }),
      ];

      const skus = draftsIn(await world.read(settings)).map(({ id, sku }) => [id, sku]);

      assert.deepEqual(skus, [
        ["31", undefined],
        ["32", undefined],
        ["33", "shirt-33"],
        ["41", "hat"],
      ]);
    });

    test(`leaves out attributes that product pages do not show, ${name}`, async () => {
      await using world = await wooWorld();
      const attribute = (
        attributeName: string,
        options: string[],
        visible: boolean,
        isVariation = false,
      ) => ({
        id: 0,
        name: attributeName,
        slug: attributeName,
        position: 0,
        visible,
        variation: isVariation,
        options,
      });
      world.shop.products = [
        product(1, {
          attributes: [
            attribute("Supplier", ["Secret Ltd"], false),
            attribute("Color", ["Red"], false),
            attribute("Care", ["By hand"], true),
          ],
        }),
        variableProduct(30, [31], { attributes: [attribute("Color", ["Red"], false, true)] }),
      ];
      world.shop.variations = [
        variation(31, 30, { attributes: [{ id: 0, name: "Color", slug: "Color", option: "Red" }] }),
      ];

      const [simple, chosen] = draftsIn(await world.read(settings));

      assert.deepEqual([simple?.details, simple?.color], [[{ name: "Care", value: "By hand" }], undefined]);
      assert.deepEqual(
        chosen?.options?.map(({ name: option }) => option),
        ["Color"],
      );
    });

    test(`has the price zero for what is free in a sale, ${name}`, async () => {
      await using world = await wooWorld();
      world.shop.products = [
        product(1, { price: "0", regular_price: "20", sale_price: "0", on_sale: true }),
        product(2, { price: "0", regular_price: "20", sale_price: "0.00", on_sale: true }),
      ];

      const drafts = draftsIn(await world.read(settings));

      assert.deepEqual(
        drafts.map(({ price, salePrice }) => [Number(price), salePrice]),
        [
          [0, undefined],
          [0, undefined],
        ],
      );
    });
  }

  test("has the dates of a scheduled sale at zero", async () => {
    await using world = await wooWorld();
    world.shop.products = [
      product(1, {
        price: "20",
        regular_price: "20",
        sale_price: "0",
        on_sale: false,
        date_on_sale_from_gmt: "2099-01-01T00:00:00",
      }),
    ];

    const [draft] = draftsIn(await world.read());

    assert.deepEqual(
      [draft?.price, draft?.salePrice, draft?.saleFrom],
      ["20.00", "0.00", "2099-01-01T00:00:00"],
    );
  });

  test("leaves out external products if the settings exclude them", async () => {
    await using world = await wooWorld();
    world.shop.products = [product(1), product(9, { type: "external" })];

    const events = await world.read({ ...WITH_KEY, external_products: "no" });

    assert.deepEqual(idsIn(events), ["1"]);
    assert.match(warningsIn(events).join(), /1 external product was left out/);
  });

  test("states the decimal mark with every draft", async () => {
    await using world = await wooWorld();
    world.shop.products = [product(1), product(2)];

    for (const event of await world.read()) {
      if (event.kind === "draft") assert.equal(event.decimalMark, ".");
    }
  });

  const ways = [
    { name: "the list of WooCommerce 10.3", shop: {}, requested: "wc/v3/variations" },
    {
      name: "the list of Analytics",
      shop: { hasVariationList: false },
      requested: "wc-analytics/variations",
    },
    {
      name: "each product, if there is no list",
      shop: { hasVariationList: false, hasAnalytics: false },
      requested: "wc/v3/products/30/variations",
    },
  ];
  for (const { name, shop, requested } of ways) {
    test(`reads variations from ${name}`, async () => {
      await using world = await wooWorld();
      Object.assign(world.shop, shop);
      world.shop.products = [product(1), variableProduct(30, [31, 32]), variableProduct(40, [41])];
      world.shop.variations = [variation(31, 30), variation(32, 30), variation(41, 40)];

      const events = await world.read();

      assert.deepEqual(idsIn(events), ["1", "31", "32", "41"]);
      assert.deepEqual(
        draftsIn(events).map(({ groupId }) => groupId),
        [undefined, "30", "30", undefined],
      );
      assert.ok(routesOf(world.shop.requests).includes(requested));
    });
  }

  test("requests no variations if there are no variable products", async () => {
    await using world = await wooWorld();
    world.shop.products = [product(1)];

    await world.read();

    assert.ok(!routesOf(world.shop.requests).some((route) => route.endsWith("variations")));
  });

  test("looks once for a list of variations, and asks at most four products at a time without one", async () => {
    await using world = await wooWorld();
    Object.assign(world.shop, { hasVariationList: false, hasAnalytics: false });
    const ids = Array.from({ length: 250 }, (_, i) => i + 1);
    world.shop.products = ids.map((id) => variableProduct(id, [1_000 + id]));
    world.shop.variations = ids.map((id) => variation(1_000 + id, id));

    const events = await world.read();

    assert.equal(idsIn(events).length, 250);
    assert.equal(routesOf(world.shop.requests).filter((route) => route === "wc/v3/variations").length, 1);
    // Four, and the page of products that is prefetched.
    assert.ok(
      world.shop.maxInFlight() >= 2 && world.shop.maxInFlight() <= 5,
      String(world.shop.maxInFlight()),
    );
  });

  test("finds a variation at its product that the list does not have", async () => {
    await using world = await wooWorld();
    world.shop.products = [variableProduct(30, [31, 32])];
    world.shop.variations = [variation(31, 30)];
    // It exists again once the list was read.
    world.shop.before("wc/v3/products/30/variations", 1, () => world.shop.variations.push(variation(32, 30)));

    const events = await world.read();

    assert.deepEqual(idsIn(events), ["31", "32"]);
    assert.deepEqual(warningsIn(events), []);
  });

  test("accepts a list of variations that counts too many, because products name theirs", async () => {
    await using world = await wooWorld();
    world.shop.products = [variableProduct(30, [31, 32])];
    world.shop.variations = [variation(31, 30), variation(32, 30), variation(33, 0)];
    world.shop.countedOnly = [33];

    const events = await world.read();

    assert.deepEqual(idsIn(events), ["31", "32"]);
    assert.equal(events.at(-1)?.kind, "end");
  });

  test("fails if the shop counts products that it does not list", async () => {
    await using world = await wooWorld();
    world.shop.products = [product(1), product(2), product(3)];
    world.shop.countedOnly = [2];

    await assert.rejects(world.read(), /says it has 3 products, but gave 2/);
  });

  test("recognizes the list of variations although the newest has lost its product", async () => {
    await using world = await wooWorld();
    world.shop.products = [variableProduct(30, [31])];
    world.shop.variations = [variation(31, 30), variation(99, 0)];

    await world.read();

    assert.ok(!routesOf(world.shop.requests).includes("wc-analytics/variations"));
  });

  const counts = [
    { name: "drafts", route: "wc/v3/products", settings: WITH_KEY, from: 3 },
    { name: "hidden products", route: "wc/store/v1/products", settings: WITHOUT_KEY, from: 2 },
  ];
  for (const { name, route, settings, from } of counts) {
    test(`ends with a warning, after one try, if the shop does not count its ${name}`, async () => {
      await using world = await wooWorld();
      world.shop.products = [product(1)];
      // The first requests try the key, if there is one, and read the page; the others only count.
      world.shop.fail({ route, from, status: 500 });

      const events = await world.read(settings);

      assert.deepEqual(idsIn(events), ["1"]);
      assert.equal(events.at(-1)?.kind, "end");
      assert.match(warningsIn(events).join(), /did not say how many products it does not list/);
      assert.equal(routesOf(world.shop.requests).filter((requested) => requested === route).length, from);
    });
  }

  test("ignores variations of a product that is deleted before they are requested", async () => {
    await using world = await wooWorld();
    Object.assign(world.shop, { hasVariationList: false, hasAnalytics: false });
    world.shop.products = [variableProduct(30, [31]), product(99)];
    world.shop.variations = [variation(31, 30)];
    world.shop.before("wc-analytics/variations", 1, () => world.shop.products.shift());

    const events = await world.read();

    assert.deepEqual(idsIn(events), ["99"]);
    assert.equal(events.at(-1)?.kind, "end");
  });

  test("skips messages that PHP prints in front of the data, with one warning", async () => {
    await using world = await wooWorld();
    world.shop.products = [product(1)];
    world.shop.phpWarnings =
      "<br />\n<b>Notice</b>: Undefined index [x] in {closure}() on line <b>1</b><br />\n";

    const events = await world.read();

    assert.deepEqual(idsIn(events), ["1"]);
    const notes = events.flatMap((event) => (event.kind === "warning" ? [event.warning] : []));
    assert.deepEqual(
      notes.map(({ code }) => code),
      ["source_note"],
    );
    assert.match(notes[0]?.message ?? "", /in front of its data.*WP_DEBUG_DISPLAY.*display_errors/);
  });

  test("works without settings and categories that the key may not read, with the currency visitors see", async () => {
    await using world = await wooWorld();
    world.shop.mayReadSettings = false;
    world.shop.products = [product(1, { weight: "2", categories: [{ id: 3, name: "Mugs", slug: "mugs" }] })];
    world.shop.fail({
      route: "wc/v3/products/categories",
      status: 403,
      body: JSON.stringify({ code: "woocommerce_rest_cannot_view", message: "" }),
    });

    const [draft] = draftsIn(await world.read());

    assert.deepEqual(
      [draft?.currency, draft?.weight, draft?.priceIncludesTax],
      ["EUR", undefined, undefined],
    );
    assert.deepEqual(draft?.categories, ["Mugs"]);
  });

  test("requests custom fields only if the settings name one", async () => {
    await using world = await wooWorld();
    world.shop.products = [product(1, { meta_data: [{ key: "_gtin", value: "4006381333931" }] })];

    const [plain] = draftsIn(await world.read());
    const [named] = draftsIn(await world.read({ ...WITH_KEY, gtin_field: "_gtin" }));

    assert.equal(plain?.gtin, undefined);
    assert.equal(named?.gtin, "4006381333931");
  });
});

describe("a read without a key", () => {
  test("has what visitors are offered, with the names of options", async () => {
    await using world = await wooWorld();
    world.shop.products = [
      product(1),
      product(2, { catalog_visibility: "hidden" }),
      product(3, { type: "grouped" }),
      variableProduct(30, [31, 32]),
    ];
    world.shop.variations = [variation(31, 30), variation(32, 30, { price: "", regular_price: "" })];

    const events = await world.read(WITHOUT_KEY);

    assert.deepEqual(idsIn(events), ["1", "31"]);
    assert.deepEqual(draftsIn(events)[1]?.options, namedValues({ Color: "Red", Size: "S" }));
    assert.deepEqual(warningsIn(events).length, 3);
  });
});

describe("a sample", () => {
  test("requests one page of products and their variations", async () => {
    await using world = await wooWorld();
    const ids = Array.from({ length: 500 }, (_, i) => i + 1);
    world.shop.products = ids.map((id) => (id === 2 ? variableProduct(2, [9_001]) : product(id)));
    world.shop.variations = [variation(9_001, 2)];

    const events = await world.read(WITH_KEY, "sample");

    assert.equal(idsIn(events).length, 30);
    assert.ok(idsIn(events).includes("9001"));
    assert.notEqual(events.at(-1)?.kind, "end");
    assert.ok(world.shop.requests.length < 10);
  });

  test("that has all products of the shop ends like a whole read", async () => {
    await using world = await wooWorld();
    world.shop.products = [product(1)];

    assert.equal((await world.read(WITH_KEY, "sample")).at(-1)?.kind, "end");
  });
});
