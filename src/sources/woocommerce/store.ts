/**
 * What holds for every product of a shop: currency, units, how prices are entered and shown. It is in the shop's
 * settings, which not every key may read: what cannot be read is undefined, and the catalog's settings may have it.
 */
import { objectIn, textIn } from "../kit/json.ts";
import type { WoocommerceShop } from "./connect.ts";

export type WoocommerceStore = Awaited<ReturnType<typeof readStore>>;

export async function readStore(shop: Pick<WoocommerceShop, "api" | "visitor">) {
  const general = await readSettings(shop, "general");
  const products = await readSettings(shop, "products");
  const tax = await readSettings(shop, "tax");
  const decimals = general.get("woocommerce_price_num_decimals") ?? "";
  const [baseCountry, baseState] = (general.get("woocommerce_default_country") ?? "").split(":");
  return {
    currency: general.get("woocommerce_currency") || (await readShownCurrency(shop)),
    weightUnit: products.get("woocommerce_weight_unit") || undefined,
    sizeUnit: products.get("woocommerce_dimension_unit") || undefined,
    ...taxDisplay(general, tax),
    /** How many decimals the shop shows, whatever was entered. */
    priceDecimals: /^\d$/.test(decimals) ? Number(decimals) : undefined,
    baseCountry: baseCountry || undefined,
    baseState: baseState || undefined,
    roundsAtSubtotal: tax.get("woocommerce_tax_round_at_subtotal") === "yes",
  };
}

function taxDisplay(general: Settings, tax: Settings) {
  const calculatesTax = general.get("woocommerce_calc_taxes");
  const flag = (name: string, yes: string): boolean | undefined => {
    const value = calculatesTax === "yes" ? tax.get(name) : undefined;
    return value === undefined ? undefined : value === yes;
  };
  const pricesIncludeTax = flag("woocommerce_prices_include_tax", "yes");
  const showsTax = flag("woocommerce_tax_display_shop", "incl");
  const visitorPlace = visitorPlaceOf(general, tax);
  const isKnown = pricesIncludeTax !== undefined && showsTax !== undefined;
  // Prices with the tax of the shop's country are shown without it to a visitor whose place is not known
  // (`wc_get_price_including_tax`, if the visitor's rates differ from those of the base).
  const isSame = pricesIncludeTax === showsTax && !(showsTax === true && visitorPlace === "none");
  return {
    /** Whether prices are shown as they are entered, which is how the REST API has them. */
    showsAsEntered: calculatesTax === "no" || (isKnown ? isSame : undefined),
    /** As entered. Undefined, too, if the shop calculates no taxes. */
    pricesIncludeTax,
    showsTax,
    visitorPlace,
  };
}

type Settings = ReadonlyMap<string, string>;

/** Whose taxes a visitor without an address sees. */
type VisitorPlace = "base" | "geolocated" | "none";

/** As in `WC_Customer::get_taxable_address` and `wc_get_customer_default_location`. */
function visitorPlaceOf(general: Settings, tax: Settings): VisitorPlace {
  if (tax.get("woocommerce_tax_based_on") === "base") return "base";
  const address = general.get("woocommerce_default_customer_address") ?? "base";
  if (address === "") return "none";
  return address.startsWith("geolocation") ? "geolocated" : "base";
}

async function readSettings({ api }: Pick<WoocommerceShop, "api">, group: string): Promise<Settings> {
  const rows = (await api.optionalRows(`wc/v3/settings/${group}`, { _fields: "id,value" })) ?? [];
  const settings = new Map<string, string>();
  for (const row of rows) {
    // An empty value has a meaning: "no location by default".
    const [id, value] = [textIn(row, "id"), row["value"] === "" ? "" : textIn(row, "value")];
    if (id !== undefined && value !== undefined) settings.set(id, value);
  }
  return settings;
}

/** What visitors see, for keys that may not read the settings. */
async function readShownCurrency({ visitor }: Pick<WoocommerceShop, "visitor">): Promise<string | undefined> {
  const query = { per_page: 1, _fields: "prices" };
  const [first = {}] = (await visitor.optionalRows("wc/store/v1/products", query)) ?? [];
  return textIn(objectIn(first, "prices"), "currency_code");
}
