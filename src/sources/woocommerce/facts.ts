/**
 * What holds for every product of a shop: currency, units, how prices are entered and shown. All of it is in the
 * shop's settings, which not every key may read; what cannot be read is null, and the catalog's own settings may say it.
 */
import { AppError } from "../../errors.ts";
import type { Shop } from "./connect.ts";
import { isRow, rowIn, textIn } from "./wire.ts";

export type Facts = {
  readonly currency: string | null;
  readonly weightUnit: string | null;
  readonly dimensionUnit: string | null;
  /** Whether prices are shown as they are entered, which is how the REST API gives them. Null: the key may not know. */
  readonly showsAsEntered: boolean | null;
  /** As entered. Null where the shop calculates no taxes. */
  readonly pricesIncludeTax: boolean | null;
  readonly showsTax: boolean | null;
  /** How many decimals the shop shows, whatever was entered. */
  readonly priceDecimals: number | null;
  /** Whose taxes a visitor without an address is shown. */
  readonly visitorPlace: "base" | "geolocated" | "none";
  readonly baseCountry: string | null;
  readonly baseState: string | null;
  readonly roundsAtSubtotal: boolean;
};

export async function readFacts(shop: Shop): Promise<Facts> {
  const general = await settingsIn(shop, "general");
  const products = await settingsIn(shop, "products");
  const tax = await settingsIn(shop, "tax");
  const taxes = general.get("woocommerce_calc_taxes");
  const paysTax = taxes === "yes";
  const pricesIncludeTax = paysTax ? flagOf(tax.get("woocommerce_prices_include_tax"), "yes") : null;
  const showsTax = paysTax ? flagOf(tax.get("woocommerce_tax_display_shop"), "incl") : null;
  const visitorPlace = visitorPlaceOf(general, tax);
  const [baseCountry, baseState] = (general.get("woocommerce_default_country") ?? "").split(":");
  return {
    currency: general.get("woocommerce_currency") || (await currencyShown(shop)),
    weightUnit: products.get("woocommerce_weight_unit") || null,
    dimensionUnit: products.get("woocommerce_dimension_unit") || null,
    showsAsEntered: taxes === "no" ? true : isSame(pricesIncludeTax, showsTax, visitorPlace),
    pricesIncludeTax,
    showsTax,
    priceDecimals: decimalsOf(general.get("woocommerce_price_num_decimals")),
    visitorPlace,
    baseCountry: baseCountry || null,
    baseState: baseState || null,
    roundsAtSubtotal: tax.get("woocommerce_tax_round_at_subtotal") === "yes",
  };
}

/**
 * Prices that include the tax of the shop's own country lose it for a visitor of whom no place is known
 * (`wc_get_price_including_tax`, where the visitor's rates differ from those of the base).
 */
function isSame(
  includes: boolean | null,
  shows: boolean | null,
  place: Facts["visitorPlace"],
): boolean | null {
  if (includes === null || shows === null) return null;
  return includes === shows && !(shows && place === "none");
}

/** As `WC_Customer::get_taxable_address` and `wc_get_customer_default_location` decide it. */
function visitorPlaceOf(general: Settings, tax: Settings): Facts["visitorPlace"] {
  if (tax.get("woocommerce_tax_based_on") === "base") return "base";
  const usual = general.get("woocommerce_default_customer_address") ?? "base";
  if (usual === "") return "none";
  return usual.startsWith("geolocation") ? "geolocated" : "base";
}

function decimalsOf(text: string | undefined): number | null {
  return text !== undefined && /^\d$/.test(text) ? Number(text) : null;
}

function flagOf(value: string | undefined, yes: string): boolean | null {
  return value === undefined ? null : value === yes;
}

type Settings = ReadonlyMap<string, string>;

async function settingsIn({ api }: Shop, group: string): Promise<Settings> {
  const answer = await orNull(api.get(`wc/v3/settings/${group}`, { _fields: "id,value" }));
  const rows = Array.isArray(answer?.body) ? answer.body.filter(isRow) : [];
  return new Map(
    rows.flatMap((row) => {
      const [id, value] = [textIn(row, "id"), row["value"]];
      // An empty value is one, too: "no location by default".
      const text = value === "" ? "" : textIn(row, "value");
      return id === undefined || text === undefined ? [] : [[id, text] as const];
    }),
  );
}

/** What any visitor is shown: for keys that may not read the settings. */
async function currencyShown({ visitor }: Shop): Promise<string | null> {
  const answer = await orNull(visitor.get("wc/store/v1/products", { per_page: "1", _fields: "prices" }));
  const first: unknown = Array.isArray(answer?.body) ? answer.body[0] : null;
  return isRow(first) ? (textIn(rowIn(first, "prices"), "currency_code") ?? null) : null;
}

/** For what the shop need not tell: no permission or no such route is no failure. */
export async function orNull<T>(asked: Promise<T>): Promise<T | null> {
  try {
    return await asked;
  } catch (error) {
    const isMissing =
      error instanceof AppError && ["source_unauthorized", "source_not_found"].includes(error.code);
    if (isMissing) return null;
    throw error;
  }
}
