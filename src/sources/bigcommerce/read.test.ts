import assert from "node:assert/strict";
import { test } from "node:test";
import { type Json, optionProduct, simpleProduct } from "../../../test/fakes/bigcommerce-products.ts";
import { draftsOf, failureOf, warningsOf } from "../events.contract.ts";
import { bigcommerceWorld } from "./world.contract.ts";

const simple = (count: number, from = 1): Json[] =>
  Array.from({ length: count }, (_, i) => simpleProduct(from + i));

/** A page of the API with these products, which claims a total. */
const pageOf = (data: readonly Json[], total: number) => ({
  status: 200,
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ data, meta: { pagination: { total } } }),
});

const pageRequests = (requests: readonly string[]): string[] =>
  requests.filter((path) => path.includes("include=variants"));

test("products are read by ascending id, in pages that grow to the API's maximum", async () => {
  await using world = await bigcommerceWorld(simple(700));

  await world.read();

  const limits = pageRequests(world.shop.requests).map((path) => new URLSearchParams(path).get("limit"));
  const after = pageRequests(world.shop.requests).map((path) => new URLSearchParams(path).get("id:greater"));
  assert.deepEqual(limits, ["100", "200", "250", "250"]);
  assert.deepEqual(after, ["0", "100", "300", "550"]);
  assert.ok(world.shop.requests.every((path) => !/options|modifiers/.test(path)));
});

test("products with many variants are read in small pages", async () => {
  const many = Array.from({ length: 40 }, (_, i) => optionProduct(i + 1, 50));
  await using world = await bigcommerceWorld(many, { firstPageProducts: 10, pageVariants: 510 });

  const events = await world.read();

  assert.equal(draftsOf(events).length, 2_000);
  const limits = pageRequests(world.shop.requests).map((path) =>
    Number(new URLSearchParams(path).get("limit")),
  );
  assert.ok(Math.max(...limits) === 10, limits.join(" "));
});

test("a page that the shop cannot deliver is requested again with fewer products", async () => {
  await using world = await bigcommerceWorld(simple(120));
  world.shop.failAlways("limit=100", { status: 504 });

  const events = await world.read();

  assert.equal(draftsOf(events).length, 120);
  assert.ok(world.shop.requests.some((path) => path.includes("limit=20&")));
});

test("an answer that is too large is requested again with fewer products", async () => {
  const text = "x".repeat(2_000);
  const large = simple(60).map((product) => ({ ...product, description: text }));
  await using world = await bigcommerceWorld(large, {
    http: { totalMs: 60_000, maxBytes: 100_000 },
    pageVariants: 30,
  });

  const events = await world.read();

  assert.equal(draftsOf(events).length, 60);
});

test("a shop that fails for every page size fails the read after a few attempts", async () => {
  await using world = await bigcommerceWorld(simple(3));
  world.shop.failAlways("id:greater", { status: 500 });

  const failure = await failureOf(world.read());

  assert.equal(failure.code, "source_unavailable");
  const limits = new Set(
    pageRequests(world.shop.requests).map((path) => new URLSearchParams(path).get("limit")),
  );
  assert.deepEqual([...limits], ["100", "20", "4", "1"]);
});

test("a product with 600 variants is complete, and its items are one group", async () => {
  await using world = await bigcommerceWorld([optionProduct(1, 600), simpleProduct(2)]);

  const drafts = draftsOf(await world.read());

  assert.equal(drafts.length, 601);
  assert.equal(drafts.filter(({ groupId }) => groupId === "1").length, 600);
  assert.ok(!world.shop.requests.some((path) => path.includes("products/1/variants")));
});

test("variants that the products list left out are read from the product's own list", async () => {
  await using world = await bigcommerceWorld([optionProduct(1, 600), optionProduct(2, 30), simpleProduct(3)]);
  world.shop.content.includedVariants = 50;

  const events = await world.read();

  const ids = draftsOf(events).map(({ id }) => id);
  assert.equal(new Set(ids).size, 631);
  assert.ok(world.shop.requests.includes("v3/catalog/products/1/variants?limit=250&page=3"));
  assert.ok(events.some((event) => event.kind === "end" && event.expected === 631));
});

test("variants that stay missing fail the read, with both numbers", async () => {
  await using world = await bigcommerceWorld([optionProduct(1, 40)]);
  world.shop.content.includedVariants = 20;
  const empty = pageOf([], 40);
  world.shop.failAlways("products/1/variants", empty);

  const failure = await failureOf(world.read());

  assert.equal(failure.code, "source_incomplete");
  assert.match(failure.message, /Product 1 says it has 40 variants, but only 0 could be read/);
});

