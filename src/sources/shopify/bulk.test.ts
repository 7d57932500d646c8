import assert from "node:assert/strict";
import { test } from "node:test";
import { fakeImage, fakeProduct, fakeVariants, fakeProducts } from "../../../test/fakes/shopify-data.ts";
import type { FakeShopify } from "../../../test/fakes/shopify-shop.ts";
import { draftsOf, failureOf, warningsOf } from "../events.contract.ts";
import { BY_BULK, BY_PAGES, shopifyWorld } from "./shopify-world.contract.ts";

/** Products whose images have several parents, and texts with line separators in them. */
function varied() {
  return Array.from({ length: 120 }, (_, index) =>
    fakeProduct(500 + index, {
      title: `Mug\u2028${index}\r\n"no. ${index}"`,
      media: [fakeImage(1), fakeImage(index)],
      variants: fakeVariants(500 + index, 1 + (index % 4)).map((variant) => ({
        ...variant,
        media: [fakeImage(1)],
      })),
    }),
  );
}

test("a bulk operation and pages give the same drafts", async () => {
  await using byBulk = await shopifyWorld(varied(), BY_BULK);
  await using byPages = await shopifyWorld(varied(), BY_PAGES);
  const byId = (a: { id?: string }, b: { id?: string }) => Number(a.id) - Number(b.id);

  const bulk = draftsOf(await byBulk.read({ country: "DE" })).sort(byId);
  const pages = draftsOf(await byPages.read({ country: "DE" })).sort(byId);

  assert.equal(bulk.length, 300);
  assert.deepEqual(bulk, pages);
  assert.equal(byBulk.shop.requestCount("Products"), 0);
});

test("the number of smaller files changes only the order", async () => {
  const idsWith = async (bucketBytes: number) => {
    await using world = await shopifyWorld(varied(), { ...BY_BULK, bulk: { ...BY_BULK.bulk, bucketBytes } });
    return draftsOf(await world.read())
      .map((draft) => JSON.stringify(draft))
      .sort();
  };

  assert.deepEqual(await idsWith(1_000_000_000), await idsWith(5_000));
});

test("the file is fetched without the token", async () => {
  await using world = await shopifyWorld(fakeProducts(20), BY_BULK);

  await world.read();

  const file = world.shop.requests.find(({ what }) => what === "file");
  assert.ok(file !== undefined);
  assert.equal(file.headers["x-shopify-access-token"], undefined);
});

test("a small shop is read by pages without an operation", async () => {
  const limits = { ...BY_BULK, bulk: { ...BY_BULK.bulk, fromProducts: 100 } };
  await using world = await shopifyWorld(fakeProducts(20), limits);

  const events = await world.read();

  assert.equal(world.shop.requestCount("Bulk"), 0);
  assert.deepEqual(warningsOf(events), []);
});

type InjectFault = (shop: FakeShopify) => void;
const without = (pattern: RegExp) => (file: string) => file.replace(pattern, "");

const OPERATION_FAULTS: Readonly<Record<string, readonly [InjectFault, RegExp]>> = {
  "bulk queries that are not switched on": [
    ({ state }) => void (state.bulk.refusal = "ACCESS_DENIED"),
    /switch on bulk operations.*Partner Dashboard/,
  ],
  "too many operations": [
    ({ state }) => void (state.bulk.refusal = "LIMIT_REACHED"),
    /as many bulk operations running/,
  ],
  "another operation": [
    ({ state }) => void (state.bulk.refusal = "OPERATION_IN_PROGRESS"),
    /another bulk operation/,
  ],
  "a query that is refused as a bulk query": [
    ({ state }) => void (state.bulk.refusal = "INVALID"),
    /does not accept our query/,
  ],
  "an operation that fails": [
    ({ state }) => Object.assign(state.bulk, { end: "FAILED", errorCode: "INTERNAL_SERVER_ERROR" }),
    /failed at Shopify/,
  ],
  "an operation that takes too long for Shopify": [
    ({ state }) => Object.assign(state.bulk, { end: "FAILED", errorCode: "TIMEOUT" }),
    /longer than Shopify allows/,
  ],
  "an operation that loses its access": [
    ({ state }) => Object.assign(state.bulk, { end: "FAILED", errorCode: "ACCESS_DENIED" }),
    /lost its access/,
  ],
  "an operation that expires": [({ state }) => void (state.bulk.end = "EXPIRED"), /expired/],
  "an operation that is canceled by someone else": [
    ({ state }) => void (state.bulk.end = "CANCELED"),
    /canceled/,
  ],
  "an operation that never ends": [
    ({ state }) => void (state.bulk.polls = 1_000),
    /not finished within the time/,
  ],
  "a file that no longer exists": [
    ({ state }) =>
      void (state.fault = (what) =>
        what === "file" ? { kind: "answer", status: 403, body: "expired" } : null),
    /could not be fetched \(source_unauthorized\)/,
  ],
  "a file that breaks off for good": [
    ({ state }) => void (state.fault = (what) => (what === "file" ? { kind: "cut" } : null)),
    /could not be fetched \(source_incomplete\)/,
  ],
  "a file that ends within a line": [
    ({ state }) => void (state.bulk.tamper = (file) => file.slice(0, -40)),
    /damaged or ends too soon/,
  ],
  "a file with a line that is no JSON": [
    ({ state }) => void (state.bulk.tamper = (file) => file.replace("{", "")),
    /damaged/,
  ],
  "a file that lacks a line": [
    ({ state }) => void (state.bulk.tamper = without(/.*\n/)),
    /lines where Shopify counted/,
  ],
};

