/**
 * Samples a source, saved or not: checks the credentials, reads some items and predicts their feeds. Changes nothing.
 */
import type { Rejection, Warning } from "../../catalog/finding.ts";
import type { Item } from "../../catalog/item.ts";
import type { Normalized } from "../../catalog/normalize.ts";
import { AppError } from "../../errors.ts";
import type { ColumnSuggestion, ProbeResult, SourceSettings } from "../../sources/source.ts";
import { type Catalog, findCatalog } from "../../store/catalogs.ts";
import type { Queries } from "../../store/db.ts";
import { newId } from "../../lib/id.ts";
import { type PushedChange, intake, type Intake } from "../intake.ts";
import type { JobDeps } from "../job.ts";
import { type Forecast, forecastFeeds } from "./forecast.ts";
import {
  type Cleared,
  type Effect,
  type FirstRow,
  type FirstRowsScope,
  mergeFirstRows,
} from "./first-rows.ts";
import { SOURCE_ID_OWNERS } from "./merge-staged.ts";
import { withSpool } from "./spool.ts";

const SAMPLE_SIZE = 20;

/** A caller waits for the answer. */
const TIMEOUT_MS = 60_000;

export type SourceToTry = {
  readonly catalogId: string;
  /** Undefined for a source that is not saved. */
  readonly id?: string;
  readonly kind: string;
  /** Secrets included. */
  readonly settings: SourceSettings;
};

export type Sampled = {
  /** Null for kinds without a probe. */
  readonly probe: ProbeResult | null;
  /** What an uploaded file is, in words. Null for sources. */
  readonly format: string | null;
  readonly items: readonly Item[];
  readonly rejections: readonly Rejection[];
  readonly warnings: readonly Warning[];
  readonly effect: Effect;
  /** The stored items that would lose fields. */
  readonly cleared: readonly Cleared[];
  readonly feeds: readonly Forecast[];
  /** Settings for columns that were not recognized. */
  readonly suggestion: ColumnSuggestion | null;
  /** The source has no more items. */
  readonly isWhole: boolean;
};

export type SampleDeps = Pick<JobDeps, "db" | "http" | "connectors" | "spoolRoot">;

export async function sampleSource(
  deps: SampleDeps,
  source: SourceToTry,
  signal: AbortSignal,
  timeoutMs = TIMEOUT_MS,
): Promise<Sampled> {
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    return await readSample(deps, source, AbortSignal.any([signal, timeout]));
  } catch (error) {
    if (!timeout.aborted) throw error;
    const message = `The source took longer than ${timeoutMs / 1000} s to send its first items.`;
    throw new AppError("source_timeout", message, { cause: error });
  }
}

async function readSample(
  { db, http, connectors, spoolRoot }: SampleDeps,
  { catalogId, id: sourceId = newId(), kind, settings }: SourceToTry,
  signal: AbortSignal,
): Promise<Sampled> {
  const connector = connectors[kind];
  const catalog = await findCatalog(db, catalogId);
  if (!connector || !catalog)
    throw new AppError("source_settings_invalid", `There is no connector of kind "${kind}".`);
  const probe = (await connector.probe?.(settings, { http, signal })) ?? null;
  return withSpool(spoolRoot, async (spoolDir) => {
    const { currency, language } = catalog.settings;
    const context = { http, signal, spoolDir, previous: null, currency, language, extent: "sample" } as const;
    const events = connector.read(settings, context);
    const collected = await collect({ events, settings: catalog.settings, signal });
    const { suggestion, isWhole } = collected;
    const scope = { catalogId, sourceId, idOwners: SOURCE_ID_OWNERS };
    const merged = await withMerge(db, scope, { collected, catalog });
    return { probe, format: null, ...merged, suggestion, isWhole };
  });
}

/** Adds what the merge and the render would do with the rows. */
export async function withMerge(
  db: Queries,
  scope: FirstRowsScope,
  { collected, catalog }: { readonly collected: Collected; readonly catalog: Catalog },
): Promise<Pick<Sampled, "items" | "rejections" | "warnings" | "effect" | "cleared" | "feeds">> {
  const { items, rejections, warnings, effect, cleared } = await mergeFirstRows(db, scope, collected.rows);
  const now = new Date();
  return {
    items,
    rejections: [...collected.rejections, ...rejections].sort((one, other) => one.position - other.position),
    warnings: [...collected.warnings, ...warnings],
    effect,
    cleared,
    feeds: forecastFeeds(items, { catalog, settings: catalog.settings, asOf: now, snapshotAt: now }),
  };
}

export type Collected = Pick<Sampled, "rejections" | "warnings" | "suggestion" | "isWhole"> & {
  readonly rows: readonly FirstRow[];
  /** Reading ended because these are enough. */
  readonly isFull: boolean;
};

/** Reads a change before it is normalized; undefined for one that is normalized like the row of a source. */
export type TakeChange = (event: PushedChange) => Promise<Normalized | FirstRow> | undefined;

/** Reads the first items. */
export async function collect(source: Intake, takeChange?: TakeChange): Promise<Collected> {
  const rows: FirstRow[] = [];
  const rejections: Rejection[] = [];
  const warnings: Warning[] = [];
  let suggestion: ColumnSuggestion | null = null;
  const isFull = (): boolean => rows.length + rejections.length >= SAMPLE_SIZE;
  const add = (row: Normalized, position: number): undefined => {
    if (row.kind === "rejected") rejections.push(row.rejection);
    else {
      rows.push({ id: row.item.id, item: row.item, position });
      warnings.push(...row.warnings);
    }
  };
  const end = await intake(source, {
    add,
    take: (event) =>
      takeChange?.(event)?.then((row) => ("kind" in row ? add(row, event.position) : void rows.push(row))) ??
      false,
    warn: (warning, suggested) => {
      warnings.push(warning);
      suggestion ??= suggested ?? null;
    },
    isFull,
  });
  return { rows, rejections, warnings, suggestion, isWhole: end !== null, isFull: isFull() };
}
