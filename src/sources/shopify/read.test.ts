import assert from "node:assert/strict";
import { test } from "node:test";
import { fakeProduct, fakeVariants, fakeProducts } from "../../../test/fakes/shopify-data.ts";
import type { SourceEvent } from "../source.ts";
import { shrink } from "./pages.ts";
import { draftsOf, failureOf, warningsOf } from "../events.contract.ts";
import { BY_BULK, BY_PAGES, shopifyWorld } from "./shopify-world.contract.ts";

const ids = (events: readonly SourceEvent[]): string[] => draftsOf(events).map(({ id = "" }) => id);

test("a product with more variants than fit into a page is read to its last variant", async () => {
  await using world = await shopifyWorld(
    [fakeProduct(1, { variants: fakeVariants(1, 60) }), fakeProduct(2)],
    { ...BY_PAGES, moreVariants: 20 },
  );

  const events = await world.read();

  assert.equal(new Set(ids(events)).size, 61);
  // The first 25 came with the page.
  assert.equal(world.shop.requestCount("Variants"), 2);
});

test("a product that is deleted while its variants are read is left out", async () => {
  const big = fakeProduct(1, { variants: fakeVariants(1, 60) });
  await using world = await shopifyWorld([big, fakeProduct(2)]);
  const { state } = world.shop;
  state.fault = (what) => {
    if (what === "Variants") state.products = [fakeProduct(2)];
    return null;
  };

  const events = await world.read();

  assert.equal(ids(events).length, 1);
  assert.equal(events.at(-1)?.kind, "end");
});

test("if variants are missing, they are requested again, and if they are still missing, the read fails", async () => {
  await using world = await shopifyWorld([
    fakeProduct(1, { title: "Mug", variants: fakeVariants(1, 2), variantsClaimed: 3 }),
  ]);

  const failure = await failureOf(world.read());

  assert.equal(failure.code, "source_incomplete");
  assert.match(failure.message, /"Mug" has 3 variants, but gave only 2/);
  assert.equal(world.shop.requestCount("Variants"), 1);
});

test("a shop larger than Shopify's lists is read to its end: every page begins after the last id", async () => {
  const products = Array.from({ length: 120 }, (_, index) => fakeProduct(1_000 + 7 * index));
  await using world = await shopifyWorld(products);
  world.shop.state.listLimit = 80;
  world.shop.state.points.mostPerQuery = 100_000;

  const events = await world.read();

  assert.equal(new Set(ids(events)).size, 120);
  const filters = world.shop.requests
    .filter(({ what }) => what === "Products")
    .map(({ body }) => (JSON.parse(body) as { variables: { filter: string } }).variables.filter);
  assert.deepEqual(filters, ["status:active", "status:active AND id:>1343", "status:active AND id:>1693"]);
});

test("a page that is too costly is requested with fewer products, and pages stay small", async () => {
  await using world = await shopifyWorld(fakeProducts(60));
  world.shop.state.points.mostPerQuery = 300;

  const events = await world.read();

  assert.equal(ids(events).length, 60);
  const sizes = world.shop.requests
    .filter(({ what }) => what === "Products")
    .map(({ body }) => (JSON.parse(body) as { variables: { first: number } }).variables.first);
  assert.equal(sizes[0], 50);
  assert.ok(
    sizes.every((size, index) => index === 0 || size <= (sizes[index - 1] ?? 0)),
    String(sizes),
  );
  assert.ok((sizes.at(-1) ?? 50) < 50);
});

test("pages shrink to one product with one variant and no further", () => {
  const sizes = [];
  for (
    let size: ReturnType<typeof shrink> = { products: 5, variants: 3 };
    size !== null;
    size = shrink(size)
  ) {
    sizes.push([size.products, size.variants]);
  }

  assert.deepEqual(sizes, [
    [5, 3],
    [2, 3],
    [1, 3],
    [1, 1],
  ]);
});

