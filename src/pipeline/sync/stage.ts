/** The sinks of syncs and pushes: items go into staging, rejections and warnings into the ledger. */
import type { Rejection } from "../../catalog/finding.ts";
import { encodeItem } from "../../catalog/item.ts";
import type { Normalized } from "../../catalog/normalize.ts";
import type { CatalogSettings } from "../../catalog/settings.ts";
import type { ProductRejection } from "../../store/sources.ts";
import type { Staging } from "../../store/staging.ts";
import { type Intake, intake, type ReadEnd, type Sink } from "../intake.ts";
import type { KnownHashes } from "../../lib/known-hashes.ts";
import { type Ledger, MAX_ISSUES } from "./ledger.ts";
import { openNormalizerThreads, type NormalizerThreads } from "./normalizer-threads.ts";
import { normalizeRows, type RowFinding } from "./row-batch.ts";
import { type NewItems, type Normalizer, type BatchCounts, RowQueue, type RowResults } from "./row-queue.ts";

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

/** The products that a read named, and what was rejected of them. */
export class ReadProducts {
  /** In a read of some products: those whose rows are all in it. */
  readonly complete = new Set<string>();
  private readonly rejections: ProductRejection[] = [];
  /** Rows were rejected whose product is not known, or more rows than are kept. */
  private hasUnkept = false;

  reject(product: string | undefined, rejection: Rejection): void {
    if (product === undefined || this.rejections.length === MAX_ISSUES) this.hasUnkept = true;
    else this.rejections.push({ ...rejection, product });
  }

  /**
   * Returns all rejections, so that a later partial read can keep them. Null if some were not recorded; the next read
   * is then complete.
   */
  allRejections(): readonly ProductRejection[] | null {
    return this.hasUnkept ? null : this.rejections;
  }
}

/**
 * Adds the rejections of products that were not read to those of this read. Nothing has changed in these products
 * since.
 */
export function keepRejections(
  stored: readonly ProductRejection[],
  { ledger, products }: { readonly ledger: Ledger; readonly products: ReadProducts },
): void {
  for (const { product, ...rejection } of stored) {
    if (products.complete.has(product)) continue;
    ledger.seen += 1;
    const kept = { ...rejection, position: ledger.seen };
    ledger.reject(kept);
    products.reject(product, kept);
  }
}

export type QueueLimits = {
  /**
   * Fewer rows are normalized here: to start a thread and to compile its code takes about a second of processor time.
   */
  readonly afterRows: number;
  readonly mostThreads?: number;
  /**
   * How many characters make a batch: many, for messages to cost little, and not too many for the memory of the batches
   * in flight.
   */
  readonly batchChars: number;
};

const QUEUE_LIMITS: QueueLimits = { afterRows: 25_000, batchChars: 128 * 1024 };

export type SourceSinkOptions = {
  readonly known: KnownHashes | undefined;
  readonly products: ReadProducts;
  readonly settings: CatalogSettings;
  readonly limits?: QueueLimits;
};

export type SourceSink = Sink &
  AsyncDisposable & {
    /** Waits until all rows are staged. */
    readonly finish: () => Promise<void>;
  };

/**
 * The sink of a sync: rows of the last complete read are only marked as seen, all others are staged with their hash.
 */
export function sourceSink(
  context: StagingContext,
  { known, products, settings, limits = QUEUE_LIMITS }: SourceSinkOptions,
): SourceSink {
  const { ledger } = context;
  const normalizer = growingNormalizer(settings, limits);
  const queue = new RowQueue({ normalizer, known, results: queueResults(context, products), ...limits });

  return {
    take: (event) => (event.kind === "draft" ? queue.add(event) : false),
    addProduct: (product) => void products.complete.add(product),
    warn: (warning) => void queue.after(() => ledger.warn(warning)),
    // Only rejections: drafts are taken before they are normalized.
    add: (row, _position, product) => {
      if (row.kind !== "rejected") return undefined;
      products.reject(product, row.rejection);
      return queue.after(() => {
        ledger.seen += 1;
        ledger.reject(row.rejection);
      });
    },
    finish: async () => queue.finish(),
    [Symbol.asyncDispose]: async () => normalizer[Symbol.asyncDispose](),
  };
}

/** Normalizes rows here, and on threads when there are many. */
function growingNormalizer(
  settings: CatalogSettings,
  { afterRows, mostThreads }: QueueLimits,
): Normalizer & AsyncDisposable {
  let pool: NormalizerThreads | null = null;
  let rows = 0;
  return {
    get threads() {
      return pool?.threads ?? 0;
    },
    normalize: async (batch) => {
      const isFirst = rows < afterRows;
      rows += batch.length;
      if (isFirst && rows >= afterRows) pool = openNormalizerThreads(settings, mostThreads);
      return pool === null ? normalizeRows(batch, settings) : pool.normalize(batch);
    },
    [Symbol.asyncDispose]: async () => pool?.[Symbol.asyncDispose](),
  };
}

/** Ends the threads when everything is staged, or nothing will be. */
export async function readInto(sink: SourceSink, reading: Intake): Promise<ReadEnd | null> {
  await using threads = new AsyncDisposableStack();
  threads.use(sink);
  try {
    const end = await intake(reading, sink);
    await sink.finish();
    return end;
  } catch (error) {
    // For the run to say how many rows there were.
    await sink.finish().catch(() => undefined);
    throw error;
  }
}

/** Findings go into the ledger, items into staging. */
function queueResults({ staging, ledger }: StagingContext, products: ReadProducts): RowResults {
  return {
    found: (finding: RowFinding, product: string | null): void => {
      if (finding.kind === "warnings") {
        for (const warning of finding.warnings) ledger.warn(warning);
        return;
      }
      products.reject(product ?? undefined, finding.rejection);
      ledger.reject(finding.rejection);
    },
    normalized: async (items: NewItems, { normalized, known }: BatchCounts): Promise<void> => {
      ledger.seen += known + normalized;
      ledger.accepted += known;
      if ("bytes" in items) {
        ledger.accepted += items.count;
        if (items.count > 0) await staging.addEncoded(items);
        return;
      }
      ledger.accepted += items.length;
      for (const item of items) {
        const pending = staging.add(item);
        if (pending) await pending;
      }
    },
  };
}

/** Returns a promise only when staging must catch up: this runs a million times. */
export function stage(
  row: Normalized,
  position: number,
  { staging, ledger }: StagingContext,
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
  return staging.add({ position, id, groupId, fingerprint, body });
}
