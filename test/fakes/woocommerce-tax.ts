/**
 * Prices as a shop shows them, calculated in floating point as WooCommerce does: `wc_get_price_including_tax` and
 * `wc_get_price_excluding_tax` (includes/wc-product-functions.php), with the rates that `WC_Tax::find_rates` finds by
 * country and class, in minor units as by the Store API's `MoneyFormatter`. Written without the code under test.
 */
import type { WooRow } from "./woocommerce-rows.ts";

/** What decides how a shop shows prices. */
export type TaxSetup = {
  readonly settings: Record<string, Record<string, string>>;
  readonly taxRates: readonly WooRow[];
  readonly baseCountry: string;
  readonly visitorCountry: string;
};

type Rates = readonly number[];

export function storePrices(row: WooRow, shop: TaxSetup): WooRow {
  const general = shop.settings["general"] ?? {};
  const decimals = Number(general["woocommerce_price_num_decimals"] ?? "2");
  const shown = (entered: unknown): string =>
    minorUnits(displayed(Number(entered === "" ? row["price"] : entered), row, shop), decimals);
  return {
    price: shown(row["price"]),
    regular_price: shown(row["regular_price"]),
    // `get_sale_price()` of a product without one is empty, and an empty price means the current one.
    sale_price: shown(row["sale_price"]),
    price_range: null,
    currency_code: general["woocommerce_currency"] ?? "EUR",
    currency_symbol: "€",
    currency_minor_unit: decimals,
  };
}

function displayed(price: number, row: WooRow, shop: TaxSetup): number {
  const tax = shop.settings["tax"] ?? {};
  const isTaxable =
    shop.settings["general"]?.["woocommerce_calc_taxes"] === "yes" &&
    (row["tax_status"] ?? "taxable") === "taxable";
  if (!isTaxable) return price;
  const includes = tax["woocommerce_prices_include_tax"] === "yes";
  const base = ratesIn(shop.baseCountry, row, shop);
  const visitor = ratesIn(visitorCountry(shop), row, shop);
  if (tax["woocommerce_tax_display_shop"] !== "incl") return includes ? price / (1 + sum(base)) : price;
  if (!includes) return price * (1 + sum(visitor));
  return sum(base) === sum(visitor) ? price : (price / (1 + sum(base))) * (1 + sum(visitor));
}

/** `wc_get_customer_default_location`, unless taxes follow the shop's own address. */
function visitorCountry({ settings, baseCountry, visitorCountry: own }: TaxSetup): string {
  if (settings["tax"]?.["woocommerce_tax_based_on"] === "base") return baseCountry;
  const usual = settings["general"]?.["woocommerce_default_customer_address"] ?? "base";
  if (usual === "") return "";
  return usual.startsWith("geolocation") ? own : baseCountry;
}

function ratesIn(country: string, row: WooRow, { taxRates }: TaxSetup): Rates {
  const taxClass = row["tax_class"] === "" ? "standard" : row["tax_class"];
  return taxRates
    .filter((rate) => rate["country"] === country && rate["class"] === (taxClass ?? "standard"))
    .map((rate) => Number(rate["rate"]) / 100);
}

const sum = (rates: Rates): number => rates.reduce((total, rate) => total + rate, 0);

function minorUnits(value: number, decimals: number): string {
  // PHP rounds to the nearest decimal first, so that 1.005 is not the float below it.
  return String(Math.round(Number((value * 10 ** decimals).toPrecision(14))));
}

export function taxRate(id: number, rate: string, more: WooRow = {}): WooRow {
  return {
    id,
    country: "DE",
    state: "",
    postcode: "",
    city: "",
    postcodes: [],
    cities: [],
    rate,
    name: "MwSt.",
    priority: 1,
    compound: false,
    shipping: true,
    order: id,
    class: "standard",
    ...more,
  };
}
