/** What must be true after the faults: nothing open, nothing lost, nothing left running. */
import { setTimeout as delay } from "node:timers/promises";
import { readdir, readFile } from "node:fs/promises";
import { Client } from "pg";
import { databaseUrl } from "../e2e/program.ts";
import { expectGone, STOPS, stopServer } from "./faults.ts";
import { expect, settles } from "./problems.ts";
import { askForSync, deliveryFaults, restock } from "./world.ts";
import type { World } from "./world.ts";

/** After a stop or the last fault, no run is open for longer. */
const OPEN_LIMIT_MS = 60_000;
const DELIVERY_LIMIT_MS = 90_000;

async function rowsOf<Row>(world: World, text: string): Promise<readonly Row[]> {
  const client = new Client({
    connectionString: await databaseUrl(world.dataDir),
    options: "-c search_path=shelfwire",
    connectionTimeoutMillis: 10_000,
    query_timeout: 30_000,
  });
  client.on("error", () => undefined);
  await client.connect();
  try {
    return (await client.query(text)).rows as Row[];
  } finally {
    await client.end();
  }
}

async function countOf(world: World, what: string): Promise<number> {
  const [row] = await rowsOf<{ count: number }>(world, `select count(*)::int as count from ${what}`);
  return row?.count ?? 0;
}

const OPEN_RUNS = "runs where state in ('queued', 'running')";

/** Waits until no run is open; returns how many seconds that took. */
export async function expectNoOpenRun(world: World, after: string): Promise<number> {
  const began = performance.now();
  const isIdle = await settles(async () => (await countOf(world, OPEN_RUNS)) === 0, OPEN_LIMIT_MS);
  expect(isIdle, `runs are open a minute after: ${after}`);
  return (performance.now() - began) / 1_000;
}

/** Each kind of stop once, while a run is being worked on: no run may stay open for more than a minute. */
export async function checkStops(world: World, chance: () => number): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const [kind, stop] of Object.entries(STOPS)) {
    console.log(`  ${kind}, and nothing else for a minute at most`);
    for (const tenant of world.tenants) {
      restock(tenant);
      await askForSync(world, tenant);
    }
    await settles(async () => (await countOf(world, "runs where state = 'running'")) > 0, 5_000);
    await delay(chance() * 300);
    await stop(world, chance);
    counts[kind] = 1;
    const openS = await expectNoOpenRun(world, kind);
    world.observed.longestOpenS = Math.max(world.observed.longestOpenS, openS);
  }
  return counts;
}

/** A last sync for everyone reaches the feeds, and every delivery arrives. */
export async function checkLastSync(world: World): Promise<void> {
  for (const tenant of world.tenants) {
    restock(tenant);
    const isTaken = await settles(async () => (await askForSync(world, tenant)) === 202, OPEN_LIMIT_MS);
    expect(isTaken, `no sync of ${tenant.slug} was accepted`);
  }
  for (const { feeds, slug, version } of world.tenants) {
    const isNew = async () => {
      const answer = await fetch(new URL(feeds[0] ?? "", world.service.url));
      return (await answer.text()).includes(`As of version-${version}.`);
    };
    expect(await settles(isNew, OPEN_LIMIT_MS), `the feeds of ${slug} do not have the last version`);
  }
  const isDrained = async () =>
    (await countOf(world, "webhook_queue")) === 0 && (await countOf(world, OPEN_RUNS)) === 0;
  expect(await settles(isDrained, DELIVERY_LIMIT_MS), "deliveries are still queued");
}

export type RunRow = {
  readonly kind: string;
  readonly state: string;
  readonly code: string | null;
  readonly stats: Readonly<Record<string, number>>;
};

export async function checkLedger(world: World): Promise<readonly RunRow[]> {
  const runs = await rowsOf<RunRow>(world, "select kind, state, error->>'code' as code, stats from runs");
  for (const { kind, state, stats } of runs) {
    if (kind !== "sync" || state !== "succeeded") continue;
    const { seen = 0, upserted = 0, unchanged = 0, rejected = 0 } = stats;
    expect(seen === upserted + unchanged + rejected, `a sync does not add up: ${JSON.stringify(stats)}`);
  }
  return runs;
}

/** Returns how many events were sent. */
export async function checkDeliveries(world: World): Promise<number> {
  const events = await rowsOf<{ id: string; payload: string }>(
    world,
    "select id, payload from webhook_events",
  );
  const announced = new Map(events.map(({ id, payload }) => [id, payload]));
  for (const fault of deliveryFaults(world, announced)) expect(false, `event ${fault}`);
  return events.length;
}

/** Stops the service and searches for every process that was ever started on its data folder. */
export async function checkEnd(world: World): Promise<void> {
  const status = await stopServer(world);
  expect(status === 0, `the last stop ended with status ${status}`);
  await expectGone(world.service.pid);
  const isEmpty = await settles(async () => (await processesOn(world.dataDir)).length === 0, OPEN_LIMIT_MS);
  expect(isEmpty, `processes are left: ${(await processesOn(world.dataDir)).join(", ")}`);
  world.observed.logs.push(world.service.said.talk);
}

/** Processes that have the data folder in their command line or in their environment. Linux only: elsewhere none. */
async function processesOn(dataDir: string): Promise<readonly string[]> {
  const pids = (await readdir("/proc").catch(() => [])).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const read = async (file: string) => readFile(`/proc/${pid}/${file}`, "utf8").catch(() => "");
      const [line, environment] = await Promise.all([read("cmdline"), read("environ")]);
      const isOurs = line.includes(dataDir) || environment.includes(`DATA_DIR=${dataDir}\0`);
      return isOurs ? [`${pid} ${line.replaceAll("\0", " ").slice(0, 200)}`] : [];
    }),
  );
  return found.flat();
}
