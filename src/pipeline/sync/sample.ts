/**
 * A first look at a source, saved or not: asks it to prove its credentials, reads some items, says what would become
 * of them, and changes nothing.
 */
import type { Rejection, Warning } from "../../catalog/finding.ts";
import type { Item } from "../../catalog/item.ts";
import { AppError } from "../../errors.ts";
import type { ColumnSuggestion, Probe, SourceSettings } from "../../sources/source.ts";
import { findCatalog } from "../../store/catalogs.ts";
import { intake, type Intake } from "../intake.ts";
import type { JobDeps } from "../job.ts";
import { type Forecast, forecastFeeds } from "./forecast.ts";
import { withSpool } from "./spool.ts";

const SAMPLE_SIZE = 20;

/** Someone is waiting for the answer. */
const PATIENCE_MS = 60_000;

export type SourceToTry = {
  readonly catalogId: string;
  readonly kind: string;
  /** Secrets included. */
  readonly settings: SourceSettings;
};

export type Sampled = {
  /** What the source says of itself; null for kinds that have nothing to say. */
  readonly probe: Probe | null;
  readonly items: readonly Item[];
  readonly rejections: readonly Rejection[];
  readonly warnings: readonly Warning[];
  /** What each file would carry of the items, and why not the rest: what a whole read would lose. */
  readonly feeds: readonly Forecast[];
  /** What to set where the source's columns were not understood. */
  readonly suggestion: ColumnSuggestion | null;
  /** The source has no more than this. */
  readonly isWhole: boolean;
};

export type SampleDeps = Pick<JobDeps, "db" | "http" | "connectors" | "spoolRoot">;

export async function sampleSource(
  deps: SampleDeps,
  source: SourceToTry,
  signal: AbortSignal,
  patienceMs = PATIENCE_MS,
): Promise<Sampled> {
  const late = new AbortController();
  const seconds = patienceMs / 1000;
  const tooLate = new AppError(
    "source_timeout",
    `The source took longer than ${seconds} s to show its first items.`,
  );
  const patience = setTimeout(() => late.abort(tooLate), patienceMs);
  try {
    return await look(deps, source, AbortSignal.any([signal, late.signal]));
  } catch (error) {
    throw late.signal.aborted ? tooLate : error;
  } finally {
    clearTimeout(patience);
  }
}

async function look(
  { db, http, connectors, spoolRoot }: SampleDeps,
  { catalogId, kind, settings }: SourceToTry,
  signal: AbortSignal,
): Promise<Sampled> {
  const connector = connectors[kind];
  const catalog = await findCatalog(db, catalogId);
  if (!connector || !catalog)
    throw new AppError("source_settings_invalid", `There is no connector of kind "${kind}".`);
  const probe = (await connector.probe?.(settings, { http, signal })) ?? null;
  return withSpool(spoolRoot, async (spoolDir) => {
    const context = { http, signal, spoolDir, previous: null, extent: "sample" } as const;
    const events = connector.read(settings, context);
    const collected = await collect({ events, settings: catalog.settings, signal });
    const now = new Date();
    const feeds = forecastFeeds(collected.items, {
      catalog,
      settings: catalog.settings,
      asOf: now,
      snapshotAt: now,
    });
    return { probe, ...collected, feeds };
  });
}

async function collect(source: Intake): Promise<Omit<Sampled, "probe" | "feeds">> {
  const items: Item[] = [];
  const rejections: Rejection[] = [];
  const warnings: Warning[] = [];
  let suggestion: ColumnSuggestion | null = null;
  const end = await intake(source, {
    add: (row) => {
      if (row.kind === "rejected") rejections.push(row.rejection);
      else {
        items.push(row.item);
        warnings.push(...row.warnings);
      }
      return undefined;
    },
    warn: (warning, suggested) => {
      warnings.push(warning);
      suggestion ??= suggested ?? null;
    },
    isFull: () => items.length + rejections.length >= SAMPLE_SIZE,
  });
  return { items, rejections, warnings, suggestion, isWhole: end !== null };
}
