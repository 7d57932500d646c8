import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { product, SHOP_URL } from "../../../test/fakes/woocommerce-rows.ts";
import { WITH_KEY, WITHOUT_KEY, wooWorld } from "../../../test/fakes/woocommerce-world.ts";

describe("a probe", () => {
  test("states name, size, currency and how the shop is read", async () => {
    await using world = await wooWorld();
    world.shop.products = [product(1), product(2)];

    const { facts, notes } = await world.probe();

    assert.deepEqual(facts, [
      { label: "Shop", value: "Mug & Co" },
      { label: "Address", value: SHOP_URL },
      { label: "Access", value: "consumer key (REST API v3)" },
      { label: "WooCommerce", value: "10.3.1" },
      { label: "Published products", value: "2" },
      { label: "Currency", value: "EUR" },
      { label: "Prices", value: "entered with tax" },
      { label: "Weight unit", value: "kg" },
      { label: "Variations", value: "read as one list" },
    ]);
    assert.deepEqual(notes, []);
  });

  test("notes what will be left out and what the key may not read", async () => {
    await using world = await wooWorld();
    world.shop.products = [product(1), product(2, { status: "draft" })];
    world.shop.mayReadSettings = false;
    world.shop.fail({ route: "wc/store/v1/products", status: 404, body: '{"code":"rest_no_route"}' });

    const { notes } = await world.probe();

    assert.match(notes.join("\n"), /may not read the shop's currency/);
    assert.match(notes.join("\n"), /weights and sizes have no unit/);
    assert.match(notes.join("\n"), /drafts, private or scheduled will be left out: 1\./);
  });

  test("states that prices are shown in another way than entered, and read as shown", async () => {
    await using world = await wooWorld();
    world.shop.settings["tax"] = {
      woocommerce_prices_include_tax: "no",
      woocommerce_tax_display_shop: "incl",
    };

    const { facts, notes } = await world.probe();

    const prices = facts.find(({ label }) => label === "Prices");
    assert.equal(prices?.value, "entered without tax, shown with it: read as shown");
    assert.deepEqual(notes, []);
  });

  test("notes that the shop shows each visitor the tax of their country", async () => {
    await using world = await wooWorld();
    const { settings } = world.shop;
    settings["general"] = {
      ...settings["general"],
      woocommerce_default_customer_address: "geolocation",
      woocommerce_default_country: "US:CA",
    };
    settings["tax"] = { woocommerce_prices_include_tax: "no", woocommerce_tax_display_shop: "incl" };

    const { notes } = await world.probe();

    assert.match(notes.join(), /Prices are read with the taxes of US, calculated with the shop's tax rates/);
  });

  test("does not mention taxes if the shop calculates none", async () => {
    await using world = await wooWorld();
    world.shop.settings["general"] = { woocommerce_currency: "USD", woocommerce_calc_taxes: "no" };

    const { facts } = await world.probe();

    assert.ok(!facts.some(({ label }) => label === "Prices"));
  });

  test("notes plain http and an address that is not the shop's own", async () => {
    await using world = await wooWorld();
    world.shop.products = [product(1)];

    const { facts, notes } = await world.probe({ ...WITH_KEY, url: world.shop.origin });

    assert.match(facts.find(({ label }) => label === "Access")?.value ?? "", /signed/);
    assert.match(notes.join("\n"), /plain http/);
    assert.match(notes.join("\n"), /own address is https:\/\/shop\.example/);
  });

  test("states how variations are read if there is no list of all", async () => {
    await using world = await wooWorld();
    world.shop.hasVariationList = false;

    const wayOf = async (): Promise<string> =>
      (await world.probe()).facts.find(({ label }) => label === "Variations")?.value ?? "";

    assert.match(await wayOf(), /Analytics/);
    world.shop.hasAnalytics = false;
    assert.match(await wayOf(), /product by product/);
  });

  test("works as the read does if a firewall blocks the lists of variations", async () => {
    await using world = await wooWorld();
    for (const route of ["wc/v3/variations", "wc-analytics/variations"]) {
      world.shop.fail({ route, status: 403 });
    }

    const { facts } = await world.probe();

    assert.match(facts.find(({ label }) => label === "Variations")?.value ?? "", /product by product/);
  });

  test("without a key states what will be missing", async () => {
    await using world = await wooWorld();
    world.shop.products = [product(1), product(2, { catalog_visibility: "hidden" })];

    const { facts, notes } = await world.probe(WITHOUT_KEY);

    assert.deepEqual(facts.slice(2), [
      { label: "Access", value: "no key: what every visitor sees (Store API v1)" },
      { label: "Products shown", value: "1" },
      { label: "Currency", value: "EUR" },
      { label: "Prices", value: "as shown to visitors" },
    ]);
    assert.match(notes.join(), /neither GTINs nor sale dates/);
  });

  test("notes that PHP prints messages in front of the data", async () => {
    await using world = await wooWorld();
    world.shop.phpWarnings = "<b>Deprecated</b>: something\n";

    assert.match((await world.probe()).notes.join(), /WP_DEBUG_DISPLAY/);
  });

  test("fails with the reason", async () => {
    await using world = await wooWorld();

    await assert.rejects(world.probe({ ...WITH_KEY, consumer_secret: "cs_wrong" }), {
      code: "source_unauthorized",
    });
  });

  test("reads no items", async () => {
    await using world = await wooWorld();
    world.shop.products = Array.from({ length: 300 }, (_, i) => product(i + 1));

    await world.probe();

    assert.ok(world.shop.requests.every(({ query }) => Number(query["per_page"] ?? "1") === 1));
  });
});
