/** Starts this program again as a child process, and stops it. The child stops by itself when this process is gone. */
import { fork } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { extname, join } from "node:path";
import type { Log } from "../lib/log.ts";
import { SERVER_OPTIONS } from "./memory-options.ts";

/** Compiled where this file is compiled. */
const PROGRAM = join(import.meta.dirname, `../main${extname(import.meta.filename)}`);
/** A stop may take ten seconds, and the database needs some of them. */
const KILL_AFTER_MS = 6_000;

/** Its log goes to our standard error; its standard output is not used. */
export function forkProgram(line: readonly string[], options: readonly string[]): ChildProcess {
  return fork(PROGRAM, line, {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    execArgv: [...process.execArgv.filter((option) => !SERVER_OPTIONS.includes(option)), ...options],
  });
}

export async function stopProcess(child: ChildProcess, log: Log, name: string): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill("SIGTERM");
  const force = setTimeout(() => {
    log.error({ pid: child.pid }, `${name} did not stop in time; killing it`);
    child.kill("SIGKILL");
  }, KILL_AFTER_MS);
  await gone;
  clearTimeout(force);
}
