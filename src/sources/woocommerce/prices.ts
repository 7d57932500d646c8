/**
 * Prices as the shop shows them. The REST API has them as entered, with or without tax. The Store API has what visitors
 * see; it is called without the key, because with it WooCommerce returns the prices of the key's user. If it does not
 * answer, prices are calculated with the shop's tax rates. If that fails, too, there is no price: none may be wrong.
 */
import type { JsonObject } from "../../lib/json-object.ts";
import { AppError } from "../../errors.ts";
import { idIn, indexById, objectIn, textIn } from "../kit/json.ts";
import { BY_ID, type CompleteRows, type WoocommerceRowKind, SHOWN_PRICES } from "./catalog.ts";
import { ifAllowed, type QueryParameters } from "./client.ts";
import type { WoocommerceShop } from "./connect.ts";
import type { WoocommerceStore } from "./store.ts";
import { amountIn, STORE_PRODUCTS } from "./store-api.ts";
import { isRateOfShop, priceCalculator, taxRates, type TaxRates } from "./tax.ts";

/** Under the names that the REST API has for prices as entered. */
type EnteredPrices = Readonly<Record<string, string | undefined>>;

export function shownPrices(shop: WoocommerceShop, store: WoocommerceStore): CompleteRows {
  if (store.showsAsEntered === true) return (rows) => Promise.resolve(rows);
  // A shop that locates visitors shows us the prices of the country that this machine is in.
  let isStoreOpen = store.visitorPlace !== "geolocated";
  let rates: Promise<TaxRates | null> | null = null;

  async function fromStore(
    ids: readonly number[],
    kind: WoocommerceRowKind,
  ): Promise<ReadonlyMap<number, EnteredPrices>> {
    const shown = isStoreOpen ? await requestPrices(shop, ids, kind) : null;
    isStoreOpen = shown !== null;
    const missing = ids.filter((id) => shown?.has(id) === false);
    if (shown === null || missing.length === 0) return shown ?? new Map();
    // A shop may hide what is out of stock, unless this status is requested.
    const soldOut = await requestPrices(shop, missing, kind, { stock_status: "outofstock" });
    return new Map([...shown, ...(soldOut ?? [])]);
  }

  return async (rows, kind) => {
    const ids = rows.flatMap((row) => (hasPrice(row) ? (idIn(row) ?? []) : []));
    if (ids.length === 0) return rows;
    const shown = await fromStore(ids, kind);
    let known: TaxRates | null = null;
    if (!ids.every((id) => shown.has(id))) {
      rates ??= readRates(shop, store);
      known = await rates;
      if (known === null && !isStoreOpen) throw unknownPrices(shop, store);
    }
    return rows.map((row) => {
      const prices = shown.get(idIn(row) ?? 0) ?? calculated(row, store, known);
      return hasPrice(row) ? { ...row, [SHOWN_PRICES]: prices } : row;
    });
  };
}

/** A variable product has none: its variations are sold. */
function hasPrice(row: JsonObject): boolean {
  return textIn(row, "price") !== undefined || textIn(row, "regular_price") !== undefined;
}

/** Null if the Store API refuses, or does not exist. */
async function requestPrices(
  { visitor }: WoocommerceShop,
  ids: readonly number[],
  kind: WoocommerceRowKind,
  filter: QueryParameters = {},
): Promise<ReadonlyMap<number, EnteredPrices> | null> {
  const type: QueryParameters = kind === "variation" ? { type: "variation" } : {};
  const query = { ...type, include: ids.join(","), per_page: ids.length, _fields: "id,prices", ...filter };
  const rows = await visitor.optionalRows(STORE_PRODUCTS, query);
  return rows === null
    ? null
    : indexById(rows, "id", (row) => toPrices((field) => amountIn(objectIn(row, "prices"), field)));
}

function calculated(row: JsonObject, store: WoocommerceStore, rates: TaxRates | null): EnteredPrices | null {
  const toShown = rates === null ? null : priceCalculator(row, store, rates);
  return toShown === null ? null : toPrices((field) => toShown(textIn(row, field)));
}

function toPrices(amountOf: (field: string) => string | undefined): EnteredPrices {
  const fields = ["price", "regular_price", "sale_price"];
  return Object.fromEntries(fields.map((field) => [field, amountOf(field)]));
}

/**
 * Null if the key may not read them, or if they are of no use. Of thousands, only those of the shop's place are kept.
 */
async function readRates({ api }: WoocommerceShop, store: WoocommerceStore): Promise<TaxRates | null> {
  if (store.showsTax === undefined || store.baseCountry === undefined) return null;
  const query = { ...BY_ID, _fields: "id,country,state,postcodes,cities,rate,priority,compound,class" };
  async function* ratesOfShop() {
    const pages = api.pages({ route: "wc/v3/taxes", query, noun: "tax rates" });
    for await (const page of pages) yield* page.filter((row) => isRateOfShop(row, store));
  }
  const rows = await ifAllowed(Array.fromAsync(ratesOfShop()));
  return rows === null ? null : taxRates(rows);
}

function unknownPrices({ api }: WoocommerceShop, { showsTax, pricesIncludeTax }: WoocommerceStore): AppError {
  const [shown, entered] = [showsTax, pricesIncludeTax].map((isWith) => (isWith ? "with" : "without"));
  const problem =
    showsTax === undefined || pricesIncludeTax === undefined
      ? "does not let this key read whether it shows prices with or without tax"
      : `shows prices ${shown} tax, but its REST API gives them ${entered}`;
  const message = `${api.host} ${problem}, and neither its Store API nor its tax rates say what visitors see. Nothing was changed. Allow the addresses under /wp-json/wc/store/ in the plugin that blocks them, create the key for an administrator or shop manager, or enter prices as they are shown (WooCommerce → Settings → Tax).`;
  return new AppError("source_unavailable", message);
}
