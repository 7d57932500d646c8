/**
 * Why the score changed between two audits under the same rules, with no remainder: changes on the items that stayed,
 * by rule; the effect of added and removed items on the mean; of rejected rows, each with score 0; of the cut to a
 * whole number. With K kept, A added and R removed items, X rejected rows, N items and rejected rows now,
 * s for scores and l for losses:
 *
 *   s1 − s0 = − 1/N Σ_K (l1 − l0)  +  1/N Σ_A (s1(i) − s0)  −  1/N Σ_R (s0(i) − s0)  −  1/N (X1 − X0) s0
 *
 * Sums are kept by rule and stake, so memory does not grow with the catalog.
 */
import { counted } from "../lib/counted.ts";
import type { Audit } from "../contract/audits.ts";
import { AppError } from "../errors.ts";
import { apportion, greatestCommonDivisor, hundredths, LossSum, UNIT } from "./grades.ts";
import type { AuditReport } from "./report.ts";
import { ruleByNumber } from "./ruleset.ts";
import { decodeVerdict, eachLoss } from "./verdict.ts";

export type AuditSide = Pick<AuditReport, "ruleset" | "items" | "rejected" | "score" | "exact">;

/** Null if the item has no findings, undefined if the catalog did not have the item. */
export type MaybeVerdict = Uint8Array | null | undefined;

export type ScoreChange = NonNullable<Audit["change"]>;
type ChangePart = NonNullable<ScoreChange["parts"]>[number];

export type ChangeCount = {
  /** Records that `count` items changed from one verdict to the other. */
  readonly items: (before: MaybeVerdict, after: MaybeVerdict, count?: number) => void;
  /** Records items whose verdicts are the same in both audits. */
  readonly same: (items: number, missed: LossSum) => void;
  /** Throws `ledger_mismatch` if the verdicts do not add up to the scores of the audits. */
  readonly finish: () => ScoreChange;
};

type Group = { items: number; readonly missed: LossSum };
type Side = Group & { readonly rejected: number };
type Counts = {
  readonly kept: Map<number, LossSum>;
  keptItems: number;
  readonly added: Group;
  readonly removed: Group;
  readonly before: Side;
  readonly after: Side;
};

/** Every item of either audit is counted exactly once, in any order. */
export function countChange(before: AuditSide, after: AuditSide): ChangeCount {
  const counts: Counts = {
    kept: new Map(),
    keptItems: 0,
    added: newGroup(),
    removed: newGroup(),
    before: { ...newGroup(), rejected: before.rejected },
    after: { ...newGroup(), rejected: after.rejected },
  };
  return {
    items: (was, is, count = 1) => {
      if (was !== undefined) addTo(counts.before, was, count);
      if (is !== undefined) addTo(counts.after, is, count);
      if (was === undefined) addTo(counts.added, is, count);
      else if (is === undefined) addTo(counts.removed, was, count);
      else keep(counts, { was, is, count });
    },
    same: (items, missed) => {
      counts.keptItems += items;
      for (const side of [counts.before, counts.after]) {
        side.items += items;
        side.missed.addAll(missed);
      }
    },
    finish: () => {
      const reason = whyNotComparable(before, after);
      if (reason !== null) return { kind: "not_comparable", reason };
      checkSide(counts.before, before, "earlier");
      checkSide(counts.after, after, "later");
      return explain(counts, before, after);
    },
  };
}

function newGroup(): Group {
  return { items: 0, missed: new LossSum() };
}

function whyNotComparable(before: AuditSide, after: AuditSide): string | null {
  if (before.ruleset.hash === after.ruleset.hash) return null;
  return `The audits were made under different rules (versions ${before.ruleset.version} and ${after.ruleset.version}).`;
}

function addTo(group: Group, verdict: MaybeVerdict, count: number): void {
  group.items += count;
  if (verdict)
    eachLoss(decodeVerdict(verdict), (_, stake, missed) => group.missed.add(stake, missed * count));
}

type Kept = { readonly was: Uint8Array | null; readonly is: Uint8Array | null; readonly count: number };

function keep(counts: Counts, { was, is, count }: Kept): void {
  counts.keptItems += count;
  if (was)
    eachLoss(decodeVerdict(was), (number, stake, missed) =>
      missedBy(counts, number).add(stake, -missed * count),
    );
  if (is)
    eachLoss(decodeVerdict(is), (number, stake, missed) =>
      missedBy(counts, number).add(stake, missed * count),
    );
}

