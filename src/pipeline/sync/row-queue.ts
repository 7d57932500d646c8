/**
 * Collects rows into batches, skips those that are known, has the others normalized, and passes the results on in the order of the rows.
 * What else the source says in between keeps its place.
 */
import type { EncodedRows, StagedItem } from "../../store/staging.ts";
import type { Change } from "../intake.ts";
import type { KnownRows } from "./known-rows.ts";
import { hashText, type NormalizedRows, type Row, type RowFinding, rowText } from "./row-batch.ts";

export type DraftEvent = Extract<Change, { kind: "draft" }>;

export type NewItems = readonly StagedItem[] | EncodedRows;

export type Normalizer = {
  /** How many batches can be worked on at once, besides this thread. */
  readonly threads: number;
  readonly normalize: (rows: readonly Row[]) => Promise<NormalizedRows<NewItems>>;
};

export type RowResults = {
  readonly found: (finding: RowFinding, productKey: string | null) => void;
  /** After the findings of a batch. */
  readonly normalized: (items: NewItems, counts: RowCounts) => Promise<void>;
};

export type RowCounts = { readonly normalized: number; readonly known: number };

export type RowQueueOptions = {
  readonly normalizer: Normalizer;
  readonly known: KnownRows | undefined;
  readonly results: RowResults;
  readonly batchChars: number;
};

type Batch = {
  readonly events: DraftEvent[];
  /** What the rows are recognized by. */
  readonly texts: string[];
  /** What is to be done before the row with this index. */
  readonly actions: { readonly index: number; readonly run: () => void }[];
};

const emptyBatch = (): Batch => ({ events: [], texts: [], actions: [] });

export class RowQueue {
  private readonly normalizer: Normalizer;
  private readonly known: KnownRows | undefined;
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

  /** Returns a promise when the rows before have to be normalized first. */
  add(event: DraftEvent): Promise<void> | undefined {
    const { sourceText, decimalMark } = event;
    // A row of a file is recognized by its cells, so that the draft of a known one is never made.
    const text = sourceText === undefined ? rowText(event.draft, decimalMark) : `${sourceText}${decimalMark}`;
    this.batch.events.push(event);
    this.batch.texts.push(text);
    this.chars += text.length;
    return this.chars >= this.batchChars ? this.send() : undefined;
  }

  /** Runs it after all rows that were added before. */
  after(run: () => void): void {
    this.batch.actions.push({ index: this.batch.events.length, run });
  }

  async finish(): Promise<void> {
    await this.send();
    await Promise.all(this.inFlight);
  }

  private async send(): Promise<void> {
    const { batch } = this;
    this.batch = emptyBatch();
    this.chars = 0;
    const { rows, indexes } = this.unknownRows(batch);
    const normalized = this.normalizer.normalize(rows);
    const passed = this.pass(batch, { normalized, indexes, previous: this.inFlight.at(-1) });
    this.inFlight.push(passed);
    // Whoever waits for it next gets the failure; until then it must not be an unhandled rejection.
    passed.catch(() => undefined);
    // One batch for each thread, and one that is being staged.
    if (this.inFlight.length > this.normalizer.threads + 1) await this.inFlight.shift();
  }

  /** The rows of the batch that are not known, and which ones of the batch they are. */
  private unknownRows({ events, texts }: Batch): { rows: Row[]; indexes: number[] } {
    const hashes = texts.map(hashText);
    const indexes: number[] = [];
    for (const [index, { position }] of events.entries())
      if (this.known?.see(hashes[index] ?? "", position) !== true) indexes.push(index);
    const rows = indexes.flatMap((index): Row[] => {
      const event = events[index];
      if (event === undefined) return [];
      const { position, draft, decimalMark, product: productKey = null } = event;
      return [{ position, draft, decimalMark, productKey, hash: hashes[index] ?? "" }];
    });
    return { rows, indexes };
  }

  private async pass({ events, actions }: Batch, { normalized, indexes, previous }: Passing): Promise<void> {
    const [{ items, findings }] = await Promise.all([normalized, previous]);
    let next = 0;
    const foundBefore = (end: number): void => {
      for (; next < findings.length; next += 1) {
        const finding = findings[next];
        const index = finding === undefined ? end : (indexes[finding.index] ?? end);
        if (finding === undefined || index >= end) return;
        this.results.found(finding, events[index]?.product ?? null);
      }
    };
    for (const { index, run } of actions) {
      foundBefore(index);
      run();
    }
    foundBefore(events.length);
    const counts = { normalized: indexes.length, known: events.length - indexes.length };
    await this.results.normalized(items, counts);
  }
}

type Passing = {
  readonly normalized: Promise<NormalizedRows<NewItems>>;
  readonly indexes: readonly number[];
  readonly previous: Promise<void> | undefined;
};