test("if the waits follow the points that Shopify states, no query is throttled", async () => {
  await using world = await shopifyWorld(fakeProducts(300));
  // Not enough for two pages at once: a read without waits in between is throttled.
  Object.assign(world.shop.state.points, { maximum: 1_000, available: 1_000, restoreRate: 10_000 });

  const events = await world.read();

  assert.equal(ids(events).length, 300);
  assert.equal(world.shop.throttled(), 0);
});

test("a query that is throttled is sent again when there are enough points", async () => {
  await using world = await shopifyWorld(fakeProducts(20));
  // The bucket is empty at the first page, which no answer has stated before.
  const { points } = world.shop.state;
  world.shop.state.fault = (what, number) => {
    if (what === "Products" && number === 1)
      Object.assign(points, { available: -500, restoreRate: 20_000, filledAt: performance.now() });
    return null;
  };

  const events = await world.read();

  assert.equal(ids(events).length, 20);
  assert.ok(world.shop.throttled() >= 1);
});

test("a product that is added after the last page is read too", async () => {
  await using world = await shopifyWorld(fakeProducts(10));
  const { state } = world.shop;
  state.fault = (what, number) => {
    if (what === "Count" && number === 1) state.products = [...state.products, fakeProduct(90_001)];
    return null;
  };

  const events = await world.read();

  assert.equal(ids(events).length, 11);
  assert.equal(world.shop.requestCount("Count"), 2);
});

test("a product that becomes active among the first ones is found by a second walk", async () => {
  await using world = await shopifyWorld([
    fakeProduct(5, { status: "DRAFT" }),
    fakeProduct(6),
    fakeProduct(7),
  ]);
  const { state } = world.shop;
  state.fault = (what, number) => {
    if (what === "Count" && number === 1) state.products = [5, 6, 7].map((id) => fakeProduct(id));
    return null;
  };

  const events = await world.read();

  assert.equal(new Set(ids(events)).size, 3);
  assert.equal(ids(events).length, 3);
});

test("a shop that counts more products than it returns is incomplete, and the failure has both numbers", async () => {
  await using world = await shopifyWorld(fakeProducts(10));
  world.shop.state.countClaimed = 4_711;

  const failure = await failureOf(world.read());

  assert.equal(failure.code, "source_incomplete");
  assert.match(failure.message, /has 4711 products, but gave only 3 of them/);
});

test("products that the shop does not show are left out, with one warning for each reason", async () => {
  await using world = await shopifyWorld([
    fakeProduct(1),
    fakeProduct(2, { status: "DRAFT" }),
    fakeProduct(3, { status: "DRAFT" }),
    fakeProduct(4, { status: "ARCHIVED" }),
    fakeProduct(5, { status: "UNLISTED" }),
    fakeProduct(6, { onlineStoreUrl: null }),
    fakeProduct(7, { onlineStoreUrl: null }),
    fakeProduct(8, { isGiftCard: true }),
    fakeProduct(9, { combinedListingRole: "PARENT" }),
    fakeProduct(10, { combinedListingRole: "CHILD" }),
  ]);

  const events = await world.read();

  assert.equal(draftsOf(events).length, 2);
  assert.deepEqual(warningsOf(events).sort(), [
    "1 product is a combined listing, which only groups other products, and was left out.",
    "1 product is a gift card and was left out.",
    "1 product is archived and was left out.",
    "1 product is unlisted and was left out. Set include_unlisted to yes to read it.",
    "2 products are drafts and were left out.",
    "2 products are not published to the Online Store and were left out.",
  ]);
  assert.partialDeepStrictEqual(events.at(-1), { kind: "end", validators: null, expected: 2 });
});

test("unlisted and unpublished products are read if the settings include them", async () => {
  await using world = await shopifyWorld([
    fakeProduct(1, { status: "UNLISTED" }),
    fakeProduct(2, { onlineStoreUrl: null }),
  ]);

  const events = await world.read({
    include_unlisted: "yes",
    published_only: "no",
    url_template: "https://shop.example/{handle}",
  });

  assert.equal(draftsOf(events).length, 2);
  assert.deepEqual(warningsOf(events), []);
});

