/** The faults by name, and how the server is started again after those that end it. */
import { setTimeout as delay } from "node:timers/promises";
import { serverPid } from "../e2e/embedded-holder.ts";
import { groupExists, startService, workerOf } from "../e2e/program.ts";
import { endsWithin, expect, settles } from "./problems.ts";
import { askForSync, query, restock } from "./world.ts";
import type { World } from "./world.ts";

/**
 * A stop takes at most 10 seconds by the program's own deadline. The test waits longer, because a busy machine may not
 * let the program run; the figures show how long it took.
 */
const STOP_LIMIT_MS = 40_000;

type Fault = (world: World, chance: Chance) => Promise<void>;
type Chance = () => number;

/** Stops and kills: after each of them everything that was running is either finished or taken up again. */
export const STOPS: Readonly<Record<string, Fault>> = {
  "server killed": async (world) => {
    kill(world.service.pid, "SIGKILL");
    await restart(world);
  },
  "server told to stop": async (world) => {
    await stopServer(world);
    await restart(world);
  },
  "worker killed": async ({ service }) => kill(await workerOf(service), "SIGKILL"),
  "worker told to stop": async ({ service }) => kill(await workerOf(service), "SIGTERM"),
  "everything killed": async (world) => {
    const postmaster = await serverPid(world.dataDir);
    world.service.signalAll("SIGKILL");
    kill(postmaster, "SIGKILL");
    await restart(world);
  },
};

export const FAULTS: Readonly<Record<string, Fault>> = {
  ...STOPS,
  "PostgreSQL killed": async ({ dataDir }) => kill(await serverPid(dataDir), "SIGKILL"),
  "PostgreSQL stopped": async ({ dataDir }) => kill(await serverPid(dataDir), "SIGINT"),
  "connections cut": async (world) => disconnect(world, "application_name like 'shelfwire-%'"),
  "worker disconnected": async (world) => disconnect(world, "application_name = 'shelfwire-worker'"),
  "worker frozen": async ({ service, freezeMs }, chance) =>
    freeze(await workerOf(service), 1_000 + chance() * freezeMs),
  "server frozen": async ({ service, freezeMs }, chance) => freeze(service.pid, 1_000 + chance() * freezeMs),
  "PostgreSQL frozen": async ({ dataDir, freezeMs }, chance) =>
    freeze(await serverPid(dataDir), 1_000 + chance() * freezeMs),
  "clock set back a day while the worker dies": async (world) => {
    const worker = await workerOf(world.service);
    kill(worker, "SIGSTOP");
    // What a lease looks like after the clock was set back: it ends a day from now. The stopped worker may have the
    // row locked, and the database may be away.
    const endsInADay = `set lock_timeout = '2s'; update runs set lease_until = lease_until + interval '1 day'
      where state = 'running' returning id`;
    await query(world, endsInADay).catch(() => undefined);
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
    // The process has ended already.
  }
}

async function freeze(pid: number | null, ms: number): Promise<void> {
  kill(pid, "SIGSTOP");
  await delay(ms);
  kill(pid, "SIGCONT");
}

async function disconnect(world: World, which: string): Promise<void> {
  const statement = `select pg_terminate_backend(pid) from pg_stat_activity where ${which}`;
  // The database may be away at this moment.
  await query(world, statement).catch(() => undefined);
}

/** Sends SIGTERM and waits for the end of the process. Returns its exit status. */
export async function stopServer({ service, observed }: World): Promise<number | string> {
  const began = performance.now();
  kill(service.pid, "SIGTERM");
  const isOver = await endsWithin(service.ended, STOP_LIMIT_MS);
  expect(isOver, `the server did not stop within ${STOP_LIMIT_MS / 1_000} seconds`);
  if (!isOver) service.signalAll("SIGKILL");
  observed.longestStopMs = Math.max(observed.longestStopMs, performance.now() - began);
  return service.ended;
}

/** Starts the server again, and checks that no process of the last one is left. */
async function restart(world: World): Promise<void> {
  const old = world.service;
  await old.ended;
  world.observed.logs.push(old.said.talk);
  for (let tries = 0; ; tries += 1) {
    try {
      world.service = await startService(world.env, "--no-demo");
      break;
    } catch (error) {
      // The database may still have the lock of the server that was killed.
      if (tries >= 5) throw error;
      await delay(1_000);
    }
  }
  await expectGone(old.pid);
}

/** Checks that no process is left of the group that the server was started in. */
export async function expectGone(group: number): Promise<void> {
  const isGone = await settles(async () => !groupExists(group), STOP_LIMIT_MS);
  expect(isGone, `processes of group ${group} are left`);
}