test("products that shoppers do not see are left out, with one warning for each reason", async () => {
  await using world = await bigcommerceWorld([
    simpleProduct(1),
    simpleProduct(2, { is_visible: false }),
    simpleProduct(3, { channels: [2] }),
    simpleProduct(4, { channels: [2], is_visible: false }),
    simpleProduct(5, { is_price_hidden: true, availability: "disabled" }),
    simpleProduct(6, { channels: [1, 2] }),
  ]);

  const events = await world.read();

  assert.deepEqual(
    draftsOf(events).map(({ title }) => title),
    ["Mug 1", "Mug 6"],
  );
  assert.deepEqual(warningsOf(events), [
    "1 product is not visible on the storefront and was left out.",
    "2 products are not assigned to this channel and were left out.",
    "1 product is set to hide the price and was left out.",
  ]);
});

test("if products are missing, the read fails with both numbers", async () => {
  await using world = await bigcommerceWorld(simple(5));
  const claimed = pageOf(simple(5), 9);
  const none = pageOf([], 0);
  world.shop.failAlways("id:greater=0", claimed);
  world.shop.failAlways("id:greater=5", none);
  world.shop.failAlways("is_visible=true", claimed);

  const failure = await failureOf(world.read());

  assert.equal(failure.code, "source_incomplete");
  assert.match(failure.message, /says it has 9 products, but only 5 could be read/);
});

test("products that are added at the end of the read are read too", async () => {
  await using world = await bigcommerceWorld(simple(5));
  const { content } = world.shop;
  const whole = pageOf(simple(5), 7);
  const none = pageOf([], 0);
  world.shop.fail("id:greater=0", whole);
  world.shop.fail("id:greater=5", none);
  content.products.push(...simple(2, 6));

  const events = await world.read();

  assert.equal(draftsOf(events).length, 7);
});

test("an empty first page is requested again, and if it stays empty, the read is incomplete", async () => {
  await using world = await bigcommerceWorld(simple(5));
  const nothing = pageOf([], 0);
  world.shop.fail("id:greater=0", nothing);

  assert.equal(draftsOf(await world.read()).length, 5);

  world.shop.failAlways("id:greater=0", nothing);
  assert.equal((await failureOf(world.read())).code, "source_incomplete");
});

test("products that are deleted during the read are not missing", async () => {
  await using world = await bigcommerceWorld(simple(300));
  world.shop.before(6, () => void world.shop.content.products.splice(150, 50));

  const events = await world.read();

  assert.equal(events.at(-1)?.kind, "end");
});

test("a shop whose lists have no total is read to its last page", async () => {
  await using world = await bigcommerceWorld(simple(150));
  world.shop.content.hasTotals = false;

  const failure = await failureOf(world.read());

  // The walk is whole, but nothing vouches for it.
  assert.equal(failure.code, "source_malformed");
  assert.ok(world.shop.requests.some((path) => path.includes("id:greater=150")));
});

test("a shop that ignores where a page begins fails the read and does not loop", async () => {
  await using world = await bigcommerceWorld(simple(5));
  world.shop.failAlways("id:greater", pageOf(simple(5), 900));

  const failure = await failureOf(world.read());

  assert.equal(failure.code, "source_malformed");
  assert.match(failure.message, /same page came twice/);
});

test("a product that cannot be read is rejected at its position, with its id and name", async () => {
  await using world = await bigcommerceWorld();
  world.shop.content.products.push(
    simpleProduct(1),
    simpleProduct(2, { variants: [] }),
    simpleProduct(3, { variants: [{ id: null, sku: "X" }, "junk"] }),
    simpleProduct(4),
  );

  const events = await world.read();

  const messages = events.flatMap((event) => (event.kind === "rejected" ? [event.rejection.message] : []));
  assert.equal(messages.length, 3);
  assert.match(messages[0] ?? "", /^Product 2 \("Mug 2"\) came without variants/);
  assert.match(messages[1] ?? "", /^Product 3 \("Mug 3"\) has a variant without an id/);
  assert.partialDeepStrictEqual(events.at(-1), { kind: "end", validators: null, expected: 5 });
});

