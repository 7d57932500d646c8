/**
 * `node bench/steady.ts 50000 4`: full cycles of new catalogs in one program, a line each: time, processor time an
 * item, peak memory.
 */
import { join } from "node:path";
import { createSubject, runCycle } from "./cycle.ts";
import { openBenchFolder } from "./folder.ts";
import { startProgram } from "./program.ts";
import { clearSubject } from "./round.ts";
import { openShop } from "./shop.ts";

const [items = 20_000, rounds = 3] = process.argv.slice(2).map(Number);
await using parts = new AsyncDisposableStack();
const { root, dir } = parts.use(await openBenchFolder());
const shop = parts.use(await openShop(dir, items, ["first"]));
const { system, processes } = parts.use(await startProgram(join(root, "data")));
const { signal } = new AbortController();

for (let round = 1; round <= rounds; round += 1) {
  const subject = await createSubject(system, shop.url);
  const { sync, render } = await runCycle({ system, processes, signal }, subject);
  const each = (ms = 0): string => ((1000 * ms) / items).toFixed(0);
  const line = (what: string, { wallMs, cpu }: typeof sync): string =>
    `${what} ${(wallMs / 1000).toFixed(1)} s, ${each(cpu?.programMs)} + ${each(cpu?.postgresMs)} µs`;
  const memory = await processes.peakMemory();
  process.stdout.write(
    `${round}: ${line("sync", sync)}; ${line("render", render)}; ` +
      `${memory?.serverMb.toFixed(0)} + ${memory?.workerMb.toFixed(0)} MB\n`,
  );
  await clearSubject(system, subject);
}
