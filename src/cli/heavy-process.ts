/**
 * Runs the process that answers heavy calls. The first heavy call starts the process. If the process dies, the next
 * heavy call starts a new one. It is stopped when there has been none for a while, because it takes as much memory as
 * the server. It has a lower priority than the server, which serves the feeds.
 */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { setPriority, tmpdir } from "node:os";
import { join } from "node:path";
import { AppError } from "../errors.ts";
import type { HeavyProcess } from "../http/forward.ts";
import type { Log } from "../lib/log.ts";
import { forkProgram, stopProcess } from "./child-process.ts";
import { SERVER_OPTIONS } from "./memory-options.ts";

const IDLE_MS = 10 * 60_000;
/** A nice value: on a busy core the server gets about nine times as much processor time. */
const PRIORITY = 10;
const NAME = "the process for heavy calls";

type Running = { readonly child: ChildProcess; readonly socketPath: Promise<string> };

export function startOnHeavyCall(log: Log): HeavyProcess & { readonly stop: () => Promise<void> } {
  let current: Running | undefined;
  let calls = 0;
  let idle: NodeJS.Timeout | undefined;
  let stopped: Promise<void> | undefined;

  function start(): Running {
    // Only this user may open the folder, and with it the socket.
    const folder = mkdtempSync(join(tmpdir(), "shelfwire-"));
    const path = join(folder, "heavy.sock");
    const child = forkProgram(["heavy-calls", "--socket", path], SERVER_OPTIONS);
    const running = { child, socketPath: whenListening(child, path, log) };
    const onEnd = (reason: object): void => {
      rmSync(folder, { recursive: true, force: true });
      if (current !== running) return;
      current = undefined;
      log.error(reason, `${NAME} died; the next call starts another`);
    };
    child.once("exit", (code, signal) => onEnd({ code, signal }));
    // A process that could not be started has no exit.
    child.once("error", (err) => onEnd({ err }));
    return running;
  }

  async function stopCurrent(): Promise<void> {
    const ending = current;
    current = undefined;
    if (ending) await stopProcess(ending.child, log, NAME);
  }

  const leave = (): void => {
    calls -= 1;
    if (calls === 0) idle = setTimeout(() => void stopCurrent(), IDLE_MS).unref();
  };

  return {
    enter: async () => {
      if (stopped) throw new AppError("stopping", "The server is stopping.", { retryAfterS: 10 });
      clearTimeout(idle);
      calls += 1;
      try {
        current ??= start();
        return { socketPath: await current.socketPath, leave };
      } catch (error) {
        leave();
        throw error;
      }
    },
    stop: async () => {
      clearTimeout(idle);
      return (stopped ??= stopCurrent());
    },
  };
}

async function whenListening(child: ChildProcess, path: string, log: Log): Promise<string> {
  const message = await Promise.race([once(child, "message"), once(child, "exit")]).then(
    ([first]: unknown[]) => first,
    (error: unknown) => error,
  );
  if (message === "listening") {
    // Not before: a caller waits for the start.
    lowerPriority(child, log);
    return path;
  }
  throw new AppError(
    "worker_unavailable",
    "The process that answers this call could not be started. The log of the server has the reason; make the call again in a moment.",
    { retryAfterS: 5, ...(message instanceof Error && { cause: message }) },
  );
}

/** Without the right to do so, it runs at the server's priority. */
function lowerPriority({ pid }: ChildProcess, log: Log): void {
  try {
    if (pid !== undefined) setPriority(pid, PRIORITY);
  } catch (error) {
    log.warn({ reason: String(error) }, `${NAME} runs at the priority of the server`);
  }
}
