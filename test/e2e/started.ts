/** Any command line as a process group of its own, to be signaled while it runs. Nothing of it is left behind. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { until } from "../actions.ts";

export type Started = AsyncDisposable & {
  readonly pid: number;
  readonly said: { readonly out: string; readonly talk: string };
  /** Resolves with the exit status, or the name of the signal that ended it. */
  readonly ended: Promise<number | string>;
  /** To every process of the group, as a terminal sends Ctrl-C. */
  readonly signalAll: (signal: NodeJS.Signals) => void;
  /** Whether any process of the group is left. One that is just ending has a moment for it. */
  readonly isLeft: () => Promise<boolean>;
  /** Resolves when standard output or standard error matches; fails if the process ends before. */
  readonly says: (text: RegExp) => Promise<void>;
};

type Options = { readonly env?: Readonly<Record<string, string>>; readonly cwd?: string };

export function started(program: string, line: readonly string[], { env, cwd }: Options = {}): Started {
  const child = spawn(program, line, {
    // Not the checkout: a developer may have a file .env there.
    cwd: cwd ?? tmpdir(),
    env: { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "", ...env },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  const { pid = 0 } = child;
  const said = { out: "", talk: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => (said.out += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (said.talk += text));
  let isOver = false;
  // `close` comes after `exit`, when all it wrote has been read, by whatever process of the group.
  const ended = once(child, "close").then(([status, signal]: (number | string)[]) => {
    isOver = true;
    return status ?? signal ?? "";
  });
  const signalAll = (signal: NodeJS.Signals | 0): boolean => {
    try {
      return process.kill(-pid, signal);
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ESRCH") return false;
      throw error;
    }
  };
  return {
    pid,
    said,
    ended,
    signalAll,
    isLeft: async () => {
      for (let tries = 0; signalAll(0); tries += 1) {
        if (tries === 100) return true;
        await sleep(50);
      }
      return false;
    },
    says: async (text) => {
      const isSaid = () => text.test(said.out) || text.test(said.talk);
      await until(async () => isOver || isSaid(), `${program} to say ${text}`);
      if (!isSaid()) throw new Error(`${program} ended without ${text}: ${said.out}${said.talk}`);
    },
    [Symbol.asyncDispose]: async () => {
      signalAll("SIGKILL");
      await ended;
    },
  };
}
