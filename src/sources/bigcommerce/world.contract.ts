/** A fake BigCommerce store and a connector without waits, for one test. */
import type { Json } from "../../../test/fakes/bigcommerce-products.ts";
import { bigcommerceShop } from "../../../test/fakes/bigcommerce-shop.ts";
import { BRIEF_RETRIES, sourceWorld } from "../source.contract.ts";
import { bigcommerceConnector } from "./bigcommerce.ts";
import { BIGCOMMERCE_LIMITS, type BigCommerceLimits } from "./client.ts";

export async function bigcommerceWorld(
  products: readonly Json[] = [],
  limits: Partial<BigCommerceLimits> = {},
) {
  /** How long each wait for a new quota would have been. */
  const pauses: number[] = [];
  const connector = bigcommerceConnector({
    ...BIGCOMMERCE_LIMITS,
    retries: BRIEF_RETRIES,
    pause: (ms) => {
      pauses.push(ms);
      return Promise.resolve();
    },
    ...limits,
  });
  return { ...sourceWorld(await bigcommerceShop(products), connector), pauses };
}
