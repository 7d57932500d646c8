/** How a score became another one: each cause moves it, from the score before to the score after. */
import type { ComponentChildren, JSX } from "preact";
import { auditText } from "../messages/audit.ts";
import { Table } from "./table.tsx";

export type WaterfallStep = {
  readonly key: string;
  readonly label: ComponentChildren;
  readonly points: number;
};

const t = auditText.change;

/** Points have two decimals; sums are of whole hundredths, so that they are exact. */
const hundredths = (points: number): number => Math.round(points * 100);

const shown = (amount: number): string => (amount / 100).toFixed(2).replace("-", "−");

/** "+1.25", "−0.50". */
const formatPoints = (points: number): string => signed(shown(hundredths(points)), points);
/** "+3", "−1". */
export const formatGain = (gain: number): string => signed(String(gain).replace("-", "−"), gain);
const signed = (text: string, value: number): string => (value > 0 ? `+${text}` : text);

/** As many single causes as fit on a screen; the smallest are one row. */
const MAX_STEPS = 12;

type Row = {
  readonly key: string;
  readonly label: ComponentChildren;
  /** In hundredths; null for a score. */
  readonly change: number | null;
  readonly from: number;
  readonly to: number;
};

/** The steps begin at the largest, and add up to the difference. */
export function Waterfall({
  before,
  after,
  steps,
}: {
  readonly before: number;
  readonly after: number;
  readonly steps: readonly WaterfallStep[];
}): JSX.Element {
  const rows = rowsOf(before, after, gathered(steps));
  const sums = rows.flatMap(({ from, to, change }) => (change === null ? [to] : [from, to]));
  const low = Math.max(0, Math.floor(Math.min(...sums) / 100) - 1) * 100;
  const high = Math.min(100, Math.ceil(Math.max(...sums) / 100) + 1) * 100;
  return (
    <div class="waterfall">
      <Table
        label={t.label}
        rows={rows}
        keyOf={({ key }) => key}
        columns={[
          { head: t.cause, kind: "heading", cell: ({ label }) => label },
          { head: t.chart(low / 100, high / 100), cell: (row) => <Mark row={row} low={low} high={high} /> },
          {
            head: t.points,
            kind: "number",
            cell: ({ change }) =>
              change === null ? "" : <span class={toneOf(change)}>{formatPoints(change / 100)}</span>,
          },
          {
            head: t.sum,
            kind: "number",
            cell: ({ to, change }) => (change === null ? <b>{to / 100}</b> : shown(to)),
          },
        ]}
      />
      <p class="sum small">{identity(before, after, steps)}</p>
    </div>
  );
}

const toneOf = (change: number): string => (change < 0 ? "loss" : "gain");

function gathered(steps: readonly WaterfallStep[]): readonly WaterfallStep[] {
  if (steps.length <= MAX_STEPS) return steps;
  const rest = steps.slice(MAX_STEPS - 1);
  const points = rest.reduce((sum, step) => sum + hundredths(step.points), 0) / 100;
  return [...steps.slice(0, MAX_STEPS - 1), { key: "rest", label: t.smaller(rest.length), points }];
}

function rowsOf(before: number, after: number, steps: readonly WaterfallStep[]): readonly Row[] {
  let sum = before * 100;
  const changes = steps.map(({ key, label, points }): Row => {
    const from = sum;
    sum += hundredths(points);
    return { key, label, change: hundredths(points), from, to: sum };
  });
  return [
    { key: "before", label: t.before, change: null, from: 0, to: before * 100 },
    ...changes,
    { key: "after", label: t.after, change: null, from: 0, to: after * 100 },
  ];
}

function Mark({
  row,
  low,
  high,
}: {
  readonly row: Row;
  readonly low: number;
  readonly high: number;
}): JSX.Element {
  const x = (value: number) => (100 * (Math.max(value, low) - low)) / Math.max(1, high - low);
  const [left, right] = [x(Math.min(row.from, row.to)), x(Math.max(row.from, row.to))];
  const kind = row.change === null ? "score" : toneOf(row.change);
  return (
    <svg class={`mark ${kind}`} viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
      <line class="level" x1={x(row.to)} x2={x(row.to)} y1="0" y2="10" />
      <rect x={left} width={Math.max(0.4, right - left)} y="1" height="8" />
    </svg>
  );
}

/** "79 + 9.27 − 0.12 = 89": what the table shows, in one line. */
function identity(before: number, after: number, steps: readonly WaterfallStep[]): string {
  const terms = steps.map(({ points }) => {
    const amount = hundredths(points);
    return `${amount < 0 ? "−" : "+"} ${shown(Math.abs(amount))}`;
  });
  return [before, ...terms, "=", after].join(" ");
}
