/**
 * The attack test: `npm run test:attacks -- [--seed 7] [--record]`. One catalog's key, and callers without any, attack a
 * running installation; the feeds of another catalog are read meanwhile. Checks that no call ends in an error of ours,
 * that nothing of another catalog is shown or changed, and that memory comes back. How much slower the other catalog's
 * feeds become is measured and not asserted: on a busy machine it says little. Only loopback; ends by itself.
 * `--record` writes the figures into docs/reliability.md.
 */
import { availableParallelism, loadavg } from "node:os";
import { parseArgs } from "node:util";
import { workerOf } from "../e2e/program.ts";
import { attackAuthorization, fuzzApi } from "./attack-calls.ts";
import { flood } from "./attack-connections.ts";
import { fairness } from "./attack-fairness.ts";
import { largeLog } from "./attack-log.ts";
import { figures, memoryOf, note } from "./attack-measures.ts";
import { checkEnd, expectNoOpenRun } from "./checks.ts";
import { recordFigures } from "./figures.ts";
import { expect, problems, settles } from "./problems.ts";
import { buildWorld, learnFeeds } from "./world.ts";
import type { Tenant, World } from "./world.ts";

const { values: given } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    calls: { type: "string", default: "6000" },
    rows: { type: "string", default: "2000000" },
    readers: { type: "string", default: "1000" },
    /** The large log alone. */
    log: { type: "boolean", default: false },
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

async function attackAll(world: World, victim: Tenant): Promise<void> {
  const { tenants, service } = world;
  await attackAuthorization(world, tenants);
  await fuzzApi(world, tenants, { seed, calls });
  await expectNoOpenRun(world, "the fuzzed calls");
  const feed = new URL(victim.feeds[0] ?? "", service.url).pathname;
  const request = (line: string) => `${line}\r\nHost: localhost\r\n`;
  await flood(world, victim, {
    name: "500 connections that never end their request",
    count: 500,
    head: `${request("POST /api/v1/syncs HTTP/1.1")}content-type: application/json\r\ncontent-length: 1000\r\n\r\n{`,
  });
  await flood(world, victim, {
    name: `${readers.toLocaleString("en")} readers that stop reading`,
    count: readers,
    head: `${request(`GET ${feed} HTTP/1.1`)}\r\n`,
  });
  await fairness(world, tenants);
}

async function main(world: World): Promise<void> {
  const { tenants, service } = world;
  const [, , victim] = tenants;
  if (!victim) return;
  for (const tenant of tenants)
    expect(await settles(async () => learnFeeds(world, tenant), 120_000), `no feeds of ${tenant.slug}`);
  note("Seed", seed);
  note(
    "Cores, load of the machine at the start",
    `${availableParallelism()}, ${(loadavg()[0] ?? 0).toFixed(1)}`,
  );
  const idle = { server: await memoryOf(service.pid), worker: await memoryOf(await workerOf(service)) };
  if (!given.log) await attackAll(world, victim);
  await largeLog(world, victim, rows);
  const end = { server: await memoryOf(service.pid), worker: await memoryOf(await workerOf(service)) };
  note("Memory of the server, MB at the start and at the end", `${idle.server}, ${end.server}`);
  note("Memory of the worker, MB at the start and at the end", `${idle.worker}, ${end.worker}`);
  note("Load of the machine at the end", (loadavg()[0] ?? 0).toFixed(1));
  await checkEnd(world);
  note("Problems", problems.length);
  if (given.record) await recordFigures("attacks", [["Figure | Value", figures]]);
}

async function runBounded(): Promise<void> {
  await using world = await buildWorld({ freezeMs: 0, env: { MAX_CONNECTIONS_PER_ADDRESS: "0" } });
  const cut = Promise.withResolvers<never>();
  const timer = setTimeout(() => cut.reject(new Error("the test took too long")), LIMIT_MS);
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, () => cut.reject(new Error(`stopped by ${signal}`)));
  try {
    await Promise.race([main(world), cut.promise]);
  } catch (error) {
    expect(false, error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
  clearTimeout(timer);
  console.log(`${problems.length} problems`);
}

await runBounded();
process.exit(problems.length === 0 ? 0 : 1);
