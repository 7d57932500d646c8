/** The sinks of syncs and pushes: items go into staging, rejections and warnings into the ledger. */
import { encodeItem } from "../../catalog/item.ts";
import type { Normalized } from "../../catalog/normalize.ts";
import type { CatalogSettings } from "../../catalog/settings.ts";
import type { EncodedRows, StagedItem, Staging } from "../../store/staging.ts";
import { type Intake, intake, type ReadEnd, type Sink } from "../intake.ts";
import type { KnownRows } from "./known-rows.ts";
import type { Ledger } from "./ledger.ts";
import { openNormalizerThreads, type NormalizerThreads } from "./normalizer-threads.ts";
import { hashText, type RowFinding, rowText } from "./row-batch.ts";
import { RowQueue } from "./row-queue.ts";

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

export type ThreadUse = {
  /** Fewer rows are normalized here: to start a thread and to compile its code takes about a second of processor time. */
  readonly afterRows: number;
  readonly mostThreads?: number;
};

const THREAD_USE: ThreadUse = { afterRows: 25_000 };

export type SourceSinkOptions = {
  readonly known: KnownRows | undefined;
  readonly products: ReadProducts;
  readonly settings: CatalogSettings;
  readonly threadUse?: ThreadUse;
};

export type SourceSink = Sink &
  AsyncDisposable & {
    /** Waits until all rows are staged. */
    readonly finish: () => Promise<void>;
  };

/** The sink of a sync: rows of the last complete read are only marked as seen, all others are staged with their hash. */
export function sourceSink(
  context: StagingContext,
  { known, products, settings, threadUse = THREAD_USE }: SourceSinkOptions,
): SourceSink {
  const { ledger } = context;
  let rowHash: string | null = null;
  let rows = 0;
  let threads: NormalizerThreads | null = null;
  let queue: RowQueue | null = null;

  const openQueue = (): void => {
    threads = openNormalizerThreads(settings, threadUse.mostThreads);
    if (threads !== null) queue = new RowQueue(threads, queueResults(context, products));
  };

  return {
    take: (event) => {
      if (event.kind !== "draft") return false;
      const { position, product = null } = event;
      const text = rowText(event.draft, event.decimalMark);
      rowHash = known === undefined && queue !== null ? null : hashText(text);
      if (rowHash !== null && known?.see(rowHash, position) === true) {
        rowHash = null;
        ledger.seen += 1;
        ledger.accepted += 1;
        return undefined;
      }
      rows += 1;
      if (rows === threadUse.afterRows) openQueue();
      return queue === null ? false : queue.add(text, position, product);
    },
    addProduct: (product) => void products.complete.add(product),
    warn: (warning) => {
      if (queue === null) ledger.warn(warning);
      else queue.after(() => ledger.warn(warning));
    },
    add: (row, position, product) => {
      if (row.kind === "rejected") products.reject(product);
      if (queue !== null) {
        queue.after(() => void stage(row, position, context));
        return undefined;
      }
      const staged = stage(row, position, context, { rowHash, productKey: product ?? null });
      rowHash = null;
      return staged;
    },
    finish: async () => queue?.finish(),
    [Symbol.asyncDispose]: async () => threads?.[Symbol.asyncDispose](),
  };
}

/** Ends the threads when everything is staged, or nothing will be. */
export async function readInto(sink: SourceSink, reading: Intake): Promise<ReadEnd | null> {
  await using threads = new AsyncDisposableStack();
  threads.use(sink);
  const end = await intake(reading, sink);
  await sink.finish();
  return end;
}

/** What the threads found goes where `stage` puts it. */
function queueResults({ staging, ledger }: StagingContext, products: ReadProducts) {
  return {
    found: (finding: RowFinding, product: string | null): void => {
      if (finding.kind === "warnings") {
        for (const warning of finding.warnings) ledger.warn(warning);
        return;
      }
      products.reject(product ?? undefined);
      ledger.reject(finding.rejection);
    },
    normalized: async (rows: EncodedRows, seen: number): Promise<void> => {
      ledger.seen += seen;
      ledger.accepted += rows.count;
      if (rows.count > 0) await staging.addEncoded(rows);
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