function missedBy({ kept }: Counts, number: number): LossSum {
  const missed = kept.get(number) ?? new LossSum();
  kept.set(number, missed);
  return missed;
}

/** The verdicts must add up to the reported score exactly. */
function checkSide(own: Side, side: AuditSide, name: string): void {
  const total = BigInt(totalOf(own));
  const kept = 100n * UNIT * total - lossesOf(own);
  const isSame =
    own.items === side.items &&
    (total === 0n || kept * BigInt(side.exact.denominator) === BigInt(side.exact.raw) * UNIT * total);
  if (isSame) return;
  throw new AppError(
    "ledger_mismatch",
    `The stored verdicts of the ${name} audit do not add up to its score: ${own.items} of ${counted(side.items, "item")} were read.`,
  );
}

const totalOf = ({ items, rejected }: Side): number => items + rejected;

function lossesOf({ missed, rejected }: Side): bigint {
  return missed.inUnits() + 100n * UNIT * BigInt(rejected);
}

type Term = { readonly part: Omit<ChangePart, "points" | "exact">; readonly amount: bigint };

function explain(counts: Counts, before: AuditSide, after: AuditSide): ScoreChange {
  const { denominator, terms } = termsOf(counts);
  const raw = { before: rawOf(counts.before, denominator), after: rawOf(counts.after, denominator) };
  const difference = after.score - before.score;
  const steps: Term[] = [
    ...terms,
    { part: { kind: "rounding" }, amount: BigInt(difference) * denominator - (raw.after - raw.before) },
  ];
  return {
    kind: "explained",
    before: before.score,
    after: after.score,
    difference,
    kept: counts.keptItems,
    ...shown(
      steps.filter(({ amount }) => amount !== 0n),
      denominator,
      difference,
    ),
  };
}

/**
 * Computes the parts over N0 × N × UNIT. An empty catalog has score 0, so it counts as one item that lost everything.
 */
function termsOf(counts: Counts): { denominator: bigint; terms: Term[] } {
  const { added, removed, before, after } = counts;
  const n0 = BigInt(Math.max(totalOf(before), 1));
  const n1 = BigInt(Math.max(totalOf(after), 1));
  const lost0 = lostBy(before);
  const kept0 = 100n * UNIT * n0 - lost0;
  const leavers = { kind: "leavers", items: removed.items } as const;
  const denominator = n0 * n1 * UNIT;
  if (totalOf(after) === 0) return { denominator, terms: [{ part: leavers, amount: -kept0 }] };
  const rules = [...counts.kept]
    .sort(([a], [b]) => a - b)
    .map(
      ([number, missed]): Term => ({
        part: { kind: "rule", rule: ruleByNumber(number)?.id ?? `rule ${number}` },
        amount: -missed.inUnits() * n0,
      }),
    );
  const newcomers: Term = {
    part: { kind: "newcomers", items: added.items },
    amount: BigInt(added.items) * lost0 - added.missed.inUnits() * n0,
  };
  const gone = removed.missed.inUnits() * n0 - BigInt(removed.items) * lost0;
  const moreRejected = after.rejected - before.rejected;
  const rejected: Term = {
    part: { kind: "rejected", items: moreRejected },
    amount: -BigInt(moreRejected) * kept0,
  };
  return { denominator, terms: [...rules, newcomers, { part: leavers, amount: gone }, rejected] };
}

function lostBy(side: Side): bigint {
  return totalOf(side) === 0 ? 100n * UNIT : lossesOf(side);
}

function rawOf(side: Side, denominator: bigint): bigint {
  const items = BigInt(Math.max(totalOf(side), 1));
  return 100n * denominator - (lostBy(side) * denominator) / (items * UNIT);
}

function shown(terms: readonly Term[], denominator: bigint, difference: number) {
  const points = apportion(
    terms.map(({ amount }) => 100n * amount),
    { per: denominator, total: 100n * BigInt(difference) },
  );
  const divisor = greatestCommonDivisor([denominator, ...terms.map(({ amount }) => amount)]);
  const parts = terms.map(
    ({ part, amount }, at): ChangePart => ({
      ...part,
      points: hundredths(points[at] ?? 0n),
      exact: String(amount / divisor),
    }),
  );
  return {
    parts: parts.sort((a, b) => Math.abs(b.points) - Math.abs(a.points)),
    denominator: String(denominator / divisor),
  };
}
