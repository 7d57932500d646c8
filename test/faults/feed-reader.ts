/**
 * Reads feeds, or calls the API, in a separate process, so that nothing the attack test does delays it. Each message is
 * answered with the times of the reads in milliseconds and the statuses other than 200.
 */
import { setTimeout as delay } from "node:timers/promises";

export type ReadRequest = {
  readonly urls: readonly string[];
  readonly forMs: number;
  /** For calls of the API. */
  readonly key?: string;
};
export type ReadTimes = {
  readonly median: number;
  readonly p95: number;
  readonly reads: number;
  readonly faults: readonly number[];
};

async function readFeeds({ urls, forMs, key }: ReadRequest): Promise<ReadTimes> {
  const headers: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const times: number[] = [];
  const faults: number[] = [];
  const end = performance.now() + forMs;
  for (let i = 0; performance.now() < end; i += 1) {
    const began = performance.now();
    const answer = await fetch(urls[i % urls.length] ?? "", { headers });
    await answer.arrayBuffer();
    times.push(performance.now() - began);
    if (answer.status !== 200) faults.push(answer.status);
    await delay(10);
  }
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor(times.length * share)] ?? 0;
  return { median: at(0.5), p95: at(0.95), reads: times.length, faults };
}

process.on(
  "message",
  (request: ReadRequest) => void readFeeds(request).then((times) => process.send?.(times)),
);
