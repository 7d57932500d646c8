import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { product, variableProduct, variation, type WooRow } from "../../../test/fakes/woocommerce-rows.ts";
import { taxRate } from "../../../test/fakes/woocommerce-tax.ts";
import { WITH_KEY, WITHOUT_KEY, type WooWorld, wooWorld } from "../../../test/fakes/woocommerce-world.ts";
import { draftsOf, failureOf, warningsOf } from "../events.contract.ts";

type Setup = {
  readonly entered: "incl" | "excl";
  readonly shown: "incl" | "excl";
  readonly general?: Record<string, string>;
  readonly tax?: Record<string, string>;
};

/** A shop in the EU: 19 % and 7 % in its own country, Germany, and 20 % in France. */
async function taxedShop({ entered, shown, general = {}, tax = {} }: Setup): Promise<WooWorld> {
  const world = await wooWorld();
  const { settings } = world.shop;
  settings["general"] = { ...settings["general"], ...general };
  settings["tax"] = {
    ...settings["tax"],
    woocommerce_prices_include_tax: entered === "incl" ? "yes" : "no",
    woocommerce_tax_display_shop: shown,
    ...tax,
  };
  world.shop.taxRates = [
    taxRate(1, "19.0000"),
    taxRate(2, "7.0000", { class: "reduced-rate" }),
    taxRate(3, "20.0000", { country: "FR" }),
  ];
  world.shop.products = [
    product(1, { price: "19.99", regular_price: "19.99" }),
    product(2, { price: "10", regular_price: "12.5", sale_price: "10", on_sale: true }),
    product(3, { price: "5.55", regular_price: "5.55", tax_class: "reduced-rate" }),
    product(4, { price: "8", regular_price: "8", tax_status: "none" }),
    variableProduct(10, [11, 12]),
  ];
  world.shop.variations = [
    variation(11, 10, { price: "20.004", regular_price: "20.004" }),
    variation(12, 10, { price: "0.99", regular_price: "1", sale_price: "0.99", on_sale: true }),
  ];
  return world;
}

async function pricesIn(world: WooWorld, settings = WITH_KEY): Promise<Record<string, string>> {
  const drafts = draftsOf(await world.read(settings));
  return Object.fromEntries(
    drafts.map(({ id, price, salePrice }) => [id, [price, salePrice].filter(Boolean).join(" / ")]),
  );
}

const WITH_TAX = { 1: "23.79", 2: "14.88 / 11.90", 3: "5.94", 4: "8.00", 11: "23.80", 12: "1.19 / 1.18" };
const WITHOUT_TAX = { 1: "16.80", 2: "10.50 / 8.40", 3: "5.19", 4: "8.00", 11: "16.81", 12: "0.84 / 0.83" };
const ENTERED = { 1: "19.99", 2: "12.50 / 10.00", 3: "5.55", 4: "8.00", 11: "20.00", 12: "1.00 / 0.99" };

