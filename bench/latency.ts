/**
 * The latency of the API while the worker syncs and renders, compared with an idle installation: one caller, one
 * request at a time. The first requests do not count: they open connections and compile code.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { Program } from "./program.ts";
import { createSubject, runCycle } from "./cycle.ts";
import { clearSubject, type Place } from "./round.ts";
import { percentile } from "./statistics.ts";

const UNCOUNTED = 100;
const IDLE_REQUESTS = 500;
const MAX_REQUESTS = 2_000;
const PAUSE_MS = 10;

export type Quantiles = { readonly p50Ms: number; readonly p99Ms: number };
export type Latency = { readonly idle: Quantiles; readonly busy: Quantiles };

export async function measureLatency({ url }: Program, place: Place): Promise<Latency> {
  const { system, shop, signal } = place;
  shop.show("first", { hasValidators: true });
  const subject = await createSubject(system, shop.url);
  const ask = async (): Promise<number> => askFeeds(url, subject.key);

  await repeat(ask, UNCOUNTED, () => false);
  const idle = await repeat(ask, IDLE_REQUESTS, () => signal.aborted);
  let isOver = false;
  const cycle = runCycle(place, subject).finally(() => {
    isOver = true;
  });
  const [busy] = await Promise.all([repeat(ask, MAX_REQUESTS, () => isOver), cycle]);
  await clearSubject(system, subject);
  return { idle: quantiles(idle), busy: quantiles(busy) };
}

async function askFeeds(url: string, key: string): Promise<number> {
  const began = performance.now();
  const response = await fetch(`${url}/api/v1/feeds`, { headers: { authorization: `Bearer ${key}` } });
  await response.text();
  if (response.status !== 200) throw new Error(`GET /api/v1/feeds answered ${response.status}`);
  return performance.now() - began;
}

async function repeat(ask: () => Promise<number>, most: number, isOver: () => boolean): Promise<number[]> {
  const times: number[] = [];
  while (times.length < most && !isOver()) {
    times.push(await ask());
    await delay(PAUSE_MS);
  }
  return times;
}

function quantiles(times: readonly number[]): Quantiles {
  return { p50Ms: percentile(times, 0.5), p99Ms: percentile(times, 0.99) };
}
