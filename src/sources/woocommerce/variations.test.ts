import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { product, variableProduct, variation } from "../../../test/fakes/woocommerce-rows.ts";
import type { WooShop } from "../../../test/fakes/woocommerce-shop.ts";
import { WITH_KEY, WITHOUT_KEY, type WooWorld, wooWorld } from "../../../test/fakes/woocommerce-world.ts";
import type { AppError } from "../../errors.ts";
import type { SourceEvent } from "../source.ts";

const NAMED = [100_050, 100_051, 100_052];
const ALONE = "wc/v3/products/1/variations/100051";

const idsIn = (events: readonly SourceEvent[]) =>
  events.flatMap((event) => (event.kind === "draft" ? [event.draft.id ?? ""] : []));
const warningsIn = (events: readonly SourceEvent[]) =>
  events.flatMap((event) => (event.kind === "warning" ? [event.warning.message] : []));

/** One product whose variations are all there, and in none of the shop's lists. */
async function hidingWorld(limits = {}): Promise<WooWorld> {
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
  describe(`a variation that a product names and no list shows, ${way},`, () => {
    test("is read when it is there after all", async () => {
      await using world = await hidingWorld();
      Object.assign(world.shop, arranged);

      const events = await world.read();

      assert.deepEqual(idsIn(events).toSorted(), ["100050", "100051", "100052", "2"]);
      assert.deepEqual(warningsIn(events), []);
    });

    test("is left out, with the true reason, when it is not for sale", async () => {
      await using world = await hidingWorld();
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

    const silences: readonly [string, Parameters<WooShop["fail"]>[0]][] = [
      ["fails over it", { route: ALONE, status: 500 }],
      ["hides the route", { route: ALONE, status: 404, body: '{"code":"rest_no_route","message":""}' }],
      ["answers with a web page", { route: ALONE, status: 404 }],
      ["answers with another row", { route: ALONE, status: 200, body: '{"id":7,"status":"publish"}' }],
    ];
    for (const [title, fault] of silences) {
      test(`fails the run when the shop ${title}, and product and numbers are named`, async () => {
        await using world = await hidingWorld();
        Object.assign(world.shop, arranged);
        world.shop.fail(fault);

        await assert.rejects(world.read(), (error: AppError) => {
          assert.equal(error.code, "source_incomplete", error.message);
          assert.match(error.message, /3 variations of product 1 \(100050, 100051, 100052\)/);
          return true;
        });
      });
    }

    test("is found by its id when the product's own list counts it and does not give it", async () => {
      await using world = await hidingWorld();
      Object.assign(world.shop, arranged, { unlisted: [], unshown: [100_051] });

      assert.deepEqual(idsIn(await world.read()).toSorted(), ["100050", "100051", "100052", "2"]);
    });
  });
}

describe("a product's own list of variations", () => {
  test("that counts one more than the product names fails the run", async () => {
    await using world = await hidingWorld();
    Object.assign(world.shop, { hasVariationList: false, hasAnalytics: false, unlisted: [] });
    world.shop.variations = [...NAMED, 100_053].map((id) => variation(id, 1));
    world.shop.unshown = [100_053];

    await assert.rejects(world.read(), /says it has 4 variations of product 1, but gave 3/);
  });
});

describe("a shop that hides variations", () => {
  test("is asked for each of them once, a few at a time", async () => {
    await using world = await hidingWorld();

    await world.read();

    const asked = world.shop.requests.filter(({ route }) => /variations\/\d+$/.test(route));
    assert.equal(asked.length, NAMED.length);
    assert.ok(world.shop.mostBusy() <= 4, String(world.shop.mostBusy()));
  });

  test("is not asked for more of them than a run can bear, and the merchant is told what helps", async () => {
    await using world = await hidingWorld({ maxSingles: 2 });

    await assert.rejects(world.read(), (error: AppError) => {
      assert.equal(error.code, "source_incomplete");
      assert.match(error.message, /at least 3 variations.*at most 2.*clear the transients/i);
      return true;
    });
    assert.ok(!world.shop.requests.some(({ route }) => /variations\/\d+$/.test(route)));
  });

  test("loses its key in between, and that is what is said", async () => {
    await using world = await hidingWorld();
    world.shop.before(ALONE, 1, () => Object.assign(world.shop.gate, { keys: null }));

    await assert.rejects(world.read(), { code: "source_unauthorized" });
  });
});

test("a variation that one product names and another has comes once, with the one it belongs to", async () => {
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

describe("without a key, a variation that a product names and no list shows", () => {
  test("is read when visitors may have it", async () => {
    await using world = await hidingWorld();

    const events = await world.read(WITHOUT_KEY);

    assert.deepEqual(idsIn(events).toSorted(), ["100050", "100051", "100052", "2"]);
    assert.deepEqual(warningsIn(events), []);
  });

  test("is left out when they may not, and it is said that the reason cannot be known", async () => {
    await using world = await hidingWorld();
    // The first request is the page of products.
    world.shop.before("wc/store/v1/products", 2, () => {
      world.shop.variations = [variation(100_050, 1, { purchasable: false }), variation(100_051, 1)];
    });

    const events = await world.read(WITHOUT_KEY);

    assert.deepEqual(idsIn(events), ["2", "100051"]);
    assert.match(warningsIn(events).join(), /^2 variations that products name are not shown to visitors/);
    assert.match(warningsIn(events).join(), /does not say whether they were deleted or disabled/);
  });

  test("fails the run when the shop does not answer for it", async () => {
    await using world = await hidingWorld();
    world.shop.fail({ route: "wc/store/v1/products/100051", status: 500 });

    await assert.rejects(world.read(WITHOUT_KEY), { code: "source_incomplete" });
  });
});

test("a sample reads what a product names and its list does not show, too", async () => {
  await using world = await hidingWorld();

  assert.equal(idsIn(await world.read(WITH_KEY, "sample")).length, 4);
});
