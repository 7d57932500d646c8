/** What attacks are measured by: calls, the memory of a process, and how long another catalog's feeds take. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { workerOf } from "../e2e/program.ts";
import type { ReadRequest, ReadTimes } from "./feed-reader.ts";
import { endsWithin, expect, settles } from "./problems.ts";
import type { Tenant, World } from "./world.ts";

export const IDLE_LIMIT_MS = 180_000;

export const figures: Record<string, number | string> = {};
export const note = (name: string, value: number | string): void => {
  figures[name] = value;
  console.log(`  ${name}: ${value}`);
};

type Call = { readonly method?: string; readonly body?: unknown; readonly headers?: Record<string, string> };

export async function call(
  world: World,
  { key }: Pick<Tenant, "key">,
  path: string,
  asked: Call = {},
): Promise<Response> {
  const { method = "GET", body, headers = {} } = asked;
  return fetch(`${world.service.url}/api/v1/${path}`, {
    method,
    headers: {
      ...(key !== "" && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(120_000),
  });
}

/** Resident memory of a process, in megabytes. */
export async function memoryOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
}

export const median = (times: readonly number[]): number =>
  [...times].sort((a, b) => a - b)[times.length >> 1] ?? 0;

const QUIET_MS = 5_000;
const ATTACK_MS = 20_000;

/** A reader in a separate process. Fork it before the attacking process lowers its priority: children inherit it. */
export function forkReader() {
  const child = fork(join(import.meta.dirname, "feed-reader.ts"));
  const read = async (urls: readonly string[], forMs: number, key?: string): Promise<ReadTimes> => {
    const answered = once(child, "message");
    child.send({ urls, forMs, ...(key !== undefined && { key }) } satisfies ReadRequest);
    return (await answered)[0] as ReadTimes;
  };
  return { read, [Symbol.dispose]: () => void child.kill() };
}
export type Reader = ReturnType<typeof forkReader>;

/** What is attacked, whose feeds are read meanwhile, and by whom. */
export type Watch = { readonly world: World; readonly victim: Tenant; readonly reader: Reader };

const rounded = (ratio: number): number => Math.round(ratio * 10) / 10;

/**
 * Reads the other catalog's feeds before, during and after an attack, and notes how much slower they were and how much
 * memory the server and the worker took. Afterwards both must return to the memory they had before.
 */
export async function whileAttacked(
  { world, victim, reader }: Watch,
  name: string,
  attack: (signal: AbortSignal) => Promise<unknown>,
): Promise<void> {
  const urls = victim.feeds.map((path) => new URL(path, world.service.url).href);
  const read = async (forMs: number): Promise<ReadTimes> => {
    const times = await reader.read(urls, forMs);
    expect(times.faults.length === 0, `${name}: feeds were answered with ${times.faults.join(", ")}`);
    return times;
  };
  const pids = { server: world.service.pid, worker: await workerOf(world.service) };
  const memory = async () => ({ server: await memoryOf(pids.server), worker: await memoryOf(pids.worker) });
  await read(1_000);
  const quiet = [await read(QUIET_MS)];
  const before = await memory();
  const most = { ...before };
  const stop = new AbortController();
  const attacking = attack(stop.signal).catch((error: unknown) => {
    if (!stop.signal.aborted) expect(false, `${name}: ${String(error)}`);
  });
  await delay(1_000);
  const measured = read(ATTACK_MS);
  while (!(await endsWithin(measured, 200))) {
    const now = await memory();
    most.server = Math.max(most.server, now.server);
    most.worker = Math.max(most.worker, now.worker);
  }
  const during = await measured;
  stop.abort();
  expect(await endsWithin(attacking, IDLE_LIMIT_MS), `${name} does not end`);
  await settles(async () => hasReturned(before, await memory()), IDLE_LIMIT_MS);
  const after = await memory();
  expect(hasReturned(before, after), `${name}: memory does not come back`);
  quiet.push(await read(QUIET_MS));
  const base = (of: "median" | "p95") =>
    (quiet.reduce((sum, times) => sum + times[of], 0) || 1) / quiet.length;
  note(
    `${name}: times slower, median and 95 %`,
    `${rounded(during.median / base("median"))}, ${rounded(during.p95 / base("p95"))}`,
  );
  for (const process of ["server", "worker"] as const)
    note(
      `${name}: MB of the ${process} before, at most, after`,
      `${before[process]}, ${most[process]}, ${after[process]}`,
    );
}

type Memory = { readonly server: number; readonly worker: number };
const hasReturned = (before: Memory, after: Memory): boolean =>
  after.server < before.server * 1.2 + 30 && after.worker < before.worker * 1.2 + 30;

/** Repeats a call from several callers until the signal aborts. */
export async function repeat(
  signal: AbortSignal,
  callers: number,
  work: () => Promise<unknown>,
): Promise<void> {
  const one = async () => {
    while (!signal.aborted) await work().catch(async () => delay(100));
  };
  await Promise.all(Array.from({ length: callers }, one));
}
