/**
 * Counts how many items have each combination of outcomes. The sums of a report are computed once for each combination
 * and not for each item. The next audit starts from these counts, and replaces those of the items that have changed.
 */
import type { AuditCounters } from "./counters.ts";
import { LossSum } from "./grades.ts";
import { addLoss, ItemScore, OUTCOME_BYTES } from "./item-score.ts";

/** With more combinations, they are summed up and forgotten, and the next audit cannot start from them. */
const MAX_COMBINATIONS = 50_000;
const COUNT_BYTES = 4;

export class OutcomeCounts {
  private readonly counters: AuditCounters;
  private readonly counts = new Map<string, number>();
  /** Whether no combination was forgotten. */
  isComplete = true;
  items = 0;
  /** What the items lose by all findings. Complete after `finish`. */
  readonly missed = new LossSum();

  constructor(counters: AuditCounters, stored: Buffer = Buffer.alloc(0)) {
    this.counters = counters;
    for (let at = 0; at < stored.length; at += OUTCOME_BYTES + COUNT_BYTES) {
      const count = stored.readUInt32LE(at + OUTCOME_BYTES);
      this.counts.set(stored.toString("latin1", at, at + OUTCOME_BYTES), count);
      this.items += count;
    }
  }

  /** The outcomes of several items, one after the other. `change` is -1 for items that are taken away. */
  add(outcomes: Buffer, change: 1 | -1 = 1): void {
    for (let at = 0; at < outcomes.length; at += OUTCOME_BYTES) {
      const key = outcomes.toString("latin1", at, at + OUTCOME_BYTES);
      this.counts.set(key, (this.counts.get(key) ?? 0) + change);
      this.items += change;
    }
    if (this.counts.size > MAX_COMBINATIONS) {
      this.isComplete = false;
      this.finish();
    }
  }

  /** Adds what has been counted to the counters of the audit. */
  finish(): void {
    const score = new ItemScore();
    for (const [key, count] of this.counts) {
      if (count === 0) continue;
      score.load(Buffer.from(key, "latin1"));
      this.counters.add(score, count);
      addLoss(this.missed, score, count);
    }
    if (!this.isComplete) this.counts.clear();
  }

  /** Both counts together, for the next audit; null if that is not possible. */
  encodeWith(other: OutcomeCounts): Buffer | null {
    if (!this.isComplete || !other.isComplete) return null;
    const all = new Map(this.counts);
    for (const [key, count] of other.counts) all.set(key, (all.get(key) ?? 0) + count);
    const parts: Buffer[] = [];
    for (const [key, count] of [...all].filter(([, times]) => times > 0).toSorted(byKey)) {
      const bytes = Buffer.alloc(OUTCOME_BYTES + COUNT_BYTES);
      bytes.write(key, "latin1");
      bytes.writeUInt32LE(count, OUTCOME_BYTES);
      parts.push(bytes);
    }
    return Buffer.concat(parts);
  }
}

const byKey = ([a]: readonly [string, number], [b]: readonly [string, number]): number =>
  Number(a > b) - Number(a < b);
