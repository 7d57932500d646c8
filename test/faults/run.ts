/**
 * The fault test: `npm run test:faults -- [--seed 7] [--seconds 600] [--record]`. Kills, freezes, disconnects and
 * starves a running installation for a given time, at moments that a seed chooses, and checks afterwards that nothing
 * was lost, torn, mixed or left running. Only loopback; ends by itself; ends only what it started. `--record` writes
 * the figures into docs/reliability.md.
 */
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import {
  checkDeliveries,
  checkEnd,
  checkLastSync,
  checkLedger,
  checkStops,
  expectNoOpenRun,
} from "./checks.ts";
import type { RunRow } from "./checks.ts";
import { FAULTS } from "./faults.ts";
import { recordFigures } from "./figures.ts";
import type { Figures } from "./figures.ts";
import { expect, problems, randomFrom, runBounded, settles, shuffled } from "./problems.ts";
import { askForSync, buildWorld, loadFeeds, readForever, restock } from "./world.ts";
import type { Reads, World } from "./world.ts";

const { values: given } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    seconds: { type: "string", default: "600" },
    record: { type: "boolean", default: false },
  },
});
const [seed, seconds] = [Number(given.seed), Number(given.seconds)];

/** Nothing takes longer than this after the last fault, on however slow a machine. */
const REST_LIMIT_MS = 15 * 60_000;
const START_LIMIT_MS = 120_000;
/** In a long run a process is frozen beyond its lease of 15 seconds. */
const freezeMs = seconds > 200 ? 19_000 : 3_000;

async function main(world: World): Promise<void> {
  const began = performance.now();
  const chance = randomFrom(seed);
  for (const tenant of world.tenants)
    expect(await settles(async () => loadFeeds(world, tenant), START_LIMIT_MS), `no feeds of ${tenant.slug}`);
  const stop = new AbortController();
  const reading = readForever(world, stop.signal);
  const counts = await breakThings(world, chance);
  const settledS = await expectNoOpenRun(world, "the last fault");
  for (const [kind, count] of Object.entries(await checkStops(world, chance)))
    counts[kind] = (counts[kind] ?? 0) + count;
  await checkLastSync(world);
  stop.abort();
  const reads = await reading;
  for (const fault of reads.faults.slice(0, 20)) expect(false, `a feed was read torn or mixed: ${fault}`);
  const runs = await checkLedger(world);
  const events = await checkDeliveries(world);
  await checkEnd(world);

  const figures = figuresOf({ counts, reads, runs, events, settledS, world });
  console.log(figures);
  if (given.record)
    await recordFigures("figures", [
      ["Figure | Value", figures],
      ["Fault | Times", Object.fromEntries(Object.entries(counts).sort(([a], [b]) => a.localeCompare(b)))],
    ]);
  console.log(`${problems.length} problems, ${Math.round((performance.now() - began) / 1_000)} s`);
}

/** Applies all faults in an order that the seed chooses, again and again, while time is left. */
async function breakThings(world: World, chance: () => number): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  const ends = performance.now() + seconds * 1_000;
  const kinds = Object.keys(FAULTS).filter((kind) => world.disk !== null || kind !== "disk full");
  let left: string[] = [];
  while (performance.now() < ends) {
    if (left.length === 0) left = shuffled(kinds, chance);
    const kind = left.pop() ?? "";
    for (const tenant of world.tenants) {
      if (chance() < 0.3) continue;
      restock(tenant);
      await askForSync(world, tenant);
    }
    await delay(chance() * 1_500);
    console.log(`  ${kind}`);
    await FAULTS[kind]?.(world, chance);
    counts[kind] = (counts[kind] ?? 0) + 1;
    await delay(500 + chance() * 1_500);
  }
  return counts;
}

type Outcome = {
  readonly counts: Readonly<Record<string, number>>;
  readonly reads: Reads;
  readonly runs: readonly RunRow[];
  readonly events: number;
  readonly settledS: number;
  readonly world: World;
};

function figuresOf({ counts, reads, runs, events, settledS, world }: Outcome): Figures {
  const { logs, longestStopMs, longestOpenS } = world.observed;
  const log = logs.join("\n");
  const failed = runs.filter(({ state }) => state === "failed");
  return {
    Seed: seed,
    "Seconds of faults": seconds,
    Faults: Object.values(counts).reduce((sum, count) => sum + count, 0),
    "Feed reads, whole": reads.whole,
    "Feed reads, torn or mixed": reads.faults.length,
    "Feed reads refused: no server at that moment": reads.refused,
    "Feed reads answered 503": reads.unavailable,
    Runs: runs.length,
    "Runs failed": failed.length,
    "… of them, codes": [...new Set(failed.map(({ code }) => code))].join(", ") || "none",
    "Runs retried after an internal failure": log.match(/"outcome":"retried"/g)?.length ?? 0,
    "… of them for a full disk": log.match(/"outcome":"retried","code":"disk_full"/g)?.length ?? 0,
    "Events announced": events,
    "Deliveries received": world.receiver.requests.length,
    "Seconds until no run was open, after the last fault": Math.round(settledS),
    "… after a single stop or kill, at most": Math.round(longestOpenS),
    "Seconds that a stop took, at most": Math.round(longestStopMs / 100) / 10,
    Problems: problems.length,
  };
}

/** The installation is always removed: on a signal, after an error, and when the time is over. */
async function run(): Promise<void> {
  console.log(`faults for ${seconds} s, seed ${seed}`);
  await using world = await buildWorld({ freezeMs });
  await runBounded(main(world), seconds * 1_000 + REST_LIMIT_MS);
  if (problems.length > 0)
    console.log(world.observed.logs.concat(world.service.said.talk).join("\n").slice(-20_000));
}

await run();
// A child of ours that hangs must not keep the test from ending; there is none if it succeeded.
process.exit(problems.length === 0 ? 0 : 1);
