/** BigCommerce as a connector: one channel of one store, read through its REST API with a store-level token. */
import { interactiveLimits, limitsFor } from "../retry.ts";
import type { Connector } from "../source.ts";
import { BIGCOMMERCE_LIMITS, type BigCommerceLimits } from "./limits.ts";
import { probeShop } from "./probe.ts";
import { readShop } from "./read.ts";
import { BIGCOMMERCE_FIELDS, checkBigCommerce, shopSettings } from "./settings.ts";

export function bigcommerceConnector(limits: BigCommerceLimits): Connector {
  return {
    kind: "bigcommerce",
    label: "BigCommerce",
    fields: BIGCOMMERCE_FIELDS,
    check: checkBigCommerce,
    // One host for all stores: the token of one is of no use to another.
    destination: (settings) => shopSettings(settings).apiUrl,
    probe: (settings, context) => probeShop(settings, context, interactiveLimits(limits)),
    read: (settings, context) => readShop(settings, context, limitsFor(context, limits)),
  };
}

export const bigcommerce: Connector = bigcommerceConnector(BIGCOMMERCE_LIMITS);
