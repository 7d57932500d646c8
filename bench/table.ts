/**
 * One Markdown table. Every row sets a figure against another one of the same run; where there were several rounds,
 * a ratio is taken in each, and the middle one is shown with the lowest and the highest beside it.
 */
import { median } from "./statistics.ts";

export type Target = {
  readonly sign: "≥" | "≤";
  readonly value: number;
  /** Without one the target is about the ratio, with one about the figure. */
  readonly unit?: string;
};

export type Row = {
  readonly what: string;
  /** Null where the size of a catalog has nothing to do with it. */
  readonly items: number | null;
  readonly figure: string;
  /** The same by the clock of the run itself, which sees neither the queue nor the commit. */
  readonly ownFigure?: string;
  readonly against?: string;
  readonly reference?: string;
  /** One a round. */
  readonly ratios?: readonly number[];
  readonly target?: Target;
  /** What the target is held against, if not the middle ratio. */
  readonly judged?: number;
};

const NOTHING = "–";
const HEAD = ["What", "Items", "Measured", "By its run", "Against", "That", "Ratio", "Target", "Met"];

export function markdownTable(rows: readonly Row[]): string {
  const lines = [HEAD, HEAD.map(() => "---"), ...rows.map(cells)];
  return lines.map((line) => `| ${line.join(" | ")} |\n`).join("");
}

function cells(row: Row): string[] {
  return [
    row.what,
    row.items === null ? NOTHING : number(row.items),
    row.figure,
    row.ownFigure ?? NOTHING,
    row.against ?? NOTHING,
    row.reference ?? NOTHING,
    spread(row.ratios ?? []),
    row.target ? `${row.target.sign} ${row.target.value}${row.target.unit ?? " ×"}` : NOTHING,
    verdict(row),
  ];
}

function verdict({ target, judged, ratios = [] }: Row): string {
  const value = judged ?? (ratios.length > 0 ? median(ratios) : undefined);
  if (!target || value === undefined) return NOTHING;
  const isMet = target.sign === "≥" ? value >= target.value : value <= target.value;
  return isMet ? "yes" : "**no**";
}

function spread(ratios: readonly number[]): string {
  if (ratios.length === 0) return NOTHING;
  const digits = median(ratios) < 10 ? 2 : 0;
  const middle = `${number(median(ratios), digits)} ×`;
  if (ratios.length === 1) return middle;
  return `${middle} (${number(Math.min(...ratios), digits)}–${number(Math.max(...ratios), digits)})`;
}

export function number(value: number, digits = 0): string {
  return value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}
