/**
 * What holds for every product of a shop: currency, units, how prices are entered. All of it is in the shop's
 * settings, which not every key may read; what cannot be had is null, and the catalog's own settings may say it.
 */
import { AppError } from "../../errors.ts";
import type { Shop } from "./connect.ts";
import { isRow, rowIn, textIn } from "./wire.ts";

export type Facts = {
  readonly currency: string | null;
  readonly weightUnit: string | null;
  readonly dimensionUnit: string | null;
  /** As entered, which is how the REST API gives them. Null where the shop calculates no taxes. */
  readonly pricesIncludeTax: boolean | null;
  readonly showsTax: boolean | null;
};

export async function readFacts(shop: Shop): Promise<Facts> {
  const general = await settingsIn(shop, "general");
  const products = await settingsIn(shop, "products");
  const tax = await settingsIn(shop, "tax");
  const paysTax = general.get("woocommerce_calc_taxes") === "yes";
  return {
    currency: general.get("woocommerce_currency") ?? (await currencyShown(shop)),
    weightUnit: products.get("woocommerce_weight_unit") ?? null,
    dimensionUnit: products.get("woocommerce_dimension_unit") ?? null,
    pricesIncludeTax: paysTax ? flagOf(tax.get("woocommerce_prices_include_tax"), "yes") : null,
    showsTax: paysTax ? flagOf(tax.get("woocommerce_tax_display_shop"), "incl") : null,
  };
}

function flagOf(value: string | undefined, yes: string): boolean | null {
  return value === undefined ? null : value === yes;
}

async function settingsIn({ api }: Shop, group: string): Promise<ReadonlyMap<string, string>> {
  const answer = await orNull(api.get(`wc/v3/settings/${group}`, { _fields: "id,value" }));
  const rows = Array.isArray(answer?.body) ? answer.body.filter(isRow) : [];
  return new Map(
    rows.flatMap((row) => {
      const [id, value] = [textIn(row, "id"), textIn(row, "value")];
      return id === undefined || value === undefined ? [] : [[id, value] as const];
    }),
  );
}

/** What any visitor is shown: for keys that may not read the settings. */
async function currencyShown({ api }: Shop): Promise<string | null> {
  const answer = await orNull(api.get("wc/store/v1/products", { per_page: "1", _fields: "prices" }));
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
