/**
 * The fault test: `npm run test:faults -- [--seed 7] [--seconds 600] [--record]`. Kills, freezes, disconnects and
 * starves a running installation for a given time, at moments that a seed chooses, and checks afterwards that nothing
 * was lost, torn, mixed or left running. Only loopback; ends by itself; ends only what it started. `--record` writes the
 * figures into docs/reliability.md.
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Client } from "pg";
import { until } from "../acts.ts";
import { serverPid } from "../e2e/embedded-holder.ts";
import { databaseUrl, leftRunning, startService, workerOf } from "../e2e/program.ts";
import { askForSync, buildWorld, deliveryFaults, learnFeeds, query, readForever, restock } from "./world.ts";
import type { Reads, World } from "./world.ts";

const { values: given } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    seconds: { type: "string", default: "600" },
    record: { type: "boolean", default: false },
  },
});
const [seed, seconds] = [Number(given.seed), Number(given.seconds)];

/** Mulberry32: the same seed, the same faults at the same moments. */
function randomFrom(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const problems: string[] = [];
const expect = (isSo: boolean, otherwise: string): void => {
  if (isSo) return;
  problems.push(otherwise);
  console.log(`  PROBLEM: ${otherwise}`);
};

/** Everything must be down so soon after a stop, and what a killed server left must follow it. */
const STOP_MS = 10_000;
const OPEN_MS = 60_000;

type Fault = (world: World, chance: () => number) => Promise<void>;

const FAULTS: Readonly<Record<string, Fault>> = {
  "server killed": async (world) => {
    process.kill(world.service.pid, "SIGKILL");
    await restart(world);
  },
  "worker killed": async ({ service }) => kill(await workerOf(service), "SIGKILL"),
  "everything killed": async (world) => {
    const postmaster = await serverPid(world.dataDir);
    world.service.signalAll("SIGKILL");
    if (postmaster !== null) kill(postmaster, "SIGKILL");
    await restart(world);
  },
  "PostgreSQL killed": async ({ dataDir }) => kill(await serverPid(dataDir), "SIGKILL"),
  "PostgreSQL stopped": async ({ dataDir }) => kill(await serverPid(dataDir), "SIGINT"),
  "connections cut": async (world) => disconnect(world, "application_name like 'shelfwire-%'"),
  "worker disconnected": async (world) => disconnect(world, "application_name = 'shelfwire-worker'"),
  "worker told to stop": async ({ service }) => kill(await workerOf(service), "SIGTERM"),
  "server told to stop": async (world) => {
    const began = performance.now();
    kill(world.service.pid, "SIGTERM");
    await world.service.ended;
    expect(performance.now() - began < STOP_MS + 2_000, "a stop took longer than 10 seconds");
    await restart(world);
  },
  "worker frozen": async ({ service }, chance) => freeze(await workerOf(service), chance),
  "server frozen": async ({ service }, chance) => freeze(service.pid, chance),
  "PostgreSQL frozen": async ({ dataDir }, chance) => freeze((await serverPid(dataDir)) ?? 0, chance),
  "clock set back a day while the worker dies": async (world) => {
    const worker = await workerOf(world.service);
    kill(worker, "SIGSTOP");
    // What a lease looks like after the clock was set back: it ends a day from now.
    await attempt(async () =>
      // The worker that stands still may have the row locked.
      query(
        world,
        "set lock_timeout = '2s'; update runs set lease_until = lease_until + interval '1 day' where state = 'running' returning id",
      ),
    );
    kill(worker, "SIGKILL");
  },
  "disk full": async (world, chance) => {
    await world.disk?.fill();
    for (const tenant of world.tenants) {
      restock(tenant);
      await askForSync(world, tenant);
    }
    await delay(2_000 + chance() * 3_000);
    await world.disk?.free();
  },
};

function kill(pid: number | null, signal: NodeJS.Signals): void {
  try {
    if (pid !== null && pid > 0) process.kill(pid, signal);
  } catch {
    // It is gone already, which is as good.
  }
}

async function freeze(pid: number, chance: () => number): Promise<void> {
  kill(pid, "SIGSTOP");
  // In a long run beyond the lease of 15 seconds.
  await delay(1_000 + chance() * (seconds > 200 ? 19_000 : 3_000));
  kill(pid, "SIGCONT");
}

async function disconnect(world: World, which: string): Promise<void> {
  await attempt(async () =>
    query(world, `select pg_terminate_backend(pid) from pg_stat_activity where ${which}`),
  );
}

async function attempt(work: () => Promise<unknown>): Promise<void> {
  // The database may be away at this moment.
  await work().catch(() => undefined);
}

/** Starts the server again, and sees to it that nothing of the last one stays. */
async function restart(world: World): Promise<void> {
  const old = world.service;
  await old.ended;
  logs.push(old.said.talk);
  for (let tries = 0; ; tries += 1) {
    try {
      world.service = await startService(world.env, "--no-demo");
      break;
    } catch (error) {
      // The database may still hold the lock of the server that was killed.
      if (tries >= 5) throw error;
      await delay(1_000);
    }
  }
  await untilGone(old.pid);
}

const logs: string[] = [];

async function untilGone(group: number): Promise<void> {
  const isGone = async () => {
    try {
      process.kill(-group, 0);
      return false;
    } catch {
      return true;
    }
  };
  const gone = await until(isGone, "the group to end", STOP_MS + 5_000).catch(() => false);
  expect(gone, `processes of group ${group} are left`);
}

/** Deals all faults out in an order of the seed's, again and again, while time is left. */
async function breakThings(world: World, chance: () => number): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  const ends = performance.now() + seconds * 1_000;
  const kinds = Object.keys(FAULTS).filter((kind) => world.disk !== null || kind !== "disk full");
  let deck: string[] = [];
  while (performance.now() < ends) {
    if (deck.length === 0) deck = shuffled(kinds, chance);
    const kind = deck.pop() ?? "";
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

function shuffled<T>(all: readonly T[], chance: () => number): T[] {
  return all
    .map((one) => ({ one, at: chance() }))
    .sort((a, b) => a.at - b.at)
    .map(({ one }) => one);
}

async function openRuns(world: World): Promise<number> {
  const [count] = await rowsOf<{ count: number }>(
    world,
    "select count(*)::int as count from runs where state in ('queued', 'running')",
  );
  return count?.count ?? 0;
}

async function rowsOf<Row>(world: World, text: string): Promise<readonly Row[]> {
  const client = new Client({
    connectionString: await databaseUrl(world.dataDir),
    options: "-c search_path=shelfwire",
  });
  client.on("error", () => undefined);
  await client.connect();
  try {
    return (await client.query(text)).rows as Row[];
  } finally {
    await client.end();
  }
}

/** No run stays open; then one quiet sync for everyone, and its feeds have the last version. */
async function settle(world: World): Promise<number> {
  const began = performance.now();
  const idle = async () => (await openRuns(world).catch(() => 1)) === 0;
  const isIdle = await until(idle, "all runs to end", OPEN_MS).catch(() => false);
  const settledS = Math.round((performance.now() - began) / 1_000);
  expect(isIdle, "runs are still open a minute after the last fault");
  for (const tenant of world.tenants) {
    restock(tenant);
    await until(async () => (await askForSync(world, tenant)) === 202, "a sync to be taken", OPEN_MS);
  }
  const wanted = world.tenants.map(({ version }) => `As of version-${version}.`);
  for (const [i, { feeds, slug }] of world.tenants.entries()) {
    const [feed = ""] = feeds;
    const isNew = async () =>
      (await (await fetch(new URL(feed, world.service.url))).text()).includes(wanted[i] ?? "");
    const arrived = await until(isNew, "the last version", OPEN_MS).catch(() => false);
    expect(arrived, `the feeds of ${slug} do not have the last version`);
  }
  const drained = async () => {
    const [row] = await rowsOf<{ count: number }>(world, "select count(*)::int as count from webhook_queue");
    return row?.count === 0 && (await openRuns(world)) === 0;
  };
  expect(await until(drained, "all deliveries", 90_000).catch(() => false), "deliveries are still queued");
  return settledS;
}

type RunRow = { kind: string; state: string; code: string | null; stats: Record<string, number> };

async function checkLedger(world: World): Promise<readonly RunRow[]> {
  const runs = await rowsOf<RunRow>(world, "select kind, state, error->>'code' as code, stats from runs");
  for (const { kind, state, stats } of runs) {
    if (kind !== "sync" || state !== "succeeded") continue;
    const { seen = 0, upserted = 0, unchanged = 0, rejected = 0 } = stats;
    expect(seen === upserted + unchanged + rejected, `a sync does not add up: ${JSON.stringify(stats)}`);
  }
  return runs;
}

async function checkDeliveries(world: World): Promise<number> {
  const events = await rowsOf<{ id: string; payload: string }>(
    world,
    "select id, payload from webhook_events",
  );
  const announced = new Map(events.map(({ id, payload }) => [id, payload]));
  for (const fault of deliveryFaults(world, announced)) expect(false, `event ${fault}`);
  return events.length;
}

/** Of each kind of row a figure; the page has them as a table. */
type Figures = Readonly<Record<string, number | string>>;

async function main(): Promise<void> {
  const began = performance.now();
  const chance = randomFrom(seed);
  console.log(`faults for ${seconds} s, seed ${seed}`);
  await using world = await buildWorld();
  for (const tenant of world.tenants)
    await until(async () => learnFeeds(world, tenant), `feeds of ${tenant.slug}`, OPEN_MS);
  const stop = new AbortController();
  const reading = readForever(world, stop.signal);
  const counts = await breakThings(world, chance);
  const settledS = await settle(world);
  stop.abort();
  const reads = await reading;
  for (const fault of reads.faults.slice(0, 20)) expect(false, `a feed was read torn or mixed: ${fault}`);
  const runs = await checkLedger(world);
  const events = await checkDeliveries(world);

  const stopping = performance.now();
  kill(world.service.pid, "SIGTERM");
  const status = await world.service.ended;
  expect(status === 0 && performance.now() - stopping < STOP_MS, `the last stop: status ${status}`);
  await untilGone(world.service.pid);
  expect((await leftRunning(world.dataDir)).length === 0, "PostgreSQL is left running");
  logs.push(world.service.said.talk);
  const figures = figuresOf({ counts, reads, runs, events, settledS, world });
  console.log(figures);
  if (given.record) await record(figures, counts);
  console.log(`${problems.length} problems, ${Math.round((performance.now() - began) / 1_000)} s`);
  process.exitCode = problems.length === 0 ? 0 : 1;
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
  const all = logs.join("\n");
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
    "Runs retried after a failure of ours": all.match(/"outcome":"retried"/g)?.length ?? 0,
    "… of them for a full disk": all.match(/"outcome":"retried","code":"disk_full"/g)?.length ?? 0,
    "Events announced": events,
    "Deliveries received": world.receiver.requests.length,
    "Seconds until no run was open": settledS,
    Problems: problems.length,
  };
}

const PAGE = join(import.meta.dirname, "../../docs/reliability.md");

async function record(figures: Figures, counts: Readonly<Record<string, number>>): Promise<void> {
  const table = (rows: readonly (readonly [string, number | string])[]) =>
    rows.map(
      ([name, value]) => `| ${name} | ${typeof value === "number" ? value.toLocaleString("en") : value} |`,
    );
  const lines = [
    "| Figure | Value |",
    "| --- | --- |",
    ...table(Object.entries(figures)),
    "",
    "| Fault | Times |",
    "| --- | --- |",
    ...table(Object.entries(counts).sort(([a], [b]) => a.localeCompare(b))),
  ];
  const page = await readFile(PAGE, "utf8");
  const block = `<!-- figures -->\n${lines.join("\n")}\n<!-- /figures -->`;
  await writeFile(
    PAGE,
    page.replace(/<!-- figures -->[^]*<!-- \/figures -->/, () => block),
  );
}

await main();
// A child of ours that hangs must not keep the test from ending; there is none if it succeeded.
process.exit();