describe("with a key, prices are read as the shop shows them", () => {
  const cases: readonly [string, Setup, Record<string, string>][] = [
    ["entered without tax, shown with it", { entered: "excl", shown: "incl" }, WITH_TAX],
    ["entered with tax, shown without it", { entered: "incl", shown: "excl" }, WITHOUT_TAX],
    ["entered and shown with tax", { entered: "incl", shown: "incl" }, ENTERED],
    ["entered and shown without tax", { entered: "excl", shown: "excl" }, ENTERED],
    [
      "taxes switched off",
      { entered: "excl", shown: "incl", general: { woocommerce_calc_taxes: "no" } },
      ENTERED,
    ],
    [
      "shown without tax until the visitor's place is known",
      { entered: "excl", shown: "incl", general: { woocommerce_default_customer_address: "" } },
      ENTERED,
    ],
    [
      "entered with tax, shown without until the visitor's place is known",
      { entered: "incl", shown: "incl", general: { woocommerce_default_customer_address: "" } },
      WITHOUT_TAX,
    ],
    [
      "taxed by the place of the shop, wherever the visitor is",
      {
        entered: "excl",
        shown: "incl",
        general: { woocommerce_default_customer_address: "geolocation" },
        tax: { woocommerce_tax_based_on: "base" },
      },
      WITH_TAX,
    ],
  ];
  for (const [title, setup, expected] of cases) {
    test(title, async () => {
      await using world = await taxedShop(setup);

      assert.deepEqual(await pricesIn(world), expected);
    });

    test(`${title}; calculated, because the Store API is closed`, async () => {
      await using world = await taxedShop(setup);
      world.shop.hasStoreApi = false;

      assert.deepEqual(await pricesIn(world), expected);
    });
  }

  test("for the shop's own country if it shows visitors the tax of theirs", async () => {
    const general = { woocommerce_default_customer_address: "geolocation_ajax" };
    await using world = await taxedShop({ entered: "excl", shown: "incl", general });
    world.shop.visitorCountry = "US";

    assert.deepEqual(await pricesIn(world), WITH_TAX);
  });

  test("and drafts state whether they include tax", async () => {
    await using world = await taxedShop({ entered: "excl", shown: "incl" });

    const flags = draftsOf(await world.read()).map(({ priceIncludesTax }) => priceIncludesTax);

    assert.deepEqual(new Set(flags), new Set(["true"]));
  });

  test("also for items that are out of stock and hidden from visitors", async () => {
    await using world = await taxedShop({ entered: "excl", shown: "incl" });
    world.shop.settings["products"] = { woocommerce_hide_out_of_stock_items: "yes" };
    world.shop.products = world.shop.products.map((row) => ({ ...row, stock_status: "outofstock" }));

    assert.deepEqual(await pricesIn(world), WITH_TAX);
  });

  test("with one request per page, without the key", async () => {
    await using world = await taxedShop({ entered: "excl", shown: "incl" });
    const requested = () => world.shop.requests.filter(({ route }) => route === "wc/store/v1/products");

    await world.read();

    assert.equal(requested().length, 2);
    assert.ok(
      requested().every(({ headers, query }) => headers.authorization === undefined && query["include"]),
    );
  });

  test("also the price of a sale that has not begun", async () => {
    await using world = await taxedShop({ entered: "excl", shown: "incl" });
    world.shop.products = [
      product(1, {
        price: "20",
        regular_price: "20",
        sale_price: "10",
        date_on_sale_from_gmt: "2099-01-01T00:00:00",
      }),
    ];

    assert.deepEqual(await pricesIn(world), { 1: "23.80 / 11.90" });
  });

  test("or an item whose shown price is unknown is rejected with the reason", async () => {
    await using world = await taxedShop({ entered: "excl", shown: "incl" });
    world.shop.mayReadSettings = false;
    const listed = world.shop.products;
    // The first request is for the currency.
    world.shop.before("wc/store/v1/products", 2, () => (world.shop.products = listed.slice(1)));

    const events = await world.read();

    const rejected = events.flatMap((event) => (event.kind === "rejected" ? [event.rejection] : []));
    assert.deepEqual(
      rejected.map(({ itemId, code }) => [itemId, code]),
      [["1", "missing_price"]],
    );
    assert.match(rejected[0]?.message ?? "", /does not say at which price it shows this item/);
  });

  test("or the read fails: no price is published that the shop does not show", async () => {
    await using world = await taxedShop({ entered: "excl", shown: "incl" });
    world.shop.hasStoreApi = false;
    world.shop.fail({ route: "wc/v3/taxes", status: 403, body: '{"code":"woocommerce_rest_cannot_view"}' });

    const failure = await failureOf(world.read());

    assert.equal(failure.code, "source_unavailable");
    assert.match(failure.message, /shows prices with tax, but its REST API gives them without/);
    assert.match(failure.message, /\/wp-json\/wc\/store\//);
  });

  test("or the read fails if neither settings nor Store API can be read", async () => {
    await using world = await taxedShop({ entered: "excl", shown: "incl" });
    world.shop.mayReadSettings = false;
    world.shop.hasStoreApi = false;

    const failure = await failureOf(world.read());

    assert.match(failure.message, /does not let this key read whether it shows prices with or without tax/);
  });
});

describe("prices with more decimals than the shop shows", () => {
  const rows: WooRow[] = [
    product(1, { price: "19.9950", regular_price: "19.9950" }),
    product(2, { price: "3.1249", regular_price: "4.0050", sale_price: "3.1249", on_sale: true }),
    product(3, { price: "7.5000", regular_price: "7.5000" }),
  ];

  for (const [name, settings] of [
    ["with a key", WITH_KEY],
    ["without a key", WITHOUT_KEY],
  ] as const) {
    test(`are rounded as the shop rounds them, ${name}`, async () => {
      await using world = await wooWorld();
      world.shop.products = rows;

      assert.deepEqual(await pricesIn(world, settings), { 1: "20.00", 2: "4.01 / 3.12", 3: "7.50" });
    });

    test(`are integers if it shows none, ${name}`, async () => {
      await using world = await wooWorld();
      world.shop.products = rows;
      world.shop.settings["general"] = {
        ...world.shop.settings["general"],
        woocommerce_price_num_decimals: "0",
      };

      assert.deepEqual(await pricesIn(world, settings), { 1: "20", 2: "4 / 3", 3: "8" });
    });

    test(`are rounded to the currency with a warning if it shows four, ${name}`, async () => {
      await using world = await wooWorld();
      world.shop.products = rows;
      world.shop.settings["general"] = {
        ...world.shop.settings["general"],
        woocommerce_price_num_decimals: "4",
      };

      const events = await world.read(settings);

      const prices = draftsOf(events).map(({ price, salePrice }) => [
        Number(price),
        Number(salePrice ?? price),
      ]);
      assert.deepEqual(prices, [
        [20, 20],
        [4.01, 3.12],
        [7.5, 7.5],
      ]);
      assert.match(
        warningsOf(events).join(),
        /2 items have a price with more decimals than the currency has/,
      );
    });
  }
});
