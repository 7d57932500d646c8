import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { product, variableProduct, variation } from "../../../test/fakes/woocommerce-rows.ts";
import type { WooShop } from "../../../test/fakes/woocommerce-shop.ts";
import { WITH_KEY, WITHOUT_KEY, type WooWorld, wooWorld } from "../../../test/fakes/woocommerce-world.ts";
import type { AppError } from "../../errors.ts";
import type { SourceEvent } from "../source.ts";

const NAMED = [100_050, 100_051, 100_052];
const SINGLE_ROUTE = "wc/v3/products/1/variations/100051";

const idsIn = (events: readonly SourceEvent[]) =>
  events.flatMap((event) => (event.kind === "draft" ? [event.draft.id ?? ""] : []));
const warningsIn = (events: readonly SourceEvent[]) =>
  events.flatMap((event) => (event.kind === "warning" ? [event.warning.message] : []));

/** A product whose variations exist, but are in no list of the shop. */
async function worldWithHidden(limits = {}): Promise<WooWorld> {
  const world = await wooWorld(limits);
  world.shop.products = [variableProduct(1, NAMED), product(2)];
  world.shop.variations = NAMED.map((id) => variation(id, 1));
  world.shop.unlisted = [...NAMED];
  return world;
}

const ways: readonly [string, Partial<WooShop>][] = [
  ["with a list of all variations", {}],
  ["product by product", { hasVariationList: false, hasAnalytics: false }],
];

for (const [way, arranged] of ways) {
  describe(`a variation that a product names and no list has, ${way},`, () => {
    test("is read if it exists", async () => {
      await using world = await worldWithHidden();
      Object.assign(world.shop, arranged);

      const events = await world.read();

      assert.deepEqual(idsIn(events).toSorted(), ["100050", "100051", "100052", "2"]);
      assert.deepEqual(warningsIn(events), []);
    });

    test("is left out with the reason if it is not for sale", async () => {
      await using world = await worldWithHidden();
      Object.assign(world.shop, arranged);
      world.shop.variations = [
        variation(100_050, 1, { status: "private" }),
        variation(100_051, 1, { status: "trash" }),
      ];

      const events = await world.read();

      assert.deepEqual(idsIn(events), ["2"]);
      assert.deepEqual(warningsIn(events).toSorted(), [
        "1 variation is not enabled in WooCommerce and was left out.",
        "1 variation is not published in WooCommerce (draft, scheduled or in the trash) and was left out.",
        "1 variation that a product still names was deleted or moved to another product; there is nothing to sell.",
      ]);
      assert.equal(events.at(-1)?.kind, "end");
    });

    const failures: readonly [string, Parameters<WooShop["fail"]>[0]][] = [
      ["fails", { route: SINGLE_ROUTE, status: 500 }],
      [
        "hides the route",
        { route: SINGLE_ROUTE, status: 404, body: '{"code":"rest_no_route","message":""}' },
      ],
      ["answers with a web page", { route: SINGLE_ROUTE, status: 404 }],
      ["answers with another row", { route: SINGLE_ROUTE, status: 200, body: '{"id":7,"status":"publish"}' }],
    ];
    for (const [title, fault] of failures) {
      test(`fails the read if the shop ${title}, with the ids in the message`, async () => {
        await using world = await worldWithHidden();
        Object.assign(world.shop, arranged);
        world.shop.fail(fault);

        await assert.rejects(world.read(), (error: AppError) => {
          assert.equal(error.code, "source_incomplete", error.message);
          assert.match(error.message, /3 variations of product 1 \(100050, 100051, 100052\)/);
          return true;
        });
      });
    }

    test("is found by its id if the product's own list only counts it", async () => {
      await using world = await worldWithHidden();
      Object.assign(world.shop, arranged, { unlisted: [], countedOnly: [100_051] });

      assert.deepEqual(idsIn(await world.read()).toSorted(), ["100050", "100051", "100052", "2"]);
    });
  });
}

