/** Normalizes a batch of rows, here or on a thread of its own: `normalize-thread.ts`. */
import { hash } from "node:crypto";
import type { Draft } from "../../catalog/draft.ts";
import type { Rejection, Warning } from "../../catalog/finding.ts";
import { encodeItem } from "../../catalog/item.ts";
import type { DecimalMark } from "../../catalog/decimal.ts";
import { normalize } from "../../catalog/normalize.ts";
import type { CatalogSettings } from "../../catalog/settings.ts";
import { hashText as hashId } from "../../lib/hash-table.ts";
import { CopyWriter } from "../../store/copy-binary.ts";
import { type EncodedRows, type StagedItem, writeStaged } from "../../store/staging.ts";

export type DraftRow = {
  readonly position: number;
  readonly draft: Draft;
  readonly decimalMark: DecimalMark | undefined;
  readonly productKey: string | null;
  readonly rowHash: string;
  /** `rowText`, if it was made already. */
  readonly text: string | undefined;
};

/** Everything that `normalize` depends on, besides the settings. */
export const rowText = ({ draft, decimalMark }: Drafted): string => JSON.stringify([draft, decimalMark]);

type Drafted = { readonly draft: Draft; readonly decimalMark?: DecimalMark | undefined };

/** 16 bytes in hexadecimal. A buffer of its own for each would take as long as the hash. */
const HASH_LENGTH = 32;

export const hashText = (text: string): string => hash("sha256", text, "hex").slice(0, HASH_LENGTH);

/** Why a row is no item, or what is wrong with its item; `index` is that of the row in its batch. */
export type RowFinding =
  | { readonly index: number; readonly kind: "rejected"; readonly rejection: Rejection }
  | { readonly index: number; readonly kind: "warnings"; readonly warnings: readonly Warning[] };

export type NormalizedRows<Items> = { readonly items: Items; readonly findings: readonly RowFinding[] };

/**
 * Runs each step for all rows before the next one. A first sync is a fifth faster than with all steps for one row after
 * the other, because the code of one step stays in the processor's cache.
 */
export function normalizeRows(
  rows: readonly DraftRow[],
  settings: CatalogSettings,
): NormalizedRows<readonly StagedItem[]> {
  const findings: RowFinding[] = [];
  const results = rows.map(({ draft, position, decimalMark }) =>
    normalize(draft, { position, settings, decimalMark }),
  );
  const items = results.flatMap((result, index): StagedItem[] => {
    const row = rows[index];
    if (result.kind === "rejected") findings.push({ index, ...result });
    if (result.kind === "rejected" || row === undefined) return [];
    const { item, warnings } = result;
    if (warnings.length > 0) findings.push({ index, kind: "warnings", warnings });
    const { position, productKey } = row;
    // A row with a warning is read again every time, to give its warning again.
    const rowHash = warnings.length === 0 ? row.rowHash : null;
    const { id, groupId = null } = item;
    return [{ position, id, groupId, ...encodeItem(item), rowHash, productKey }];
  });
  return { items, findings };
}

/**
 * A batch as it crosses to a thread: each row as a text, because a copy of the object takes longer than to parse it.
 */
export type PackedRows = {
  readonly texts: readonly string[];
  readonly positions: readonly number[];
  readonly productKeys: readonly (string | null)[];
  readonly hashes: readonly string[];
};

export function packRows(rows: readonly DraftRow[]): PackedRows {
  return {
    texts: rows.map((row) => row.text ?? rowText(row)),
    positions: rows.map(({ position }) => position),
    productKeys: rows.map(({ productKey }) => productKey),
    hashes: rows.map(({ rowHash }) => rowHash),
  };
}

export function normalizePacked(
  { texts, positions, productKeys, hashes }: PackedRows,
  settings: CatalogSettings,
): NormalizedRows<EncodedRows> {
  const rows = texts.map((text, index): DraftRow => {
    const [draft, decimalMark] = JSON.parse(text) as [Draft, DecimalMark | null];
    return {
      draft,
      decimalMark: decimalMark ?? undefined,
      position: positions[index] ?? 0,
      productKey: productKeys[index] ?? null,
      rowHash: hashes[index] ?? "",
      text,
    };
  });
  const { items, findings } = normalizeRows(rows, settings);
  const writer = new CopyWriter();
  const idHashes = new Uint32Array(2 * items.length);
  const key = { high: 0, low: 0 };
  for (const [index, item] of items.entries()) {
    hashId(item.id, key);
    idHashes[2 * index] = key.high;
    idHashes[2 * index + 1] = key.low;
    writeStaged(item, writer);
  }
  return { items: { bytes: writer.take(), count: items.length, idHashes }, findings };
}
