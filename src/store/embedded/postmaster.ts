/**
 * The server process (PostgreSQL calls it the postmaster): found by its pid file, started, awaited, stopped. It
 * runs in a session of its own, so a Ctrl-C in our terminal never reaches it, and outlives us when we are killed.
 * Nothing here is safe to call by two at once: the caller holds the lock.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { open, readFile, rename, rm, stat } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { commandLineOf, startOf } from "../../lib/process-identity.ts";
import { spawnedAs } from "./account.ts";
import type { Account } from "./account.ts";
import type { Cluster } from "./cluster.ts";
import { embeddedFailure } from "./failure.ts";
import type { Layout } from "./layout.ts";
import { SERVER_ENV, SERVER_SETTINGS } from "./settings.ts";

const POLL_MS = 15;
/** After a crash PostgreSQL replays its log before it is ready; `max_wal_size` of it takes a minute on a slow disk. */
const READY_LIMIT_MS = 180_000;
const LOG_LIMIT_BYTES = 10 * 1024 * 1024;
/** Fast shutdown, immediate shutdown (replays its log at the next start), and the end. Below ten seconds in all. */
const STOPPING = [
  ["SIGINT", 6_000],
  ["SIGQUIT", 2_000],
  ["SIGKILL", 1_000],
] as const;

export type Postmaster = { readonly pid: number; readonly port: number; readonly phase: string };
type PidFile = Postmaster & { readonly dataDir: string };

/** Lines of `postmaster.pid`: pid, data folder, start time, port, socket folder, address, memory key, phase. */
export async function readPidFile({ data }: Layout): Promise<PidFile | null> {
  const text = await readFile(pidFileOf(data), "utf8").catch(() => null);
  if (text === null) return null;
  const [pid = "", dataDir = "", , port = "", , , , phase = ""] = text.split("\n");
  return { pid: Number(pid), dataDir, port: Number(port), phase: phase.trim() };
}

/**
 * The server behind a pid file, or null if the file was left behind: the process is gone, or its pid is another
 * program's by now, or the file came along when the folder was copied from a cluster that runs elsewhere.
 */
export async function identify(file: PidFile, layout: Layout, { tag }: Cluster): Promise<Postmaster | null> {
  if ((await startOf(file.pid)) === null) return null;
  const commandLine = await commandLineOf(file.pid);
  if (!commandLine?.includes(`cluster_name=${tag}`)) return null;
  const [theirs, ours] = await Promise.all([stat(file.dataDir).catch(() => null), stat(layout.data)]);
  return theirs?.ino === ours.ino && theirs.dev === ours.dev ? file : null;
}

/**
 * Removes a pid file that was left behind if its pid is in use by another program: PostgreSQL would take that
 * program for its own server and refuse to start. All other cases it handles itself, and better.
 */
export async function clearLeftPidFile({ pid }: PidFile, { data }: Layout): Promise<void> {
  if ((await startOf(pid)) !== null) await rm(pidFileOf(data), { force: true });
}

/** What a server that ended at once wrote into its log. */
export type LastWords = { readonly lastWords: string };

export type Launch = {
  readonly postgres: string;
  readonly layout: Layout;
  readonly cluster: Cluster;
  readonly account: Account;
  readonly port: number;
  readonly signal: AbortSignal;
};

/** Starts a server and waits until it is ready, or has ended. */
export async function launch(task: Launch): Promise<Postmaster | LastWords> {
  const { layout, signal } = task;
  await using log = await openLog(layout);
  const before = (await log.stat()).size;
  const pid = await spawnDetached(task, log);
  try {
    const ready = await awaitReady(layout, pid, signal);
    return ready ?? { lastWords: await readFrom(layout.log, before) };
  } catch (error) {
    await stopPostmaster(pid);
    throw error;
  }
}

async function spawnDetached(
  { postgres, layout, cluster, account, port }: Launch,
  log: FileHandle,
): Promise<number> {
  const settings = { ...SERVER_SETTINGS, port: String(port), cluster_name: cluster.tag };
  const args = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const child = spawn(postgres, ["-D", layout.data, ...args], {
    ...spawnedAs(account),
    cwd: "/",
    detached: true,
    env: SERVER_ENV,
    stdio: ["ignore", log.fd, log.fd],
  });
  try {
    await once(child, "spawn");
  } catch (error) {
    throw embeddedFailure(
      `${postgres} cannot be run. A folder mounted "noexec" is one cause: choose another DATA_DIR.`,
      error,
    );
  }
  child.unref();
  return child.pid ?? 0;
}

/** Null if the process ended before it was ready. */
export async function awaitReady(
  layout: Layout,
  pid: number,
  signal: AbortSignal,
): Promise<Postmaster | null> {
  const deadline = performance.now() + READY_LIMIT_MS;
  while (true) {
    const file = await readPidFile(layout);
    if (file?.pid === pid && file.phase === "ready") return file;
    if ((await startOf(pid)) === null) return null;
    if (performance.now() >= deadline) {
      throw embeddedFailure(`PostgreSQL was not ready in time; its log is ${layout.log}.`);
    }
    await delay(POLL_MS, undefined, { signal });
  }
}

/** Stops the server and waits until it is gone, more and more firmly. Returns the signal that ended it. */
export async function stopPostmaster(pid: number): Promise<NodeJS.Signals> {
  const started = await startOf(pid);
  for (const [signal, limitMs] of STOPPING) {
    sendSignal(pid, signal);
    const deadline = performance.now() + limitMs;
    while (performance.now() < deadline) {
      if ((await startOf(pid)) !== started || started === null) return signal;
      await delay(POLL_MS);
    }
  }
  throw embeddedFailure(`PostgreSQL (process ${pid}) could not be stopped.`);
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}

async function openLog({ log }: Layout): Promise<FileHandle> {
  const size = await stat(log).then(
    (found) => found.size,
    () => 0,
  );
  if (size > LOG_LIMIT_BYTES) await rename(log, `${log}.1`);
  return open(log, "a", 0o600);
}

async function readFrom(log: string, offset: number): Promise<string> {
  const text = (await readFile(log)).subarray(offset).toString("utf8").trim();
  return text.split("\n").slice(-6).join(" ");
}

function pidFileOf(data: string): string {
  return join(data, "postmaster.pid");
}
