/** Charts as SVG. Each has its figures as text for screen readers; colors come from the style sheet. */
import type { JSX } from "preact";
import { formatNumber } from "../format.ts";

export type Point = { readonly at: string; readonly value: number };

const WIDTH = 600;

/** A line over time. `label` says what it shows. Drawn only with two points or more. */
export function LineChart({
  label,
  points,
  height = 120,
  format = formatNumber,
  range,
}: {
  readonly label: string;
  /** Oldest first. */
  readonly points: readonly Point[];
  readonly height?: number;
  readonly format?: (value: number) => string;
  /** The values at the bottom and at the top; from zero to a round number above the largest unless set. */
  readonly range?: readonly [number, number];
}): JSX.Element | null {
  const first = points[0];
  const last = points.at(-1);
  if (!first || !last || points.length < 2) return null;
  const [low, high] = range ?? [0, roundUp(Math.max(...points.map(({ value }) => value)))];
  const [begin, end] = [Date.parse(first.at), Date.parse(last.at)];
  const x = (at: string) => ((Date.parse(at) - begin) / Math.max(1, end - begin)) * WIDTH;
  const y = (value: number) => height - ((value - low) / Math.max(1e-9, high - low)) * height;
  const line = points.map(({ at, value }) => `${x(at).toFixed(1)},${y(value).toFixed(1)}`);
  const summary = `${label}: ${format(first.value)} → ${format(last.value)}`;
  return (
    <figure class="chart">
      <div class="chart-area">
        <svg viewBox={`0 0 ${WIDTH} ${height}`} preserveAspectRatio="none" role="img" aria-label={summary}>
          {[0, 0.5, 1].map((part) => (
            <line key={part} class="grid" x1="0" x2={WIDTH} y1={part * height} y2={part * height} />
          ))}
          <polygon class="area" points={`0,${height} ${line.join(" ")} ${WIDTH},${height}`} />
          <polyline class="line" points={line.join(" ")} />
        </svg>
        <div class="chart-scale small muted" aria-hidden="true">
          <span>{format(high)}</span>
          <span>{format((low + high) / 2)}</span>
          <span>{format(low)}</span>
        </div>
      </div>
      <figcaption class="small muted">
        <time dateTime={first.at}>{dayOf(first.at)}</time>
        <time dateTime={last.at}>{dayOf(last.at)}</time>
      </figcaption>
    </figure>
  );
}

/** 1, 2 or 5 times a power of ten. */
function roundUp(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 5, 10].find((factor) => factor * power >= value) ?? 10) * power;
}

const day = new Intl.DateTimeFormat("en", { month: "short", day: "numeric" });
const dayOf = (at: string): string => day.format(Date.parse(at));

/** A part of a whole, as a bar. The text beside it has the figures, so screen readers skip it. */
export function Bar({
  part,
  kind = "accent",
}: {
  /** From 0 to 1. */
  readonly part: number;
  readonly kind?: "accent" | "ok" | "attention" | "bad";
}): JSX.Element {
  return (
    <svg class={`bar ${kind}`} viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
      <rect class="track" width="100" height="6" />
      <rect class="value" width={Math.max(0, Math.min(1, part)) * 100} height="6" />
    </svg>
  );
}
