/** What the fault test found wrong. Everything is checked to the end; one problem does not hide the next. */
import { setTimeout as delay } from "node:timers/promises";
import { until } from "../actions.ts";

export const problems: string[] = [];

export function expect(isSo: boolean, otherwise: string): void {
  if (isSo) return;
  problems.push(otherwise);
  console.log(`  PROBLEM: ${otherwise}`);
}

/** Waits until `look` is true; false when the limit is over. If `look` throws, that counts as false. */
export async function settles(look: () => Promise<boolean>, limitMs: number): Promise<boolean> {
  try {
    return await until(async () => look().catch(() => false), "", limitMs);
  } catch {
    return false;
  }
}

/** True if the promise ends within the limit. */
export async function endsWithin(ended: Promise<unknown>, limitMs: number): Promise<boolean> {
  const timer = new AbortController();
  const late = delay(limitMs, false, { signal: timer.signal }).catch(() => false);
  const isInTime = await Promise.race([ended.then(() => true), late]);
  timer.abort();
  return isInTime;
}

/** Mulberry32: the same seed, the same choices in the same order. */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function shuffled<T>(all: readonly T[], chance: () => number): T[] {
  return all
    .map((one) => ({ one, at: chance() }))
    .sort((a, b) => a.at - b.at)
    .map(({ one }) => one);
}

/** Runs the test until it ends, its time is over, or a signal stops it. A failure is a problem of the test. */
export async function runBounded(test: Promise<void>, limitMs: number): Promise<void> {
  const cut = Promise.withResolvers<never>();
  const timer = setTimeout(() => cut.reject(new Error("the test took too long")), limitMs);
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, () => cut.reject(new Error(`stopped by ${signal}`)));
  try {
    await Promise.race([test, cut.promise]);
  } catch (error) {
    expect(false, error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
  clearTimeout(timer);
}
