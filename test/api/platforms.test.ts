/**
 * Each shop system from end to end, as a merchant uses it: connect, test, sync, read the feeds; and
 * a mistyped secret fails with one clear sentence.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { bigcommerceShop } from "../fakes/bigcommerce-shop.ts";
import { optionProduct, simpleProduct } from "../fakes/bigcommerce-products.ts";
import { fakeProducts } from "../fakes/shopify-data.ts";
import { shopifyShop } from "../fakes/shopify-shop.ts";
import { product, variableProduct, variation } from "../fakes/woocommerce-rows.ts";
import { KEYS, wooShop } from "../fakes/woocommerce-shop.ts";
import { readFeeds } from "../actions.ts";
import { installation } from "../installation.ts";
import type { TestCatalog } from "../installation.ts";
import { ask } from "./running-api.ts";
import type { Answer } from "./running-api.ts";
import { closeAfterTests } from "../close-after.ts";

type Connected = AsyncDisposable & {
  readonly settings: Readonly<Record<string, string>>;
  readonly items: number;
  /** The setting a merchant mistypes, and words that must be in the sentence about it. */
  readonly mistyped: { readonly setting: string; readonly words: RegExp };
};

const PLATFORMS: Readonly<Record<string, () => Promise<Connected>>> = {
  shopify: async () => {
    const shop = await shopifyShop(fakeProducts(12));
    return {
      settings: shop.settings,
      items: 12,
      mistyped: { setting: "access_token", words: /access token/i },
      [Symbol.asyncDispose]: async () => shop[Symbol.asyncDispose](),
    };
  },
  woocommerce: async () => {
    const shop = await wooShop();
    const brands = [{ id: 1, name: "Acme", slug: "acme" }];
    shop.products = [
      product(1, { brands }),
      product(2, { brands }),
      variableProduct(3, [31, 32], { brands }),
    ];
    shop.variations = [variation(31, 3), variation(32, 3)];
    return {
      settings: { url: shop.origin, consumer_key: KEYS.key, consumer_secret: KEYS.secret },
      items: 4,
      mistyped: { setting: "consumer_secret", words: /consumer key or its secret: one of them is mistyped/i },
      [Symbol.asyncDispose]: async () => shop[Symbol.asyncDispose](),
    };
  },
  bigcommerce: async () => {
    const shop = await bigcommerceShop([simpleProduct(1), simpleProduct(2), optionProduct(3, 2)]);
    return {
      settings: shop.settings,
      items: 4,
      mistyped: { setting: "access_token", words: /access token/i },
      [Symbol.asyncDispose]: async () => shop[Symbol.asyncDispose](),
    };
  },
};

const home = closeAfterTests(await installation());

const post = (catalog: TestCatalog, path: string, body: object): Promise<Answer> =>
  ask(`${home.url}/api/v1/${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${catalog.key}` },
    body,
  });

for (const [kind, connect] of Object.entries(PLATFORMS)) {
  describe(`a ${kind} shop`, () => {
    test("is tested, connected, synced and in all four feeds", async () => {
      await using shop = await connect();
      const catalog = await home.createCatalog();

      const tried = await post(catalog, "sources/test", { kind, settings: shop.settings });
      assert.equal(tried.status, 200, tried.text);
      const made = await post(catalog, "sources", { kind, settings: shop.settings, enabled: false });
      assert.equal(made.status, 201, made.text);
      const { id } = (made.json as { data: { id: string } }).data;
      const synced = await post(catalog, "syncs", { source_id: id });

      assert.equal(synced.status, 200, synced.text);
      const { stats } = (synced.json as { data: { stats: Record<string, number> } }).data;
      assert.deepEqual([stats["seen"], stats["upserted"], stats["rejected"]], [shop.items, shop.items, 0]);
      const { files, lastRender } = await readFeeds(home, catalog);
      assert.equal(lastRender?.stats["items"], shop.items);
      for (const [file, { status, text }] of Object.entries(files)) {
        assert.ok(status === 200 && text.length > 500, file);
      }
      for (const secret of ["access_token", "consumer_secret"]) {
        const value = shop.settings[secret];
        if (value !== undefined) assert.ok(!(made.text + tried.text + synced.text).includes(value));
      }
    });

    test("with a mistyped secret fails with one sentence, in the test and in the sync", async () => {
      await using shop = await connect();
      const { setting, words } = shop.mistyped;
      const right = shop.settings[setting] ?? "";
      const settings = { ...shop.settings, [setting]: `${right.slice(0, -1)}x` };
      const catalog = await home.createCatalog();

      const tried = await post(catalog, "sources/test", { kind, settings });
      const made = await post(catalog, "sources", { kind, settings, enabled: false });
      const { id } = (made.json as { data: { id: string } }).data;
      const synced = await post(catalog, "syncs", { source_id: id });

      for (const answer of [tried, synced]) {
        const { code, detail } = answer.json as { code: string; detail: string };
        assert.deepEqual([answer.status, code], [422, "source_unauthorized"], detail);
        assert.match(detail, words);
        assert.ok(!answer.text.includes(right.slice(0, -1)), "the secret is not repeated");
      }
    });
  });
}
