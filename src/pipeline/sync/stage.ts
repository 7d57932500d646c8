/** The sink of syncs and pushes: items go into staging, rejections and warnings into the ledger. */
import { encodeItem } from "../../catalog/item.ts";
import type { Normalized } from "../../catalog/normalize.ts";
import type { StagedItem, Staging } from "../../store/staging.ts";
import type { Sink } from "../intake.ts";
import { hashRow, type KnownRows } from "./known-rows.ts";
import type { Ledger } from "./ledger.ts";

export type StagingContext = {
  readonly staging: Staging;
  readonly ledger: Ledger;
};

export function stagingSink(context: StagingContext): Sink {
  return {
    add: (row, position) => stage(row, position, context),
    warn: (warning) => context.ledger.warn(warning),
  };
}

/** The products that a read named. */
export class ReadProducts {
  /** In a read of some products: those whose rows are all in it. */
  readonly complete = new Set<string>();
  readonly rejected = new Set<string>();
  /** Rows were rejected whose product is not known. */
  hasUnnamed = false;

  reject(product: string | undefined): void {
    if (product === undefined) this.hasUnnamed = true;
    else if (this.rejected.size <= MAX_REJECTED_PRODUCTS) this.rejected.add(product);
  }
}

/** If more products than this have rejected rows, they are not read again one by one: the next read is a complete one. */
export const MAX_REJECTED_PRODUCTS = 100;

/** The sink of a sync: rows of the last complete read are only marked as seen, all others are staged with their hash. */
export function sourceSink(
  context: StagingContext,
  { known, products }: { readonly known: KnownRows | undefined; readonly products: ReadProducts },
): Sink {
  const { ledger } = context;
  let rowHash: Buffer | null = null;
  return {
    ...stagingSink(context),
    take: (event) => {
      if (event.kind !== "draft") return false;
      rowHash = hashRow(event.draft, event.decimalMark);
      if (known?.see(rowHash, event.position) !== true) return false;
      rowHash = null;
      ledger.seen += 1;
      ledger.accepted += 1;
      return undefined;
    },
    addProduct: (product) => void products.complete.add(product),
    add: (row, position, product) => {
      if (row.kind === "rejected") products.reject(product);
      const staged = stage(row, position, context, { rowHash, productKey: product ?? null });
      rowHash = null;
      return staged;
    },
  };
}

/** Returns a promise only when staging must catch up: this runs a million times. */
export function stage(
  row: Normalized,
  position: number,
  { staging, ledger }: StagingContext,
  { rowHash = null, productKey = null }: Pick<StagedItem, "rowHash" | "productKey"> = {},
): Promise<void> | undefined {
  ledger.seen += 1;
  if (row.kind === "rejected") {
    ledger.reject(row.rejection);
    return undefined;
  }
  ledger.accepted += 1;
  for (const warning of row.warnings) ledger.warn(warning);
  const { id, groupId = null } = row.item;
  const { fingerprint, body } = encodeItem(row.item);
  // A row with a warning is read again every time, to give its warning again.
  const isQuiet = row.warnings.length === 0;
  return staging.add({
    position,
    id,
    groupId,
    fingerprint,
    body,
    rowHash: isQuiet ? rowHash : null,
    productKey,
  });
}
