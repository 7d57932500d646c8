/**
 * `npm run bench`: measures the real program, the limits of the machine and other programs, prints a Markdown table and
 * writes the result as JSON. Progress goes to stderr.
 */
import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { measureCatalogs } from "./catalogs.ts";
import { measurePeers } from "./peers.ts";
import { measurePushes } from "./pushes.ts";
import { recordResult } from "./record.ts";
import { reportRows } from "./report.ts";
import { measureShops } from "./shops.ts";
import { currentLoad, machine, type SizeCost, writeResult } from "./result.ts";
import { measureServing } from "./serving.ts";
import { measureShares, shareRows } from "./shares.ts";
import { type Measured, measureSize } from "./size.ts";
import { median } from "./statistics.ts";
import { markdownTable } from "./table.ts";
import { measureWebhooks } from "./webhooks.ts";

const { values } = parseArgs({
  options: {
    sizes: { type: "string" },
    rounds: { type: "string" },
    quick: { type: "boolean", default: false },
    /** Writes docs/performance.md, its charts and its JSON. */
    record: { type: "boolean", default: false },
    json: { type: "string", default: "bench.json" },
    out: { type: "string" },
  },
});

const { quick } = values;
const sizes = (values.sizes ?? (quick ? "1000,10000" : "1000,10000,100000"))
  .split(",")
  .map(positive)
  .toSorted((a, b) => a - b);
const rounds = positive(values.rounds ?? (quick ? "1" : "3"));
/** Larger catalogs are measured once, as first sync and render. */
const MAX_ITEMS_OF_SERIES = 100_000;
const largest = Math.max(...sizes.map((items) => Math.min(items, MAX_ITEMS_OF_SERIES)));
const stop = new AbortController();
const { signal } = stop;
process.once("SIGINT", () => stop.abort(new Error("stopped")));

const loadBefore = currentLoad();
const measured: Measured[] = [];
for (const items of sizes) {
  const hasLatency = items === Math.max(...sizes);
  measured.push(await measureSize({ items, rounds, hasLatency, signal, talk }));
}
const shares = await measureShares(largest, signal, talk);
const serving = await measureServing({
  rounds,
  ms: quick ? 700 : 2_000,
  items: quick ? 2_000 : 20_000,
  signal,
  talk,
});
const peers = await measurePeers(
  measured.filter(({ items }) => items >= 10_000 && items <= MAX_ITEMS_OF_SERIES),
  talk,
);
const webhooks = quick ? [] : await measureWebhooks(talk);
const pushes = quick ? [] : await measurePushes(talk);
const catalogs = quick ? [] : await measureCatalogs(talk);
const shops = quick ? [] : await measureShops(talk);
const rows = [
  ...reportRows(measured),
  ...shareRows(shares),
  ...pushes,
  ...catalogs,
  ...serving,
  ...peers,
  ...shops,
  ...webhooks,
];
const result = { ...machine(), load: [loadBefore, currentLoad()], sizes: measured.map(costOf), shares, rows };

process.stdout.write(markdownTable(rows));
await writeResult(values.json, result);
if (values.out !== undefined) await writeFile(values.out, markdownTable(rows));
if (values.record) await recordResult(result);

function costOf({ items, rounds }: Measured): SizeCost {
  const micros = (times: readonly number[]) => (median(times) * 1000) / items;
  return {
    items,
    sync: micros(rounds.map(({ first }) => first.sync.wallMs)),
    render: micros(rounds.map(({ first }) => first.render.wallMs)),
    changed: micros(rounds.map(({ changed }) => changed.wallMs)),
  };
}

function positive(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1)
    throw new Error(`a whole number above 0 is needed, not "${text}"`);
  return value;
}

function talk(text: string): void {
  process.stderr.write(`${text}\n`);
}
