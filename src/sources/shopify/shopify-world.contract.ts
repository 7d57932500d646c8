/** A fake shop and a connector for one test, with the test's own limits and without waits. */
import type { FakeProduct } from "../../../test/fakes/shopify-data.ts";
import { type FakeShopify, shopifyShop } from "../../../test/fakes/shopify-shop.ts";
import { BRIEF_RETRIES, sourceWorld } from "../source.contract.ts";
import { SHOPIFY_LIMITS, type ShopifyLimits } from "./client.ts";
import { shopifyConnector } from "./shopify.ts";

/** Reads every shop by pages. */
export const BY_PAGES: ShopifyLimits = {
  ...SHOPIFY_LIMITS,
  retries: BRIEF_RETRIES,
  bulk: { ...SHOPIFY_LIMITS.bulk, fromProducts: Number.POSITIVE_INFINITY, pollWaitsMs: [0], maxPolls: 5 },
};

/** Reads every shop by a bulk operation, in files of a few kilobytes. */
export const BY_BULK: ShopifyLimits = {
  ...BY_PAGES,
  bulk: { ...BY_PAGES.bulk, fromProducts: 0, bucketBytes: 20_000 },
};

export type ShopifyWorld = ReturnType<typeof sourceWorld<FakeShopify>>;

export async function shopifyWorld(
  products: readonly FakeProduct[] = [],
  limits: ShopifyLimits = BY_PAGES,
): Promise<ShopifyWorld> {
  return sourceWorld(await shopifyShop(products), shopifyConnector(limits));
}
