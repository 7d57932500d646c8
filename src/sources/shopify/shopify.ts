/** Shopify as a connector: one shop, read through its Admin API. */
import { AppError } from "../../errors.ts";
import { defineConnector, probeFacts, probeNotes } from "../kit/connector.ts";
import { yesNo } from "../kit/draft.ts";
import { dropSentences } from "../kit/event-builder.ts";
import type { Connector, ProbeResult } from "../source.ts";
import { SHOPIFY_LIMITS, type ShopifyLimits } from "./client.ts";
import { DROP_REASONS } from "./product.ts";
import { changedProducts, deletedProducts, listedIds } from "./changes.ts";
import { readProducts, readShop, versionNotes } from "./read.ts";
import { checkShopify, parseSettings, SHOPIFY_FIELDS } from "./settings.ts";
import { openShop, type ShopifyShop } from "./shop.ts";
import { receiveHook, SHOPIFY_HOOKS } from "./webhooks.ts";

export function shopifyConnector(limits: ShopifyLimits): Connector {
  return defineConnector(
    {
      kind: "shopify",
      label: "Shopify",
      fields: SHOPIFY_FIELDS,
      check: checkShopify,
      destination: (settings) => parseSettings(settings).origin,
      open: openShop,
      probe: (shop) => Promise.resolve(probeShop(shop)),
      read: readShop,
      hooks: { ...SHOPIFY_HOOKS, receive: receiveHook },
      part: {
        changed: changedProducts,
        products: readProducts,
        maxProducts: limits.maxChanged,
        ids: listedIds,
        deleted: deletedProducts,
        // Prices of a market change without a change of the product.
        of: (settings) => (settings["country"] ? ["products"] : ["products", "changes"]),
      },
    },
    limits,
  );
}

export const shopify: Connector = shopifyConnector(SHOPIFY_LIMITS);

/** Are the credentials and the scopes sufficient, and what should the merchant know before the first sync? */
function probeShop(shop: ShopifyShop): ProbeResult {
  const { scopes } = shop;
  // `write_products` includes reading. An app whose scopes are not stated was accepted already.
  if (scopes.length > 0 && !scopes.includes("read_products") && !scopes.includes("write_products")) {
    throw new AppError(
      "source_unauthorized",
      "The app lacks the scope read_products. Add this scope to its configuration, release the new version, and approve or install it again on the shop.",
    );
  }
  const facts = probeFacts({
    Shop: shop.name,
    Address: shop.domain,
    Plan: shop.plan,
    Country: shop.country,
    Currency: shop.currency,
    "Prices include tax": yesNo(shop.taxesIncluded),
    "Products to be read": String(shop.listed),
    "API version": shop.api.version(),
    Scopes: scopes.join(", "),
  });
  const notes = [
    ...dropSentences(DROP_REASONS, shop.notRequested).map((sentence) =>
      sentence.replace(/ (?:was|were) left out/, " will be left out"),
    ),
    ...versionNotes(shop),
    ...probeNotes({ "The shop has no active products yet.": shop.listed === 0 }),
  ];
  return { facts, notes };
}