test("brands and category paths are read from the shop's lists, without hidden categories and those of other channels", async () => {
  await using world = await bigcommerceWorld([
    simpleProduct(1, { categories: [23, 31, 32, 40, 999], brand_id: 7 }),
    simpleProduct(2, { categories: [], brand_id: 0 }),
    simpleProduct(3, { categories: [50, 20], brand_id: 404 }),
  ]);
  world.shop.content.categories.push(
    { category_id: 31, tree_id: 1, parent_id: 30, name: "Sale", is_visible: true },
    { category_id: 30, tree_id: 1, parent_id: 0, name: "Internal", is_visible: false },
    { category_id: 32, tree_id: 2, parent_id: 0, name: "Other channel", is_visible: true },
    { category_id: 40, tree_id: 1, parent_id: 41, name: "Round", is_visible: true },
    { category_id: 41, tree_id: 1, parent_id: 40, name: "About", is_visible: true },
    { category_id: 50, tree_id: 1, parent_id: 20, name: "Salt &amp; Pepper; A|B > C", is_visible: true },
  );

  const [first, second, third] = draftsOf(await world.read());

  assert.deepEqual([first?.brand, first?.categories], ["Acme", ["Kitchen > Mugs"]]);
  assert.deepEqual([second?.brand, second?.categories], [undefined, undefined]);
  assert.deepEqual(third?.categories, ["Kitchen > Salt &amp; Pepper, A/B › C", "Kitchen"]);
  assert.equal(third?.brand, undefined);
});

test("brands and categories are requested once, until the cache is full", async () => {
  const products = simple(300).map((product, i) => ({ ...product, brand_id: (i % 30) + 1 }));
  await using roomy = await bigcommerceWorld(products);
  await using tight = await bigcommerceWorld(products, {
    maxCached: 10,
    firstPageProducts: 10,
    pageVariants: 20,
  });
  for (const { shop } of [roomy, tight]) {
    shop.content.brands.length = 0;
    for (let id = 1; id <= 30; id += 1) shop.content.brands.push({ id, name: `Brand ${id}` });
  }

  const [whole, small] = [draftsOf(await roomy.read()), draftsOf(await tight.read())];

  const brandCalls = ({ requests }: { requests: string[] }) =>
    requests.filter((path) => path.includes("brands")).length;
  assert.equal(brandCalls(roomy.shop), 1);
  assert.ok(brandCalls(tight.shop) > 10);
  assert.deepEqual(
    whole.map(({ brand }) => brand),
    small.map(({ brand }) => brand),
  );
});

test("links begin with the channel's primary address, the setting, or the main address", async () => {
  await using world = await bigcommerceWorld([simpleProduct(1)]);
  const link = async (settings = {}) => draftsOf(await world.read(settings))[0]?.link;

  assert.equal(await link(), "https://shop.example/mug-1/");
  assert.equal(
    await link({ storefront_url: "https://front.example/eu/" }),
    "https://front.example/eu/mug-1/",
  );
  world.shop.content.sites.length = 0;
  Object.assign(world.shop.content.store ?? {}, { secure_url: "https://main.example" });
  assert.equal(await link(), "https://main.example/mug-1/");
  world.shop.content.forbidden.add("sites");
  assert.equal(await link(), "https://main.example/mug-1/");
});

test("a channel without a known address is a failure with advice", async () => {
  await using world = await bigcommerceWorld([simpleProduct(1, { channels: [2] })]);

  const missing = await failureOf(world.read({ channel_id: "2" }));
  world.shop.content.forbidden.add("sites");
  const forbidden = await failureOf(world.read({ channel_id: "2" }));

  assert.equal(missing.code, "source_settings_invalid");
  assert.match(missing.message, /Channel 2 has no site.*storefront_url/);
  assert.equal(forbidden.code, "source_unauthorized");
  assert.match(forbidden.message, /store_sites_read_only/);
});

test("a shop that does not state its currency is not read", async () => {
  await using world = await bigcommerceWorld([simpleProduct(1)]);
  world.shop.content.store = null;

  const failure = await failureOf(world.read());

  assert.equal(failure.code, "source_malformed");
  assert.match(failure.message, /does not state its currency/);
});

test("a sample is one page without an end event", async () => {
  await using world = await bigcommerceWorld(simple(400));

  const events = await world.read({}, { extent: "sample" });

  assert.equal(draftsOf(events).length, 50);
  assert.ok(events.every(({ kind }) => kind === "draft"));
  assert.equal(pageRequests(world.shop.requests).length, 1);
  assert.ok(world.shop.requestCount() <= 8, world.shop.requests.join("\n"));
});

test("the token is sent in its header, and in no address", async () => {
  await using world = await bigcommerceWorld([simpleProduct(1)]);
  const { access_token: token = "" } = world.shop.settings;

  await world.read();

  assert.ok(world.shop.requests.every((path) => !path.includes(token)));
});