describe("a product's own list of variations", () => {
  test("that counts one more than the product names fails the read", async () => {
    await using world = await worldWithHidden();
    Object.assign(world.shop, { hasVariationList: false, hasAnalytics: false, unlisted: [] });
    world.shop.variations = [...NAMED, 100_053].map((id) => variation(id, 1));
    world.shop.countedOnly = [100_053];

    await assert.rejects(world.read(), /says it has 4 variations of product 1, but gave 3/);
  });
});

describe("hidden variations", () => {
  test("are requested once each, a few at a time", async () => {
    await using world = await worldWithHidden();

    await world.read();

    const requested = world.shop.requests.filter(({ route }) => /variations\/\d+$/.test(route));
    assert.equal(requested.length, NAMED.length);
    assert.ok(world.shop.maxInFlight() <= 4, String(world.shop.maxInFlight()));
  });

  test("are not requested if there are too many, and the message says what to do", async () => {
    await using world = await worldWithHidden({ maxSingles: 2 });

    await assert.rejects(world.read(), (error: AppError) => {
      assert.equal(error.code, "source_incomplete");
      assert.match(error.message, /at least 3 variations.*at most 2.*clear the transients/i);
      return true;
    });
    assert.ok(!world.shop.requests.some(({ route }) => /variations\/\d+$/.test(route)));
  });

  test("fail the read with the true reason if the key is revoked", async () => {
    await using world = await worldWithHidden();
    world.shop.before(SINGLE_ROUTE, 1, () => Object.assign(world.shop.auth, { keys: null }));

    await assert.rejects(world.read(), { code: "source_unauthorized" });
  });
});

test("a variation that two products name is read once, with the product it belongs to", async () => {
  await using world = await wooWorld();
  Object.assign(world.shop, { hasVariationList: false, hasAnalytics: false });
  world.shop.products = [variableProduct(30, [31, 41]), variableProduct(40, [41, 42])];
  world.shop.variations = [variation(31, 30), variation(41, 40), variation(42, 40)];

  const events = await world.read();

  const groups = events.flatMap((event) =>
    event.kind === "draft" ? [[event.draft.id, event.draft.groupId]] : [],
  );
  assert.deepEqual(groups, [
    ["31", "30"],
    ["41", "40"],
    ["42", "40"],
  ]);
  assert.match(warningsIn(events).join(), /1 variation that a product still names was deleted or moved/);
});

describe("without a key, a variation that a product names and no list has", () => {
  test("is read if visitors can buy it", async () => {
    await using world = await worldWithHidden();

    const events = await world.read(WITHOUT_KEY);

    assert.deepEqual(idsIn(events).toSorted(), ["100050", "100051", "100052", "2"]);
    assert.deepEqual(warningsIn(events), []);
  });

  test("is left out if they cannot, with a warning that the reason is unknown", async () => {
    await using world = await worldWithHidden();
    // The first request is the page of products.
    world.shop.before("wc/store/v1/products", 2, () => {
      world.shop.variations = [variation(100_050, 1, { purchasable: false }), variation(100_051, 1)];
    });

    const events = await world.read(WITHOUT_KEY);

    assert.deepEqual(idsIn(events), ["2", "100051"]);
    assert.match(warningsIn(events).join(), /^2 variations that products name are not shown to visitors/);
    assert.match(warningsIn(events).join(), /does not say whether they were deleted or disabled/);
  });

  test("fails the read if the request fails", async () => {
    await using world = await worldWithHidden();
    world.shop.fail({ route: "wc/store/v1/products/100051", status: 500 });

    await assert.rejects(world.read(WITHOUT_KEY), { code: "source_incomplete" });
  });
});

test("a sample has variations that a product names and no list has", async () => {
  await using world = await worldWithHidden();

  assert.equal(idsIn(await world.read(WITH_KEY, "sample")).length, 4);
});
