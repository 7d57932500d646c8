/** `shelfwire worker`: runs syncs and renders, and nothing else. `serve` starts one beside itself. */
import type { Command } from "commander";
import { goRounds, ROUNDS_DEFAULTS } from "../../pipeline/rounds.ts";
import { work, WORKER_DEFAULTS } from "../../pipeline/worker.ts";
import type { CommandContext } from "../context.ts";
import { stopSignal } from "../stop.ts";
import { openSystem } from "../system.ts";
import { showWorker } from "../worker-presence.ts";

export function workerCommand(program: Command, { config, io }: CommandContext): void {
  program
    .command("worker")
    .description("run syncs and renders; start as many as you like, on as many machines")
    .option("--attached", "stop when the process that started this one is gone")
    .action(async ({ attached = false }: { attached?: boolean }) => {
      const settings = config();
      const signal = stopSignal({ attached });
      await using parts = new AsyncDisposableStack();
      const { keepRuns, keepRenders, workerSlots } = settings;
      const slots = { ...WORKER_DEFAULTS.slots, sync: workerSlots };
      const system = await openSystem(settings, {
        name: "shelfwire-worker",
        log: { level: settings.logLevel, stream: io.talk, isReadable: io.isTerminal },
        // One for each run, and some for heartbeats and rounds.
        // A render reads on one connection and stages its audit on another.
        connections: slots.sync + 2 * slots.render + 4,
      });
      parts.defer(system.close);
      parts.defer(await showWorker(system));
      await Promise.all([
        work(system.jobs, system.notices, signal, { ...WORKER_DEFAULTS, slots }),
        goRounds(system.jobs, signal, { ...ROUNDS_DEFAULTS, keepRuns, keepRenders }),
      ]);
    });
}