test("an API version that Shopify serves instead of ours is a warning", async () => {
  await using world = await shopifyWorld(fakeProducts(1));
  world.shop.state.version = "2027-01";

  const events = await world.read();

  assert.match(warningsOf(events).join(), /API version 2027-01 instead of 2026-10/);
});

test("products that are no objects, have no id or no variant are rejected at their positions", async () => {
  await using world = await shopifyWorld([fakeProduct(1), fakeProduct(2), fakeProduct(3), fakeProduct(4)]);
  world.shop.state.garble = (data) => {
    const { products } = data as { products?: { nodes: Record<string, unknown>[] } };
    if (products === undefined) return data;
    const [first, , third, fourth] = products.nodes;
    const withoutVariants = { ...fourth, variantsCount: { count: 0 }, variants: { nodes: [] } };
    return {
      products: { ...products, nodes: [first, "no object", { ...third, id: null }, withoutVariants] },
    };
  };

  const events = await world.read();

  const rejections = events.flatMap((event) => (event.kind === "rejected" ? [event.rejection] : []));
  assert.deepEqual(
    rejections.map(({ position, code, itemId }) => [position, code, itemId]),
    [
      [2, "unreadable_row", null],
      [3, "unreadable_row", null],
      [4, "unreadable_row", "4"],
    ],
  );
  assert.partialDeepStrictEqual(events.at(-1), { kind: "end", validators: null, expected: 4 });
});

test("a product without an id is counted once, also if the shop is read again", async () => {
  await using world = await shopifyWorld([fakeProduct(1), fakeProduct(2)]);
  const { state } = world.shop;
  state.garble = (data) =>
    JSON.parse(JSON.stringify(data).replace('"gid://shopify/Product/1"', "null")) as unknown;
  state.fault = (what, number) => {
    if (what === "Count" && number === 1) state.products = [...state.products, fakeProduct(3)];
    return null;
  };

  const events = await world.read();

  assert.partialDeepStrictEqual(events.at(-1), { kind: "end", validators: null, expected: 3 });
  assert.equal(events.filter(({ kind }) => kind === "rejected").length, 1);
});

test("a sample requests one small page and has no end event", async () => {
  await using world = await shopifyWorld(fakeProducts(500));

  const events = await world.read({}, { extent: "sample" });

  assert.ok(draftsOf(events).length > 0);
  assert.ok(events.every(({ kind }) => kind !== "end"));
  assert.deepEqual(
    world.shop.requests.map(({ what }) => what),
    ["Shop", "Trial", "Products"],
  );
});

test("a shop that does not know our optional fields is read without them, with a warning", async () => {
  for (const limits of [BY_PAGES, BY_BULK]) {
    await using world = await shopifyWorld(fakeProducts(5), limits);
    const { state, requests } = world.shop;
    const unknown = {
      errors: [
        {
          message: "Field 'metafield' doesn't exist on type 'Product'",
          extensions: { code: "undefinedField" },
        },
      ],
    };
    state.fault = () =>
      requests.at(-1)?.body.includes("metafield(") || requests.at(-1)?.body.includes("combinedListingRole")
        ? { kind: "answer", status: 200, body: JSON.stringify(unknown) }
        : null;

    const events = await world.read({ metafields: "mm-google-shopping" });

    assert.equal(draftsOf(events).length, 5);
    assert.equal(events.at(-1)?.kind, "end");
    const notes = events.flatMap((event) => (event.kind === "warning" ? [event.warning.message] : []));
    assert.ok(
      notes.some((note) => note.includes("metafields")),
      notes.join(),
    );
  }
});

test("every draft states its decimal mark", async () => {
  await using world = await shopifyWorld(fakeProducts(5));

  for (const event of await world.read()) {
    if (event.kind === "draft") assert.equal(event.decimalMark, ".");
  }
});