for (const [what, [inject, words]] of Object.entries(OPERATION_FAULTS)) {
  test(`${what}: the shop is read by pages, with a warning that states the reason`, async () => {
    await using world = await shopifyWorld(fakeProducts(60), BY_BULK);
    inject(world.shop);

    const events = await world.read();

    assert.equal(new Set(draftsOf(events).map(({ id }) => id)).size, 60);
    assert.equal(draftsOf(events).length, 60);
    assert.match(warningsOf(events).join(), /^The shop was read page by page, because /);
    assert.match(warningsOf(events).join(), words);
    assert.ok(!warningsOf(events).join().includes("signature"));
    assert.equal(events.at(-1)?.kind, "end");
  });
}

test("an operation that takes longer than we wait is canceled", async () => {
  await using world = await shopifyWorld(fakeProducts(10), BY_BULK);
  world.shop.state.bulk.polls = 1_000;

  await world.read();

  assert.equal(world.shop.requestCount("BulkState"), 5);
  assert.equal(world.shop.requestCount("BulkCancel"), 1);
});

test("a file that is too short is fetched again", async () => {
  await using world = await shopifyWorld(fakeProducts(60), BY_BULK);
  let fetched = 0;
  world.shop.state.bulk.tamper = (file) => ((fetched += 1) === 1 ? file.slice(0, -100) : file);

  const events = await world.read();

  assert.equal(draftsOf(events).length, 60);
  assert.equal(fetched, 2);
  assert.deepEqual(warningsOf(events), []);
});

test("a variant that is missing in the file is requested", async () => {
  await using world = await shopifyWorld([fakeProduct(1, { variants: fakeVariants(1, 3) })], BY_BULK);
  // The number of lines is right: one variant is there twice, another one is missing.
  world.shop.state.bulk.tamper = (file) => {
    const variants = file.split("\n").filter((line) => line.includes('"__typename":"ProductVariant"'));
    return file.replace(variants[1] ?? "", variants[0] ?? "");
  };

  const events = await world.read();

  assert.equal(new Set(draftsOf(events).map(({ id }) => id)).size, 3);
  assert.equal(world.shop.requestCount("Variants"), 1);
});

test("a product that was added while the file was written is read too", async () => {
  await using world = await shopifyWorld(fakeProducts(30), BY_BULK);
  const { state } = world.shop;
  state.fault = (what) => {
    if (what === "file") state.products = [...state.products, fakeProduct(800_000)];
    return null;
  };

  const events = await world.read();

  assert.equal(draftsOf(events).length, 31);
});

test("credentials that are revoked during an operation end the read", async () => {
  await using world = await shopifyWorld(fakeProducts(30), BY_BULK);
  const { state } = world.shop;
  state.fault = (what) => {
    if (what === "BulkState") state.isRevoked = true;
    return null;
  };

  assert.equal((await failureOf(world.read())).code, "source_unauthorized");
  assert.equal(world.shop.requestCount("Products"), 0);
});

test("a sample never starts an operation", async () => {
  await using world = await shopifyWorld(fakeProducts(30), BY_BULK);

  await world.read({}, { extent: "sample" });

  assert.equal(world.shop.requestCount("Bulk"), 0);
});
