/**
 * The attack test: `npm run test:attacks -- [--seed 7] [--record]`. One catalog's key, and callers without any, attack
 * a running installation; the feeds of another catalog are read meanwhile. Checks that no call causes a server error,
 * that nothing of another catalog is shown or changed, and that memory is released. How much slower the other catalog's
 * feeds become is measured and not asserted: on a busy machine it means little. Only loopback; ends by itself.
 * `--record` writes the figures into docs/reliability.md.
 */
import { availableParallelism, constants, loadavg, setPriority } from "node:os";
import { parseArgs } from "node:util";
import { attackAuthorization, fuzzApi } from "./attack-calls.ts";
import { flood } from "./attack-connections.ts";
import { fairness } from "./attack-fairness.ts";
import { attackByHeavyCalls } from "./attack-heavy.ts";
import { largeLog } from "./attack-log.ts";
import { figures, forkReader, note } from "./attack-measures.ts";
import { checkEnd, expectNoOpenRun } from "./checks.ts";
import { recordFigures } from "./figures.ts";
import { expect, problems, runBounded, settles } from "./problems.ts";
import { buildWorld, loadFeeds } from "./world.ts";
import type { World } from "./world.ts";

const { values: given } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    calls: { type: "string", default: "6000" },
    rows: { type: "string", default: "2000000" },
    readers: { type: "string", default: "1000" },
    /** Without the single calls. */
    load: { type: "boolean", default: false },
    /** Only the calls that take much processor time, together and each by itself. */
    heavy: { type: "boolean", default: false },
    record: { type: "boolean", default: false },
  },
});
const [seed, calls, rows, readers] = [given.seed, given.calls, given.rows, given.readers].map(Number) as [
  number,
  number,
  number,
  number,
];

const LIMIT_MS = 40 * 60_000;

async function loadAllFeeds(world: World): Promise<void> {
  for (const tenant of world.tenants)
    expect(await settles(async () => loadFeeds(world, tenant), 120_000), `no feeds of ${tenant.slug}`);
}

/** Thousands of calls, which the limits of a real installation would refuse: here they are off. */
async function attackCalls(worlds: AsyncDisposableStack): Promise<void> {
  await using world = worlds.use(await buildWorld({ freezeMs: 0 }));
  await loadAllFeeds(world);
  await attackAuthorization(world, world.tenants);
  await fuzzApi(world, world.tenants, { seed, calls });
  await expectNoOpenRun(world, "the fuzzed calls");
  await checkEnd(world);
}

/**
 * Load, against the default limits. All attacks come from one address, so only connections are not limited by address.
 */
async function attackByLoad(worlds: AsyncDisposableStack): Promise<void> {
  using reader = forkReader();
  await using world = worlds.use(
    await buildWorld({
      freezeMs: 0,
      env: { MAX_CONNECTIONS_PER_ADDRESS: "0", RATE_LIMIT_PER_MINUTE: "600" },
    }),
  );
  await loadAllFeeds(world);
  const [, attacker, victim] = world.tenants;
  if (!attacker || !victim) return;
  // An attacker on another machine takes no processor time of this one.
  setPriority(constants.priority.PRIORITY_LOW);
  const watch = { world, victim, reader };
  const feed = new URL(victim.feeds[0] ?? "", world.service.url).pathname;
  const request = (line: string) => `${line}\r\nHost: localhost\r\n`;
  await flood(watch, {
    name: "500 connections that never end their request",
    count: 500,
    head: `${request("POST /api/v1/syncs HTTP/1.1")}content-type: application/json\r\ncontent-length: 1000\r\n\r\n{`,
  });
  await flood(watch, {
    name: `${readers.toLocaleString("en")} readers that stop reading`,
    count: readers,
    head: `${request(`GET ${feed} HTTP/1.1`)}\r\n`,
  });
  await fairness(watch, attacker);
  await largeLog(watch, rows);
  await checkEnd(world);
}

async function main(worlds: AsyncDisposableStack): Promise<void> {
  note("Seed", seed);
  note(
    "Cores, load of the machine at the start",
    `${availableParallelism()}, ${(loadavg()[0] ?? 0).toFixed(1)}`,
  );
  if (!given.load && !given.heavy) await attackCalls(worlds);
  await attackByHeavyCalls(worlds, { each: given.heavy });
  if (!given.heavy) await attackByLoad(worlds);
  note("Problems", problems.length);
  if (given.record) await recordFigures("attacks", [["Figure | Value", figures]]);
}

async function attack(): Promise<void> {
  /** Ended here also when the time limit cuts the test. */
  await using worlds = new AsyncDisposableStack();
  await runBounded(main(worlds), LIMIT_MS);
  console.log(`${problems.length} problems`);
}

await attack();
process.exit(problems.length === 0 ? 0 : 1);
