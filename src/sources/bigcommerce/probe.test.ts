import assert from "node:assert/strict";
import { test } from "node:test";
import { simpleProduct } from "../../../test/fakes/bigcommerce-products.ts";
import { failureOf } from "../events.contract.ts";
import { bigcommerceWorld } from "./world.contract.ts";

test("a shop that can be read has facts and no notes", async () => {
  await using world = await bigcommerceWorld([simpleProduct(1), simpleProduct(2)]);

  const { facts, notes } = await world.probe();

  assert.deepEqual(Object.fromEntries(facts.map(({ label, value }) => [label, value])), {
    Shop: "Example Shop",
    Storefront: "https://shop.example",
    Channel: "1 (Storefront)",
    "Products on this channel": "2",
    Currency: "EUR",
    Prices: "entered with tax",
    Country: "DE",
    Language: "en",
    "Weights in": "KGS",
    "Sizes in": "Centimeters",
    Plan: "Pro",
    API: "V3 catalog, V2 store information",
  });
  assert.deepEqual(notes, []);
});

test("products that will be left out are noted with their number, and price lists too", async () => {
  await using world = await bigcommerceWorld([
    simpleProduct(1),
    simpleProduct(2, { is_visible: false }),
    simpleProduct(3, { is_visible: false }),
    simpleProduct(4, { channels: [5] }),
  ]);
  world.shop.content.priceLists.push({ id: 1, name: "Wholesale", active: true });

  const { notes } = await world.probe();

  assert.equal(notes.length, 3);
  assert.match(notes[0] ?? "", /^2 products are not visible on the storefront/);
  assert.match(notes[1] ?? "", /^1 product is not assigned to this channel/);
  assert.match(notes[2] ?? "", /^Price lists are left out/);
});

test("a closed shop, or another channel than the default, is noted", async () => {
  await using world = await bigcommerceWorld([simpleProduct(1)]);
  Object.assign(world.shop.content.store ?? {}, {
    status: "prelaunch",
    default_channel_id: 9,
    features: { multi_storefront_enabled: true },
  });

  const { notes } = await world.probe();

  assert.match(notes[0] ?? "", /not open to shoppers.*"prelaunch"/);
  assert.match(notes[1] ?? "", /default storefront, which is 9/);
  assert.match(notes[2] ?? "", /several storefronts/);
});

test("missing optional permissions are notes, not failures", async () => {
  await using world = await bigcommerceWorld([simpleProduct(1)]);
  world.shop.content.forbidden.add("sites").add("channels");

  const { facts, notes } = await world.probe();

  assert.ok(facts.some(({ label, value }) => label === "Channel" && value === "1"));
  assert.equal(notes.length, 1);
  assert.match(notes[0] ?? "", /main address, https:\/\/shop\.example.*store_sites_read_only/);
});

test("a channel without products is noted: its number may be wrong", async () => {
  await using world = await bigcommerceWorld([simpleProduct(1, { channels: [2] })]);

  const { notes } = await world.probe();

  assert.match(notes[0] ?? "", /no visible products: check channel_id/);
});

test("a missing required permission fails the probe, with its name", async () => {
  await using world = await bigcommerceWorld([simpleProduct(1)]);

  world.shop.content.forbidden.add("information");
  const information = await failureOf(world.probe());
  world.shop.content.forbidden.clear();
  world.shop.content.forbidden.add("products");
  const products = await failureOf(world.probe());

  assert.match(information.message, /store_v2_information_read_only/);
  assert.match(products.message, /store_v2_products_read_only/);
});

test("a probe reads no page of products", async () => {
  await using world = await bigcommerceWorld([simpleProduct(1)]);

  await world.probe();

  assert.ok(world.shop.requests.every((path) => !path.includes("include=")));
});
