/** Normalizes a batch of rows and encodes them for staging. It runs on a thread of its own: `normalize-thread.ts`. */
import { hash } from "node:crypto";
import type { Draft } from "../../catalog/draft.ts";
import type { Rejection, Warning } from "../../catalog/finding.ts";
import { encodeItem } from "../../catalog/item.ts";
import type { DecimalMark } from "../../catalog/money.ts";
import { normalize } from "../../catalog/normalize.ts";
import type { CatalogSettings } from "../../catalog/settings.ts";
import { writeHash } from "../../lib/repeat-detector.ts";
import { CopyWriter } from "../../store/copy-binary.ts";
import { type EncodedRows, writeStaged } from "../../store/staging.ts";

/** What crosses to the thread: each row as `rowText`, because a copy of the object takes longer than to parse it. */
export type RowBatch = {
  readonly texts: readonly string[];
  readonly positions: readonly number[];
  readonly productKeys: readonly (string | null)[];
};

/** Everything that `normalize` depends on, besides the settings. */
export const rowText = (draft: Draft, decimalMark: DecimalMark | undefined): string =>
  JSON.stringify([draft, decimalMark]);

/** 16 bytes in hexadecimal. A buffer of its own for each would take as long as the hash. */
const HASH_LENGTH = 32;

export const hashText = (text: string): string => hash("sha256", text, "hex").slice(0, HASH_LENGTH);

/** Why a row is no item, or what is wrong with its item; `index` is that of the row in its batch. */
export type RowFinding =
  | { readonly index: number; readonly kind: "rejected"; readonly rejection: Rejection }
  | { readonly index: number; readonly kind: "warnings"; readonly warnings: readonly Warning[] };

export type NormalizedRows = {
  readonly encoded: EncodedRows;
  readonly findings: readonly RowFinding[];
};

export function normalizeRows(
  { texts, positions, productKeys }: RowBatch,
  settings: CatalogSettings,
): NormalizedRows {
  const writer = new CopyWriter();
  const findings: RowFinding[] = [];
  const idHashes = new Uint32Array(2 * texts.length);
  for (const [index, text] of texts.entries()) {
    const position = positions[index] ?? 0;
    const productKey = productKeys[index] ?? null;
    const [draft, decimalMark] = JSON.parse(text) as [Draft, DecimalMark | null];
    const result = normalize(draft, { position, settings, decimalMark: decimalMark ?? undefined });
    if (result.kind === "rejected") {
      findings.push({ index, ...result });
      continue;
    }
    const { item, warnings } = result;
    const isQuiet = warnings.length === 0;
    if (!isQuiet) findings.push({ index, kind: "warnings", warnings });
    writeHash(item.id, idHashes, 2 * writer.rows);
    const { id, groupId = null } = item;
    const rowHash = isQuiet ? hashText(text) : null;
    writeStaged({ position, id, groupId, ...encodeItem(item), rowHash, productKey }, writer);
  }
  const count = writer.rows;
  return { encoded: { bytes: writer.take(), count, idHashes: idHashes.subarray(0, 2 * count) }, findings };
}
