/** BigCommerce as a connector: one channel of one store, read through its REST API with a store-level token. */
import type { Connector } from "../source.ts";
import { defineConnector } from "../kit/connector.ts";
import { BIGCOMMERCE_LIMITS, type BigCommerceLimits } from "./client.ts";
import { probeShop } from "./probe.ts";
import { readShop } from "./read.ts";
import { BIGCOMMERCE_FIELDS, checkBigCommerce, parseSettings } from "./settings.ts";

export function bigcommerceConnector(limits: BigCommerceLimits): Connector {
  return defineConnector(
    {
      kind: "bigcommerce",
      label: "BigCommerce",
      fields: BIGCOMMERCE_FIELDS,
      check: checkBigCommerce,
      // All stores have the same host, but the token of one store is useless for another.
      destination: (settings) => parseSettings(settings).apiUrl,
      probe: probeShop,
      read: readShop,
    },
    limits,
  );
}

export const bigcommerce: Connector = bigcommerceConnector(BIGCOMMERCE_LIMITS);
