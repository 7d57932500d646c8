/**
 * Counts items that have not changed since the previous audit, by their outcomes of that audit. Items with equal outcomes
 * are counted together, so most cost one lookup.
 */
import { type AuditCounters, type Examples, MAX_EXAMPLES } from "./counters.ts";
import { LossSum } from "./grades.ts";
import { addLoss, ItemScore, OUTCOME_BYTES } from "./item-score.ts";
import type { RuleReport } from "./report.ts";

type Example = RuleReport["examples"][number];

type SameOutcomes = {
  count: number;
  readonly outcomes: Uint8Array;
  /** The positions of the rules that found something. */
  readonly findings: readonly number[];
  /** Whether all of these rules have enough examples. */
  hasExamples: boolean;
};

/** When there are more, they are counted and forgotten. */
const MAX_DIFFERENT = 20_000;

export class KeptItems {
  private readonly counters: AuditCounters;
  private readonly score = new ItemScore();
  private readonly byOutcomes = new Map<string, SameOutcomes>();
  private readonly examples: ReadonlyMap<string | null, Example>[];
  items = 0;
  /** What they lose by all findings. */
  readonly missed = new LossSum();

  constructor(counters: AuditCounters, examples: Examples) {
    this.counters = counters;
    this.examples = counters.rules.map(
      ({ rule }) => new Map((examples[rule.number] ?? []).map((example) => [example.item_id, example])),
    );
  }

  /** False, and nothing is counted, if one of the items is needed as an example and the previous audit has none of it. */
  add(outcomes: Buffer, idAt: (at: number) => string): boolean {
    const all: SameOutcomes[] = [];
    for (let at = 0; at < outcomes.length; at += OUTCOME_BYTES) all.push(this.find(outcomes, at));
    const examples = this.neededExamples(all, idAt);
    if (!examples) return false;
    for (const { list, example } of examples) if (list.length < MAX_EXAMPLES) list.push(example);
    for (const same of all) same.count++;
    this.items += all.length;
    if (this.byOutcomes.size > MAX_DIFFERENT) this.finish();
    return true;
  }

  /** The examples that these items are; undefined if the previous audit has one of them not. */
  private neededExamples(all: readonly SameOutcomes[], idAt: (at: number) => string) {
    const examples: { readonly list: Example[]; readonly example: Example }[] = [];
    for (const [at, same] of all.entries()) {
      for (const rule of same.hasExamples ? [] : this.openRules(same)) {
        const list = this.counters.rules[rule]?.examples;
        const example = this.examples[rule]?.get(idAt(at));
        if (!list || !example) return undefined;
        examples.push({ list, example });
      }
    }
    return examples;
  }

  finish(): void {
    const { score } = this;
    for (const { outcomes, count } of this.byOutcomes.values()) {
      if (count === 0) continue;
      score.load(outcomes);
      this.counters.add(score, count);
      addLoss(this.missed, score, count);
    }
    this.byOutcomes.clear();
  }

  private find(all: Buffer, at: number): SameOutcomes {
    const key = all.toString("latin1", at, at + OUTCOME_BYTES);
    const known = this.byOutcomes.get(key);
    if (known) return known;
    const { score } = this;
    const outcomes = all.subarray(at, at + OUTCOME_BYTES);
    score.load(outcomes);
    const findings = [...score.notPassed.subarray(0, score.notPassedCount)].filter(
      (at) => (score.results[at]?.outcome ?? -1) >= 0,
    );
    const fresh = {
      count: 0,
      outcomes: Uint8Array.from(outcomes),
      findings,
      hasExamples: findings.length === 0,
    };
    this.byOutcomes.set(key, fresh);
    return fresh;
  }

  private openRules(same: SameOutcomes): readonly number[] {
    const open = same.findings.filter((at) => (this.counters.rules[at]?.examples.length ?? 0) < MAX_EXAMPLES);
    same.hasExamples = open.length === 0;
    return open;
  }
}
