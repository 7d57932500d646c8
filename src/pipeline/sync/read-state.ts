/**
 * The state of the last complete read, for conditional requests and for reads of what changed. An unchanged file means
 * an unchanged catalog only with the same settings, so a hash of the settings is stored with it. See
 * docs/adr/0023-reads-of-what-changed.md.
 */
import { createHash } from "node:crypto";
import { NORMALIZER_VERSION } from "../../catalog/normalize.ts";
import type { CatalogSettings } from "../../catalog/settings.ts";
import type { ReadPart, SourceSettings, Validators } from "../../sources/source.ts";
import type { RunReads } from "../../store/runs.ts";
import type { ReadState } from "../../store/sources.ts";

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

/** Shops index a change some time after they date it, and long reads see changes late: so much is read again. */
const OVERLAP_MS = 10 * 60_000;

/** If the shop reported more products, everything is read. */
export const MAX_REPORTED_PRODUCTS = 200;

export type PartRequest = {
  readonly reads: RunReads;
  /** What the connector can read with these settings. */
  readonly parts: readonly ReadPart["kind"][];
  readonly fullReadHours: number;
  /** Of a read with the same settings. */
  readonly state: ReadState | null;
  /** Whether all rejections of that read are stored, with their products. */
  readonly knowsRejections: boolean;
  /** The products that the shop reported as changed. */
  readonly reported: readonly string[];
  readonly now: Date;
};

/** What a sync reads; null for everything. */
export function partToRead({ reads, parts, state, reported, ...request }: PartRequest): ReadPart | null {
  if (reads === "all" || !parts.includes(reads) || reported.length > MAX_REPORTED_PRODUCTS) return null;
  if (state === null || !request.knowsRejections) return null;
  if (reads === "products") return { kind: "products", products: reported };
  const since = sinceOf(state);
  if (since === null || isFullReadDue(state, request)) return null;
  return { kind: "changes", since, products: reported };
}

/** From when on changes are requested, by the shop's clock; null if they cannot be requested. */
export const sinceOf = ({ since }: ReadState): Date | null =>
  since === null ? null : new Date(Date.parse(since) - OVERLAP_MS);

type ReadSchedule = Pick<PartRequest, "fullReadHours" | "now">;

function isFullReadDue({ fullReadAt }: ReadState, { fullReadHours, now }: ReadSchedule): boolean {
  const ageMs = now.getTime() - Date.parse(fullReadAt);
  // A time in the future was written before the clock was set back.
  return ageMs < 0 || ageMs >= fullReadHours * 3_600_000;
}

export type FinishedRead = {
  /** Before a read of some products; null if everything was read. */
  readonly previous: ReadState | null;
  readonly context: string;
  readonly startedAt: Date;
  readonly newestChange: Date | null;
  /** How many items the source has now. */
  readonly items: number;
};

/** What a successful read leaves for the next one. */
export function nextReadState(read: FinishedRead): ReadState {
  const { previous, context, startedAt, newestChange, items } = read;
  const full = previous ?? { since: null, fullReadAt: startedAt.toISOString(), items };
  return {
    context,
    since: laterOf(full.since, newestChange?.toISOString() ?? null),
    fullReadAt: full.fullReadAt,
    items: full.items,
  };
}

/** Both in the form of `toISOString`, or null. */
const laterOf = (a: string | null, b: string | null): string | null =>
  a === null || (b !== null && b > a) ? b : a;
