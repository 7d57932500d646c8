/**
 * Starts, finds and stops the server by `pg_ctl`, which gives it a session of its own: a Ctrl-C in the terminal does
 * not reach it, and it survives the process that started it. The caller holds the lock.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { type FileHandle, open, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { exists } from "../../lib/files.ts";
import { commandLineOf, isAlive, startOf } from "../../lib/process-identity.ts";
import { type Account, spawnedAs } from "./account.ts";
import type { DatabaseCluster } from "./cluster.ts";
import { embeddedFailure, type Paths } from "./paths.ts";
import { SERVER_ENV, SERVER_SETTINGS } from "./settings.ts";

/** After a crash PostgreSQL replays its log before it is ready; `max_wal_size` of it takes a minute on a slow disk. */
const START_S = 180;
/** A fast shutdown, then an immediate one, which replays the log at the next start. Below ten seconds together. */
const STOP_S = { fast: 6, immediate: 2 } as const;
const STOP_TRIES = 20;
const STOP_RETRY_MS = 100;
const LOG_LIMIT_BYTES = 10 * 1024 * 1024;

export type PgCtl = { readonly bin: string; readonly paths: Paths; readonly account: Account };
export type Postmaster = { readonly pid: number; readonly port: number; readonly status: string };

/**
 * The server that the pid file names, or null. A pid file that was left behind is removed if its pid is in use:
 * PostgreSQL would take the other program, or the zombie, for its own server. It handles all other cases itself.
 */
export async function findPostmaster(
  paths: Paths,
  { tag }: DatabaseCluster,
  isLocal: boolean,
): Promise<Postmaster | null> {
  const text = await readFile(paths.pidFile, "utf8").catch(() => "");
  // pid, data folder, start time, port, socket folder, address, shared memory key, status
  const [pid = "", dataDir = "", , port = "", , , , status = ""] = text.split("\n");
  const found = { pid: Number(pid), port: Number(port), status: status.trim() };
  if (text === "") return null;
  if (isLocal && (await isOurs(found.pid, dataDir, paths, tag))) return found;
  if (isAlive(found.pid)) await rm(paths.pidFile, { force: true });
  return null;
}

/** The pid may belong to another program by now, and the file to another server if the folder was copied. */
async function isOurs(pid: number, dataDir: string, { data }: Paths, tag: string): Promise<boolean> {
  if ((await startOf(pid)) === null) return false;
  if ((await commandLineOf(pid))?.includes(`cluster_name=${tag}`) !== true) return false;
  const [theirs, ours] = await Promise.all([stat(dataDir).catch(() => null), stat(data)]);
  return theirs?.ino === ours.ino && theirs.dev === ours.dev;
}

export type Launch = {
  readonly cluster: DatabaseCluster;
  readonly port: number;
  readonly signal: AbortSignal;
  /** Settings that replace the usual ones. */
  readonly settings?: Readonly<Record<string, string>>;
  /** How long the start may take. */
  readonly timeoutS?: number;
};

/** Starts the server and waits until it is ready. Returns the end of its log if it does not start. */
export async function startServer(
  pgCtl: PgCtl,
  { cluster, port, signal, settings: own = {}, timeoutS = START_S }: Launch,
): Promise<{ readonly logTail: string } | null> {
  const { paths } = pgCtl;
  const settings = { ...SERVER_SETTINGS, ...own, port: String(port), cluster_name: cluster.tag };
  const options = Object.entries(settings).map(([name, value]) => `-c ${name}='${value}'`);
  await using log = await openLog(paths);
  const before = (await log.stat()).size;
  try {
    const args = ["start", "--wait", `--timeout=${timeoutS}`, "--silent", `--options=${options.join(" ")}`];
    if (await run(pgCtl, args, { log, signal })) return null;
  } catch (error) {
    // While its pid file is still empty, pg_ctl cannot stop the server.
    for (let tries = 0; tries < STOP_TRIES && (await exists(paths.pidFile)); tries += 1) {
      if ((await stopServer(pgCtl)) === null) await delay(STOP_RETRY_MS);
    }
    throw error;
  }
  const text = (await readFile(paths.log)).subarray(before).toString("utf8").trim();
  return { logTail: text.split("\n").slice(-6).join(" ") };
}

/** Stops the server and waits until it is gone, in the end by force. Returns what stopped it; null if nothing did. */
export async function stopServer(pgCtl: PgCtl, pid?: number): Promise<"fast" | "immediate" | "kill" | null> {
  for (const mode of ["fast", "immediate"] as const) {
    const args = ["stop", "--wait", `--timeout=${STOP_S[mode]}`, "--silent", `--mode=${mode}`];
    if (await run(pgCtl, args)) return mode;
  }
  if (pid === undefined || (await startOf(pid)) === null) return null;
  process.kill(pid, "SIGKILL");
  return "kill";
}

/** True if it succeeded. A shell reads its command: relative paths keep any special character of DATA_DIR out of it. */
async function run(
  { bin, paths, account }: PgCtl,
  args: readonly string[],
  { log, signal }: { readonly log?: FileHandle; readonly signal?: AbortSignal } = {},
): Promise<boolean> {
  const program = join(bin, "pg_ctl");
  const output = log?.fd ?? "ignore";
  const child = spawn(program, [...args, "--pgdata=cluster/data"], {
    ...spawnedAs(account),
    cwd: paths.root,
    env: SERVER_ENV,
    stdio: ["ignore", output, output],
    // On SIGINT pg_ctl stops the server that it is starting.
    ...(signal && { signal, killSignal: "SIGINT" }),
  });
  const closed = new Promise((resolve) => child.once("close", resolve));
  try {
    await once(child, "exit");
    return child.exitCode === 0;
  } catch (error) {
    // An abort throws at once, but pg_ctl has yet to stop the server and to end.
    await closed;
    signal?.throwIfAborted();
    throw embeddedFailure(
      `${program} cannot be run. A folder mounted "noexec" is one cause: choose another DATA_DIR.`,
      error,
    );
  }
}

async function openLog({ log }: Paths): Promise<FileHandle> {
  const size = await stat(log).then(
    (found) => found.size,
    () => 0,
  );
  if (size > LOG_LIMIT_BYTES) await rename(log, `${log}.1`);
  return open(log, "a", 0o600);
}
