/**
 * What a complete read leaves for the next one to ask "has anything changed?". An unchanged file is an unchanged
 * catalog only if its rows would become the same items, so the settings they were normalized with are kept beside the
 * connector's own validators. With other settings nothing is remembered, and the source is read in full.
 */
import { createHash } from "node:crypto";
import { NORMALIZER_VERSION } from "../../catalog/normalize.ts";
import type { CatalogSettings } from "../../catalog/settings.ts";
import type { SourceSettings, Validators } from "../../sources/source.ts";

/** Beside the connector's own names, none of which has a dot. */
const CONTEXT = "read.context";

/**
 * All settings of the catalog count, also those that no field depends on today: reading once more than needed costs
 * little, an item that keeps the old currency costs a sale. The source's settings come without its secrets.
 */
export function contextKey(catalog: CatalogSettings, source: SourceSettings): string {
  const context = JSON.stringify([NORMALIZER_VERSION, sorted(catalog), sorted(source)]);
  return createHash("sha256").update(context).digest("hex").slice(0, 32);
}

/** The validators of the last complete read, if it was made with the same context. */
export function validatorsFor(stored: Validators | null, context: string): Validators | null {
  if (stored?.[CONTEXT] !== context) return null;
  const { [CONTEXT]: _context, ...validators } = stored;
  return validators;
}

/** The validators as they are stored. */
export const withContext = (validators: Validators | null, context: string): Validators | null =>
  validators === null ? null : { ...validators, [CONTEXT]: context };

const sorted = (settings: object): readonly (readonly [string, unknown])[] =>
  Object.entries(settings).sort(([a], [b]) => (a < b ? -1 : 1));
