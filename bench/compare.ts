/**
 * `npm run bench:compare A B`: what got worse from A to B. Only ratios are compared: each of them was measured against
 * a baseline in the same run, so two machines can be compared too. Exits with 1 if anything got worse.
 */
import { parseArgs } from "node:util";
import { readResult } from "./result.ts";
import { median } from "./statistics.ts";
import { number, type Row } from "./table.ts";

/** One round of one run varies this much on a machine that does other things too. */
const TOLERANCE = 0.3;

export type Change = {
  readonly name: string;
  readonly before: number;
  readonly after: number;
  readonly verdict: "worse" | "better" | "same";
};

export type Comparison = {
  readonly changes: readonly Change[];
  /** Only in the first run. */
  readonly missing: readonly string[];
};

export function compareRows(
  before: readonly Row[],
  after: readonly Row[],
  tolerance = TOLERANCE,
): Comparison {
  const later = new Map(after.map((row) => [nameOf(row), row]));
  const compared = before.filter((row) => valuesOf(row).length > 0);
  return {
    changes: compared.flatMap((row) => {
      const other = later.get(nameOf(row));
      return other ? [changeOf(row, other, tolerance)] : [];
    }),
    missing: compared.map(nameOf).filter((name) => !later.has(name)),
  };
}

function nameOf({ what, items, against }: Row): string {
  return [what, items === null ? "" : `${number(items)} items`, against ? `against ${against}` : ""]
    .filter((part) => part !== "")
    .join(", ");
}

/** The ratios, or the figure if that is what the target is for. */
function valuesOf({ judged, ratios = [] }: Row): readonly number[] {
  return judged === undefined ? ratios : [judged];
}

function changeOf(before: Row, after: Row, tolerance: number): Change {
  const isLowerBetter = (before.better ?? (before.target?.sign === "≤" ? "lower" : "higher")) === "lower";
  const [from, to] = [valuesOf(before), valuesOf(after)];
  /** Above 1: better. */
  const gain = isLowerBetter ? median(from) / median(to) : median(to) / median(from);
  // Rounds that overlap show no difference.
  const isApart = Math.min(...to) > Math.max(...from) || Math.max(...to) < Math.min(...from);
  const isLarge = gain < 1 / (1 + tolerance) || gain > 1 + tolerance;
  const verdict = !isApart || !isLarge ? "same" : gain < 1 ? "worse" : "better";
  return { name: nameOf(before), before: median(from), after: median(to), verdict };
}

async function main(): Promise<void> {
  const options = { tolerance: { type: "string", default: String(TOLERANCE) } } as const;
  const { positionals, values } = parseArgs({ options, allowPositionals: true });
  const [a, b] = positionals;
  if (a === undefined || b === undefined) throw new Error("usage: npm run bench:compare A.json B.json");
  const [before, after] = [await readResult(a), await readResult(b)];
  const { changes, missing } = compareRows(before.rows, after.rows, Number(values.tolerance));
  if (changes.length === 0) throw new Error("the two runs have no measurement in common");
  for (const verdict of ["worse", "better"] as const)
    for (const change of changes.filter((one) => one.verdict === verdict))
      process.stdout.write(
        `${verdict}: ${change.name}: ${number(change.before, 2)} → ${number(change.after, 2)}\n`,
      );
  for (const name of missing) process.stdout.write(`not in ${b}: ${name}\n`);
  const count = (verdict: Change["verdict"]) => changes.filter((one) => one.verdict === verdict).length;
  process.stdout.write(`${count("worse")} worse, ${count("better")} better, ${count("same")} as before\n`);
  if (count("worse") > 0) process.exitCode = 1;
}

if (import.meta.main) await main();
