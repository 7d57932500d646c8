/** What attacks are measured by: calls, the memory of a process, and how long another catalog's feeds take. */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { endsWithin, expect } from "./problems.ts";
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

const READER = join(import.meta.dirname, "read-time.ts");

/** The median time of a feed read, in milliseconds. */
async function readTime(world: World, { feeds }: Tenant, count = 60): Promise<number> {
  const urls = feeds.map((path) => new URL(path, world.service.url).href);
  const { stdout } = await promisify(execFile)(process.execPath, [READER, String(count), ...urls]);
  const { median: ms, faults } = JSON.parse(stdout) as { median: number; faults: readonly number[] };
  expect(faults.length === 0, `feeds were answered with ${faults.join(", ")} during an attack`);
  return ms;
}

/** The other catalog's feeds are read before, during and after the attack. Records how much slower they were. */
export async function whileAttacked(
  world: World,
  { name, victim }: { readonly name: string; readonly victim: Tenant },
  attack: (signal: AbortSignal) => Promise<unknown>,
): Promise<void> {
  const before = await readTime(world, victim);
  const stop = new AbortController();
  const attacking = attack(stop.signal).catch((error: unknown) => {
    if (!stop.signal.aborted) expect(false, `${name}: ${String(error)}`);
  });
  await delay(1_000);
  const during = await readTime(world, victim, 150);
  stop.abort();
  expect(await endsWithin(attacking, IDLE_LIMIT_MS), `${name} does not end`);
  const after = await readTime(world, victim);
  const base = (before + after) / 2;
  note(`${name}: times slower`, Math.round((during / base) * 10) / 10);
}

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
