/**
 * A reader of feeds in a process of its own, so that whatever else the test does takes no time of its event loop:
 * `node read-time.ts COUNT URL…`. Prints the median time of a read in milliseconds, and the statuses other than 200.
 */
import { setTimeout as delay } from "node:timers/promises";

const [count = "", ...urls] = process.argv.slice(2);
const times: number[] = [];
const faults: number[] = [];
for (let i = 0; i < Number(count) + 5; i += 1) {
  const began = performance.now();
  const answer = await fetch(urls[i % urls.length] ?? "");
  await answer.arrayBuffer();
  if (answer.status !== 200) faults.push(answer.status);
  // The first ones warm the reader up.
  if (i >= 5) times.push(performance.now() - began);
  await delay(10);
}
times.sort((a, b) => a - b);
console.log(JSON.stringify({ median: times[times.length >> 1] ?? 0, faults }));
