/**
 * The Markdown table. Every row compares two figures of the same run; with several rounds it has the median ratio, the
 * lowest and the highest.
 */
import { median } from "./statistics.ts";

export type Target = {
  readonly sign: "≥" | "≤";
  readonly value: number;
  /** With a unit the target is for the figure, without one for the ratio. */
  readonly unit?: string;
};

export type Row = {
  readonly what: string;
  /** Null if it does not depend on the size of the catalog. */
  readonly items: number | null;
  readonly figure: string;
  /** As the run itself measures it, without queue and commit. */
  readonly ownFigure?: string;
  readonly against?: string;
  readonly reference?: string;
  /** One per round. */
  readonly ratios?: readonly number[];
  /** Which ratio is the better one; by default as the target says. */
  readonly better?: "higher" | "lower";
  readonly target?: Target;
  /** What the target is compared with, if not the median ratio. */
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
