/** What a Shopify export says of stock. */
import { stockOf } from "./kit.ts";
import type { CellReader } from "../row-mapper.ts";

export type Stock = {
  readonly availability: string;
  readonly isCounted: boolean;
  /** Shopify may count the item, but the export does not say how many there are. */
  readonly isAssumed: boolean;
};
export type StockReader = (cells: readonly string[], cell: CellReader) => Stock;

/**
 * What the export says of stock, and what a missing value means (docs/sources/README.md): goods that Shopify does not
 * count are in stock; sold-out ones can be ordered where the shop continues to sell; without a quantity, what the shop
 * sells is in stock.
 */
export function stockReader(names: readonly string[]): StockReader {
  const hasTracker = names.includes("variant_inventory_tracker") || names.includes("inventory_tracker");
  return (cells, cell) => {
    const quantity = cell(cells, "variant_inventory_qty", "inventory_quantity");
    const tracker = cell(cells, "variant_inventory_tracker", "inventory_tracker");
    // Without the column that says so, any of them may be counted.
    const isCounted = !hasTracker || tracker !== undefined;
    const allowsBackorders = allowsBackordersIn(cells, cell);
    if (isCounted && quantity === undefined)
      return { availability: "in stock", isCounted, isAssumed: !allowsBackorders };
    const availability = stockOf({ isTracked: isCounted, quantity, allowsBackorders }) ?? "out of stock";
    return { availability, isCounted, isAssumed: false };
  };
}

/** Exports have written `continue`, `CONTINUE`, `TRUE` and `true`. */
function allowsBackordersIn(cells: readonly string[], cell: CellReader): boolean {
  const policy = cell(cells, "variant_inventory_policy", "continue_selling_when_out_of_stock");
  return /^(?:continue|true|yes|1)$/i.test(policy ?? "");
}
