/**
 * Runs the worker as a separate process, so that a heavy sync never blocks the event loop of the server, and a worker
 * that runs out of memory affects nothing else. It is restarted when it dies.
 */
import type { ChildProcess } from "node:child_process";
import type { Log } from "../lib/log.ts";
import { forkProgram, stopProcess } from "./child-process.ts";
import { WORKER_OPTIONS } from "./memory-options.ts";

const RESTART_MS = 1_000;

export function keepWorkerRunning(log: Log): { readonly stop: () => Promise<void> } {
  let isStopping = false;
  let restart: NodeJS.Timeout | undefined;
  let child = start();

  function start(): ChildProcess {
    const worker = forkProgram(["worker", "--attached"], WORKER_OPTIONS);
    worker.once("exit", (code, signal) => {
      if (isStopping) return;
      log.error({ code, signal }, "the worker died; starting another");
      restart = setTimeout(() => {
        child = start();
      }, RESTART_MS);
    });
    return worker;
  }

  return {
    stop: async () => {
      isStopping = true;
      clearTimeout(restart);
      await stopProcess(child, log, "the worker");
    },
  };
}
