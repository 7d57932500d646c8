/**
 * The state of the last complete read, for conditional requests. An unchanged file means an unchanged catalog only with the same
 * settings, so a hash of the settings is stored with the connector's validators.
 */
import { createHash } from "node:crypto";
import { NORMALIZER_VERSION } from "../../catalog/normalize.ts";
import type { CatalogSettings } from "../../catalog/settings.ts";
import type { SourceSettings, Validators } from "../../sources/source.ts";

/** Stored with the connector's own names, none of which has a dot. */
const CONTEXT = "read.context";

/** All settings of the catalog count, even those that no field depends on today. `source` has no secrets. */
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
