/** Measures one size: a new installation, its rounds, and the peak use of its processes. */
import { join } from "node:path";
import { openBenchFolder } from "./folder.ts";
import { createSubject, runCycle } from "./cycle.ts";
import { type Latency, measureLatency } from "./latency.ts";
import type { PeakMemory } from "./processes.ts";
import { startProgram } from "./program.ts";
import { clearSubject, type Place, type Round, runRound } from "./round.ts";
import { openShop } from "./shop.ts";

export type SizeOptions = {
  readonly items: number;
  readonly rounds: number;
  readonly hasLatency: boolean;
  readonly signal: AbortSignal;
  readonly talk: (text: string) => void;
};

export type Measured = {
  readonly items: number;
  readonly startMs: number;
  readonly rounds: readonly Round[];
  readonly memory: PeakMemory | null;
  readonly latency: Latency | null;
};

export async function measureSize({
  items,
  rounds,
  hasLatency,
  signal,
  talk,
}: SizeOptions): Promise<Measured> {
  await using parts = new AsyncDisposableStack();
  const { root, dir } = parts.use(await openBenchFolder());

  talk(`${items} items: making the catalog`);
  const shop = parts.use(await openShop(dir, items));
  talk(`${items} items: starting the program`);
  const program = parts.use(await startProgram(join(root, "data")));
  const { system, processes } = program;
  const place = { system, processes, shop, items, dir, signal };

  await warmUp(place);
  const done: Round[] = [];
  while (done.length < rounds) {
    talk(`${items} items: round ${done.length + 1} of ${rounds}`);
    done.push(await runRound(place));
  }
  const memory = await processes.peakMemory();
  if (hasLatency) talk(`${items} items: asking the API meanwhile`);
  const latency = hasLatency ? await measureLatency(program, place) : null;
  return { items, startMs: program.startMs, rounds: done, memory, latency };
}

/** Syncs the sample shop once, so that the worker is running before the measurement. */
async function warmUp(place: Place): Promise<void> {
  const { system } = place;
  const subject = await createSubject(system, "sample:shop.csv");
  await runCycle(place, subject);
  await clearSubject(system, subject);
}
