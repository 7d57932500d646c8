/** A Shopify shop as a connector, through its Admin API. */
import { interactiveLimits, limitsFor } from "../kit/retry.ts";
import type { Connector } from "../source.ts";
import { SHOPIFY_LIMITS, type ShopifyLimits } from "./limits.ts";
import { probeShopify } from "./probe.ts";
import { readShopify } from "./read.ts";
import { checkShopify, SHOPIFY_FIELDS } from "./settings.ts";
import { shopDomain } from "./shop-domain.ts";

export function shopifyConnector(limits: ShopifyLimits): Connector {
  return {
    kind: "shopify",
    label: "Shopify",
    fields: SHOPIFY_FIELDS,
    check: checkShopify,
    destination: ({ shop = "", base_url }) => base_url ?? `https://${shopDomain(shop) ?? ""}`,
    probe: (settings, context) => probeShopify(settings, context, interactiveLimits(limits)),
    read: (settings, context) => readShopify(settings, context, limitsFor(context, limits)),
  };
}

export const shopify: Connector = shopifyConnector(SHOPIFY_LIMITS);
