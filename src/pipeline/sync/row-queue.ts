/**
 * Collects rows into batches, skips those that are known, has the others normalized, and passes the results on in the
 * order of the rows. What else the source says in between keeps its place.
 */
import type { EncodedRows, StagedItem } from "../../store/staging.ts";
import type { PushedChange } from "../intake.ts";
import type { KnownHashes } from "../../lib/known-hashes.ts";
import { hashText, type NormalizedRows, type DraftRow, type RowFinding, rowText } from "./row-batch.ts";

export type DraftEvent = Extract<PushedChange, { kind: "draft" }>;

export type NewItems = readonly StagedItem[] | EncodedRows;

export type Normalizer = {
  /** How many batches can be worked on at once, besides this thread. */
  readonly threads: number;
  readonly normalize: (rows: readonly DraftRow[]) => Promise<NormalizedRows<NewItems>>;
};

export type RowResults = {
  readonly found: (finding: RowFinding, productKey: string | null) => void;
  /** After the findings of a batch. */
  readonly normalized: (items: NewItems, counts: BatchCounts) => Promise<void>;
};

/** Of a batch: how many rows were normalized, and how many were known. */
export type BatchCounts = { readonly normalized: number; readonly known: number };

export type RowQueueOptions = {
  readonly normalizer: Normalizer;
  readonly known: KnownHashes | undefined;
  readonly results: RowResults;
  readonly batchChars: number;
};

/** A row, and the text that it is recognized by. */
type QueuedRow = { readonly event: DraftEvent; readonly text: string };

type QueuedBatch = {
  readonly rows: QueuedRow[];
  /** What is to be done before the row with this index. */
  readonly actions: { readonly index: number; readonly run: () => void }[];
};

const emptyBatch = (): QueuedBatch => ({ rows: [], actions: [] });

/** What a row takes in memory besides its text, in characters. */
const ROW_COST = 256;

export class RowQueue {
  private readonly normalizer: Normalizer;
  private readonly known: KnownHashes | undefined;
  private readonly results: RowResults;
  private readonly batchChars: number;
  private batch = emptyBatch();
  private chars = 0;
  private readonly inFlight: Promise<void>[] = [];

  constructor({ normalizer, known, results, batchChars }: RowQueueOptions) {
    this.normalizer = normalizer;
    this.known = known;
    this.results = results;
    this.batchChars = batchChars;
  }

  /** Returns a promise when the batch is full. */
  add(event: DraftEvent): Promise<void> | undefined {
    const { source, decimalMark = "" } = event;
    // A row of a file is recognized by its cells, so that the draft of a known one is never made.
    const text = source === undefined ? rowText(event) : `${decimalMark}${source.text}`;
    this.batch.rows.push({ event, text });
    return this.added(source?.chars ?? text.length);
  }

  /** Runs it after all rows that were added before. Returns a promise when the batch is full. */
  after(run: () => void): Promise<void> | undefined {
    this.batch.actions.push({ index: this.batch.rows.length, run });
    return this.added(0);
  }

  async finish(): Promise<void> {
    await this.send();
    await Promise.all(this.inFlight);
  }

  private added(chars: number): Promise<void> | undefined {
    this.chars += chars + ROW_COST;
    return this.chars >= this.batchChars ? this.send() : undefined;
  }

  private async send(): Promise<void> {
    const { batch } = this;
    this.batch = emptyBatch();
    this.chars = 0;
    const passed = this.pass(batch);
    this.inFlight.push(passed);
    // Whoever waits for it next gets the failure; until then it must not be an unhandled rejection.
    passed.catch(() => undefined);
    // One batch for each thread, and one that is being staged.
    if (this.inFlight.length > this.normalizer.threads + 1) await this.inFlight.shift();
  }

  private async pass({ rows, actions }: QueuedBatch): Promise<void> {
    const previous = this.inFlight.at(-1);
    const { unknown, indexes } = this.unknownRows(rows);
    const [{ items, findings }] = await Promise.all([this.normalizer.normalize(unknown), previous]);
    let next = 0;
    const foundBefore = (end: number): void => {
      for (; next < findings.length; next += 1) {
        const finding = findings[next];
        const index = finding === undefined ? end : (indexes[finding.index] ?? end);
        if (finding === undefined || index >= end) return;
        this.results.found(finding, rows[index]?.event.product ?? null);
      }
    };
    for (const { index, run } of actions) {
      foundBefore(index);
      run();
    }
    foundBefore(rows.length);
    const counts = { normalized: indexes.length, known: rows.length - indexes.length };
    await this.results.normalized(items, counts);
  }

  /** The rows that are not known, and their indexes. One step for all rows after the other: see `normalizeRows`. */
  private unknownRows(rows: readonly QueuedRow[]): {
    unknown: readonly DraftRow[];
    indexes: readonly number[];
  } {
    const hashed = rows.map((row, index) => ({ ...row, index, rowHash: hashText(row.text) }));
    const unknown = hashed.filter(({ rowHash, event }) => this.known?.see(rowHash, event.position) !== true);
    return {
      indexes: unknown.map(({ index }) => index),
      unknown: unknown.map(({ event, text, rowHash }): DraftRow => {
        const { position, draft, decimalMark, product: productKey = null, source } = event;
        const packed = source === undefined ? text : undefined;
        return { position, draft, decimalMark, productKey, rowHash, text: packed };
      }),
    };
  }
}
