/**
 * Prices with or without tax, as the shop shows them. The catalog has them as entered; whether shoppers of the store's
 * own country see them with tax is in its tax zones. Where that is not how they are entered, the shop itself is asked
 * for what it shows (Pricing API: https://developer.bigcommerce.com/docs/rest-management/pricing), for that country and
 * for shoppers who are not signed in.
 */
import { AppError } from "../../errors.ts";
import type { ShopApi } from "./api.ts";
import { PERMISSIONS } from "./failures.ts";
import type { Store } from "./store.ts";
import {
  asFields,
  type Fields,
  idIn,
  isTrue,
  listIn,
  numberIn,
  objectsIn,
  objectsOf,
  textIn,
} from "./wire.ts";

export type ShownPrice = { readonly regular?: number; readonly now: number };

/** The prices of variants by their ids, or undefined where the catalog's own are those shown. */
export type ShownPrices = {
  readonly isAsEntered: boolean;
  readonly of: (variants: readonly PricedVariant[]) => Promise<ReadonlyMap<number, ShownPrice>>;
};

export type PricedVariant = { readonly productId: number; readonly variantId: number };

/** Whether shoppers of the store's country see prices with tax; undefined if the store does not say. */
export async function readShowsTax(api: ShopApi, store: Store): Promise<boolean | undefined> {
  const zones = await api.listIfAllowed({ path: "v3/tax/zones", needs: PERMISSIONS.information });
  if (typeof zones === "number") return undefined;
  const enabled = objectsOf(zones.rows).filter((zone) => zone["enabled"] !== false);
  const zone = enabled.find((one) => isOf(one, store.country)) ?? enabled.find(isEverywhereElse);
  const display = zone === undefined ? null : asFields(zone["price_display_settings"]);
  return display === null || display["show_inclusive"] === undefined
    ? undefined
    : isTrue(display, "show_inclusive");
}

/** For the whole country and for all shoppers. */
function isOf(zone: Fields, country: string | undefined): boolean {
  const target = asFields(zone["shopper_target_settings"]) ?? {};
  return (
    listIn(target, "customer_groups").length === 0 &&
    objectsIn(target, "locations").some(
      (place) =>
        textIn(place, "country_code") === country &&
        listIn(place, "subdivision_codes").length + listIn(place, "postal_codes").length === 0,
    )
  );
}

/** The default zone has no places of its own. */
function isEverywhereElse(zone: Fields): boolean {
  const target = asFields(zone["shopper_target_settings"]) ?? {};
  return listIn(target, "locations").length + listIn(target, "customer_groups").length === 0;
}

/** As many as BigCommerce takes in a request. */
const ITEMS_A_REQUEST = 50;

export async function readShownPrices(api: ShopApi, store: Store, channelId: number): Promise<ShownPrices> {
  const entered = store.pricesIncludeTax;
  const shows = entered === undefined ? undefined : await readShowsTax(api, store);
  const isAsEntered = shows === undefined || shows === entered;
  const field = shows === true ? "tax_inclusive" : "tax_exclusive";

  async function ask(
    variants: readonly PricedVariant[],
  ): Promise<readonly (readonly [number, ShownPrice])[]> {
    const answer = await api.listIfAllowed({
      path: "v3/pricing/products",
      body: {
        channel_id: channelId,
        currency_code: store.currency,
        ...(store.country === undefined ? {} : { country_code: store.country }),
        items: variants.map(({ productId, variantId }) => ({ product_id: productId, variant_id: variantId })),
      },
      needs: PERMISSIONS.products,
    });
    if (typeof answer === "number") throw unknowable(shows === true);
    return objectsOf(answer.rows).flatMap((row) => {
      const id = idIn(row, "variant_id");
      const price = shownIn(row, field);
      return id === undefined || price === undefined ? [] : [[id, price] as const];
    });
  }

  return {
    isAsEntered,
    of: async (variants) => {
      const found = new Map<number, ShownPrice>();
      if (isAsEntered) return found;
      for (let from = 0; from < variants.length; from += ITEMS_A_REQUEST) {
        for (const [id, price] of await ask(variants.slice(from, from + ITEMS_A_REQUEST)))
          found.set(id, price);
      }
      return found;
    },
  };
}

function shownIn(row: Fields, field: "tax_inclusive" | "tax_exclusive"): ShownPrice | undefined {
  const amount = (name: string): number | undefined => numberIn(asFields(row[name]) ?? {}, field);
  const regular = amount("price");
  const now = amount("calculated_price") ?? regular;
  if (now === undefined) return undefined;
  return regular === undefined ? { now } : { regular, now };
}

function unknowable(showsTax: boolean): AppError {
  const [shown, entered] = showsTax ? ["with", "without"] : ["without", "with"];
  return new AppError(
    "source_unavailable",
    `The shop shows prices ${shown} tax, but its catalog has them ${entered}, and BigCommerce does not say what shoppers see (v3/pricing/products). Nothing was changed. Enter prices as they are shown (Settings, Tax), or ask BigCommerce's support for the Pricing API.`,
  );
}
