/**
 * `npm run bench`: measures the real program and the limits of the machine, and prints a Markdown table. Progress goes to stderr;
 * `--out FILE` writes the table to a file.
 */
import { writeFile } from "node:fs/promises";
import { availableParallelism, loadavg } from "node:os";
import { parseArgs } from "node:util";
import { reportRows } from "./report.ts";
import { measureShops } from "./shops.ts";
import { type Measured, measureSize } from "./size.ts";
import { markdownTable } from "./table.ts";
import { measureWebhooks } from "./webhooks.ts";

const { values } = parseArgs({
  options: {
    sizes: { type: "string", default: "1000,10000,100000" },
    rounds: { type: "string", default: "3" },
    quick: { type: "boolean", default: false },
    out: { type: "string" },
  },
});

const sizes = values.quick ? [1_000] : values.sizes.split(",").map(positive);
const rounds = values.quick ? 1 : positive(values.rounds);
const stop = new AbortController();
process.once("SIGINT", () => stop.abort(new Error("stopped")));

const measured: Measured[] = [];
talkOfLoad("before");
for (const items of sizes.toSorted((a, b) => a - b)) {
  const hasLatency = items === Math.max(...sizes);
  measured.push(await measureSize({ items, rounds, hasLatency, signal: stop.signal, talk }));
}
const webhooks = values.quick ? [] : await measureWebhooks(talk);
const shops = values.quick ? [] : await measureShops(talk);
talkOfLoad("after");
const table = markdownTable([...reportRows(measured), ...shops, ...webhooks]);
process.stdout.write(table);
if (values.out !== undefined) await writeFile(values.out, table);

function positive(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1)
    throw new Error(`a whole number above 0 is needed, not "${text}"`);
  return value;
}

/** Load of the machine is the usual reason when two runs differ. */
function talkOfLoad(when: string): void {
  talk(`load ${when}: ${(loadavg()[0] ?? 0).toFixed(1)} on ${availableParallelism()} cores`);
}

function talk(text: string): void {
  process.stderr.write(`${text}\n`);
}
