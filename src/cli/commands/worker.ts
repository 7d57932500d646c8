/** `shelfwire worker`: runs syncs and renders and delivers webhooks. `serve` starts one by itself. */
import type { Command } from "commander";
import { runMaintenance, MAINTENANCE_DEFAULTS } from "../../pipeline/maintenance.ts";
import { runUploads } from "../../pipeline/destinations/dispatcher.ts";
import { work, WORKER_DEFAULTS } from "../../pipeline/worker.ts";
import { waitForDb } from "../../store/wait-for-db.ts";
import { DISPATCHER_DEFAULTS, runDispatcher } from "../../webhooks/dispatcher.ts";
import { openQueueDb } from "../../webhooks/queue.sql.ts";
import type { Config } from "../../config.ts";
import type { CommandContext, Io } from "../context.ts";
import { stopSignal, unlessStopped } from "../stop.ts";
import { openSystem, serviceLog } from "../system.ts";
import { lockAsWorker } from "../process-locks.ts";

/** The parent process kills this one after six seconds; a delivery that is cut off is sent again with the same id. */
const ATTACHED_DRAIN_MS = 4_000;

export function workerCommand(program: Command, { config, io }: CommandContext): void {
  program
    .command("worker")
    .description(
      "run syncs and renders, deliver webhooks and files; any number may run, on any number of machines",
    )
    .option("--attached", "stop when the process that started this one is gone")
    .action(async ({ attached = false }: { attached?: boolean }) => {
      const settings = config();
      io.outliveReaders?.();
      const signal = stopSignal({ attached });
      await unlessStopped(signal, async () => workUntil(signal, { settings, io, attached }));
    });
}

type RunWorkerOptions = { readonly settings: Config; readonly io: Io; readonly attached: boolean };

async function workUntil(signal: AbortSignal, { settings, io, attached }: RunWorkerOptions): Promise<void> {
  await using parts = new AsyncDisposableStack();
  const { keepRuns, keepRenders, keepRenderBytes, keepChangesS, keepReceiptsS, workerSlots, runDeadlineS } =
    settings;
  const slots = { ...WORKER_DEFAULTS.slots, sync: workerSlots };
  const system = await openSystem(settings, {
    name: "shelfwire-worker",
    signal,
    log: serviceLog(settings, io),
    // A render reads on one connection and stages its audit on another, as a dry run does; some are for heartbeats,
    // source tests and maintenance.
    connections:
      slots.sync +
      slots.removal +
      slots.rules +
      slots.proposals +
      2 * (slots.render + slots.plan + slots.sync_plan) +
      7,
    waiting: { signal },
  });
  parts.defer(system.close);
  const waiting = { signal, onAway: () => undefined };
  parts.defer(await waitForDb(async () => lockAsWorker(system), waiting));
  const { encryption, webhookHttpClient: client, log, notices } = system;
  const queue = openQueueDb(system.target, "shelfwire-deliveries");
  parts.defer(queue.close);
  const dispatcher = { db: queue, client, encryption, log, now: () => new Date() };
  const drainMs = attached ? ATTACHED_DRAIN_MS : DISPATCHER_DEFAULTS.drainMs;
  await Promise.all([
    runDispatcher(dispatcher, notices, signal, { ...DISPATCHER_DEFAULTS, drainMs }),
    runUploads({ ...system.jobs, ...system.senders }, notices, signal),
    work(system.jobs, system.notices, signal, {
      ...WORKER_DEFAULTS,
      slots,
      deadlineMs: runDeadlineS * 1000,
    }),
    runMaintenance(system.jobs, signal, {
      ...MAINTENANCE_DEFAULTS,
      keepRuns,
      keepRenders,
      keepRenderBytes,
      keepChangesS,
      keepReceiptsS,
    }),
  ]);
}
