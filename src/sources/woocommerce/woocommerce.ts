/** WooCommerce as a connector: by its REST API with a key, or by the Store API that every visitor may use. */
import { interactiveLimits, limitsFor } from "../kit/retry.ts";
import type { Connector } from "../source.ts";
import { WOO_LIMITS, type WooLimits } from "./limits.ts";
import { probeWoo } from "./probe.ts";
import { readWoo } from "./read.ts";
import { checkWoo, WOO_FIELDS } from "./settings.ts";

export function wooCommerceConnector(limits: WooLimits): Connector {
  return {
    kind: "woocommerce",
    label: "WooCommerce",
    fields: WOO_FIELDS,
    check: checkWoo,
    destination: ({ url = "" }) => url,
    probe: (settings, context) => probeWoo(settings, { ...context, limits: interactiveLimits(limits) }),
    read: (settings, context) => readWoo(settings, context, limitsFor(context, limits)),
  };
}

export const woocommerce: Connector = wooCommerceConnector(WOO_LIMITS);
