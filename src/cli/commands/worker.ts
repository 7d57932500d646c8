/** `shelfwire worker`: runs syncs and renders, and nothing else. `serve` starts one beside itself. */
import type { Command } from "commander";
import { goRounds, ROUNDS_DEFAULTS } from "../../pipeline/rounds.ts";
import { work, WORKER_DEFAULTS } from "../../pipeline/worker.ts";
import type { CommandContext } from "../context.ts";
import { stopSignal } from "../stop.ts";
import { openSystem } from "../system.ts";

export function workerCommand(program: Command, { config, io }: CommandContext): void {
  program
    .command("worker")
    .description("run syncs and renders; start as many as you like, on as many machines")
    .option("--attached", "stop when the process that started this one is gone")
    .action(async ({ attached = false }: { attached?: boolean }) => {
      const settings = config();
      const signal = stopSignal({ attached });
      const system = await openSystem(settings, {
        name: "shelfwire-worker",
        log: { level: settings.logLevel, stream: io.talk },
      });
      try {
        const { keepRuns, keepRenders, workerSlots } = settings;
        await Promise.all([
          work(system.jobs, system.notices, signal, { ...WORKER_DEFAULTS, slots: workerSlots }),
          goRounds(system.jobs, signal, { ...ROUNDS_DEFAULTS, keepRuns, keepRenders }),
        ]);
      } finally {
        await system.close();
      }
    });
}
