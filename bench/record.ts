/** Writes a run into `docs/performance.md`: the machine, the charts and the table. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { chartSvg } from "./chart.ts";
import { type BenchResult, writeResult } from "./result.ts";
import { markdownTable, number, type Row } from "./table.ts";

const DOCS = join(import.meta.dirname, "../docs");
const BEGIN = "<!-- begin: npm run bench:record -->";
const END = "<!-- end -->";

/** The page, the charts and the JSON to compare later runs with. */
export async function recordResult(result: BenchResult): Promise<void> {
  const page = join(DOCS, "performance.md");
  await writeFile(page, withRun(await readFile(page, "utf8"), result));
  await writeFile(join(DOCS, "images/cost-by-size.svg"), sizeChart(result));
  if (result.shares) await writeFile(join(DOCS, "images/cost-by-share.svg"), shareChart(result.shares));
  await writeResult(join(DOCS, "performance.json"), result);
}

export function withRun(page: string, result: BenchResult): string {
  const begin = page.indexOf(BEGIN);
  const end = page.indexOf(END, begin);
  if (begin === -1 || end === -1) throw new Error("docs/performance.md has no place for the run");
  return `${page.slice(0, begin)}${BEGIN}\n\n${runText(result)}\n${page.slice(end)}`;
}

function runText({ at, node, cores, processor, load, shares, rows }: BenchResult): string {
  const [before = 0, after = 0] = load;
  const machine = `${at.slice(0, 10)}: ${number(cores)} cores (${processor}), Node.js ${node.slice(1)}, embedded PostgreSQL with its default settings (fsync on). Load of the machine before the run ${before}, after it ${after}.`;
  const charts = [
    "![Cost of an item by the size of the catalog](images/cost-by-size.svg)",
    ...(shares ? ["![Cost of a cycle by the share of changed items](images/cost-by-share.svg)"] : []),
  ];
  return [
    machine,
    ...charts,
    "### Targets",
    markdownTable(judgedRows(rows)),
    "### All measurements",
    markdownTable(rows),
  ].join("\n\n");
}

/** Rows with a target; of those of several sizes, that of the largest. */
function judgedRows(rows: readonly Row[]): readonly Row[] {
  const judged = rows.filter(({ target }) => target !== undefined);
  const largest = new Map(judged.map((row) => [`${row.what} ${row.against}`, row]));
  return judged.filter((row) => largest.get(`${row.what} ${row.against}`) === row);
}

export function sizeChart({ sizes }: Pick<BenchResult, "sizes">): string {
  const line = (name: string, key: "sync" | "render" | "changed") => ({
    name,
    points: sizes.map((size) => [size.items, size[key]] as const),
  });
  return chartSvg({
    title: "Cost of an item by the size of the catalog",
    xLabel: "items in the catalog",
    yLabel: "µs of wall time an item",
    xTicks: sizes.map(({ items }) => [items, number(items)]),
    lines: [
      line("first sync", "sync"),
      line("render, 4 feeds", "render"),
      line("cycle, 1 % changed", "changed"),
    ],
  });
}

/** A share of 0 has no place on a logarithmic axis: it is drawn where 0.01 % is. */
const LEAST_SHARE = 0.0001;

export function shareChart({ items, firstMs, costs }: NonNullable<BenchResult["shares"]>): string {
  const ticks = [LEAST_SHARE, 0.001, 0.01, 0.1, 1];
  return chartSvg({
    title: `Cost of sync and render by the share of changed items (${number(items)} items)`,
    xLabel: "changed items",
    yLabel: "seconds",
    xTicks: ticks.map((tick) => [
      tick,
      tick === LEAST_SHARE ? "none" : `${Number((tick * 100).toFixed(1))} %`,
    ]),
    lines: [
      {
        name: "this cycle",
        points: costs.map(({ share, ms }) => [Math.max(share, LEAST_SHARE), ms / 1000] as const),
      },
      { name: "first cycle", points: ticks.map((tick) => [tick, firstMs / 1000] as const) },
    ],
  });
}
