/**
 * Collects rows into batches, has threads normalize them, and passes the results on in the order of the rows. What else the source says
 * in between keeps its place.
 */
import type { NormalizerThreads } from "./normalizer-threads.ts";
import type { NormalizedRows, RowFinding } from "./row-batch.ts";

export type RowResults = {
  readonly found: (finding: RowFinding, productKey: string | null) => void;
  readonly normalized: (rows: NormalizedRows["encoded"], seen: number) => Promise<void>;
};

/** Large enough for the messages to cost little, and small enough for the memory of the batches in flight. */
const BATCH_CHARS = 256 * 1024;

type Batch = {
  readonly texts: string[];
  readonly positions: number[];
  readonly productKeys: (string | null)[];
  /** What is to be done before the row with this index. */
  readonly actions: { readonly index: number; readonly run: () => void }[];
};

const emptyBatch = (): Batch => ({ texts: [], positions: [], productKeys: [], actions: [] });

export class RowQueue {
  private readonly threads: NormalizerThreads;
  private readonly results: RowResults;
  private batch = emptyBatch();
  private chars = 0;
  private readonly inFlight: Promise<void>[] = [];

  constructor(threads: NormalizerThreads, results: RowResults) {
    this.threads = threads;
    this.results = results;
  }

  /** Returns a promise when the threads have to catch up. */
  add(text: string, position: number, productKey: string | null): Promise<void> | undefined {
    this.batch.texts.push(text);
    this.batch.positions.push(position);
    this.batch.productKeys.push(productKey);
    this.chars += text.length;
    return this.chars >= BATCH_CHARS ? this.send() : undefined;
  }

  /** Runs it after all rows that were added before. */
  after(run: () => void): void {
    this.batch.actions.push({ index: this.batch.texts.length, run });
  }

  async finish(): Promise<void> {
    await this.send();
    await Promise.all(this.inFlight);
  }

  private async send(): Promise<void> {
    const { batch } = this;
    this.batch = emptyBatch();
    this.chars = 0;
    const { texts, positions, productKeys } = batch;
    const normalized = this.threads.normalize({ texts, positions, productKeys });
    const passed = this.pass(batch, normalized, this.inFlight.at(-1));
    this.inFlight.push(passed);
    // Whoever waits for it next gets the failure; until then it must not be an unhandled rejection.
    passed.catch(() => undefined);
    // One batch for each thread, and one that is being staged.
    if (this.inFlight.length > this.threads.count + 1) await this.inFlight.shift();
  }

  private async pass(
    batch: Batch,
    normalized: Promise<NormalizedRows>,
    previous: Promise<void> | undefined,
  ): Promise<void> {
    const [{ encoded, findings }] = await Promise.all([normalized, previous]);
    let next = 0;
    const foundBefore = (index: number): void => {
      for (; next < findings.length; next += 1) {
        const finding = findings[next];
        if (finding === undefined || finding.index >= index) return;
        this.results.found(finding, batch.productKeys[finding.index] ?? null);
      }
    };
    for (const { index, run } of batch.actions) {
      foundBefore(index);
      run();
    }
    foundBefore(batch.texts.length);
    await this.results.normalized(encoded, batch.texts.length);
  }
}
