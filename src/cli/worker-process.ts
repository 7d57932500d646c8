/**
 * Runs the worker as a separate process, so that a heavy sync never blocks the event loop of the server, and a worker
 * that runs out of memory affects nothing else. It is restarted when it dies.
 */
import { fork } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { extname, join } from "node:path";
import type { Log } from "../lib/log.ts";
import { SERVER_OPTIONS, WORKER_OPTIONS } from "./memory-options.ts";

/** Compiled where this file is compiled. */
const PROGRAM = join(import.meta.dirname, `../main${extname(import.meta.filename)}`);
const RESTART_MS = 1_000;
/** A stop may take ten seconds, and the database needs some of them. */
const KILL_AFTER_MS = 6_000;

export function keepWorkerRunning(log: Log): { readonly stop: () => Promise<void> } {
  let isStopping = false;
  let restart: NodeJS.Timeout | undefined;
  let child = start();

  function start(): ChildProcess {
    const worker = fork(PROGRAM, ["worker", "--attached"], {
      // Its log goes to our standard error; its standard output is not used.
      stdio: ["ignore", "ignore", "inherit", "ipc"],
      execArgv: [...process.execArgv.filter((option) => !SERVER_OPTIONS.includes(option)), ...WORKER_OPTIONS],
    });
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
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, "exit");
      child.kill("SIGTERM");
      const force = setTimeout(() => {
        log.error({ pid: child.pid }, "the worker did not stop in time; killing it");
        child.kill("SIGKILL");
      }, KILL_AFTER_MS);
      await gone;
      clearTimeout(force);
    },
  };
}
