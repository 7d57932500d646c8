/**
 * The program as a user runs it: real processes, started by their command line, killed by their ids. Whatever a
 * test does or fails to do, nothing it started is left running.
 */
import { execFile, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { commandLineOf } from "../../src/lib/process-identity.ts";
import { until } from "../actions.ts";
import { serverPid } from "./embedded-holder.ts";

const MAIN = join(import.meta.dirname, "../../src/main.ts");

export type ProgramEnv = Readonly<Record<string, string>>;

/** Only these settings: variables of the machine must not affect the tests. */
const environment = (env: ProgramEnv): Record<string, string> => ({
  PATH: process.env["PATH"] ?? "",
  HOME: process.env["HOME"] ?? "",
  ...env,
});

/** Below the ports that the system gives to connections: none of them can take it until it is used. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + randomInt(12_000);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false));
      server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
    });
    if (isFree) return port;
  }
}

/** The settings of a service on a free port, with sources on loopback. */
export const serviceEnv = async (dataDir: string) => ({
  DATA_DIR: dataDir,
  PORT: String(await freePort()),
  ALLOW_PRIVATE_TARGETS: "127.0.0.1",
  RATE_LIMIT_PER_MINUTE: "0",
});

export type Ended = { readonly status: number | null; readonly out: string; readonly talk: string };

/** Runs a command to its end. */
export async function command(env: ProgramEnv, ...line: readonly string[]): Promise<Ended> {
  const child = spawn(process.execPath, [MAIN, ...line], {
    env: environment(env),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const said = listenTo(child);
  const [status] = (await once(child, "close")) as [number | null];
  return { status, ...said };
}

/** Runs a command that must succeed, and reads the data it prints. */
export async function data<T>(env: ProgramEnv, ...line: readonly string[]): Promise<T> {
  const { status, out, talk } = await command(env, ...line, "--json");
  if (status !== 0) throw new Error(`shelfwire ${line.join(" ")} ended with ${status}: ${out}${talk}`);
  return JSON.parse(out) as T;
}

function listenTo({ stdout, stderr }: ChildProcess): { out: string; talk: string } {
  const said = { out: "", talk: "" };
  stdout?.setEncoding("utf8").on("data", (text: string) => (said.out += text));
  stderr?.setEncoding("utf8").on("data", (text: string) => (said.talk += text));
  return said;
}

export type Service = AsyncDisposable & {
  readonly pid: number;
  readonly url: string;
  readonly said: { readonly out: string; readonly talk: string };
  /** Resolves with the exit status, or the name of the signal that ended it. */
  readonly ended: Promise<number | string>;
  /** To the whole process group, as a terminal sends Ctrl-C. The database is in a group of its own. */
  readonly signalAll: (signal: NodeJS.Signals) => void;
};

/** `shelfwire serve` in a process group of its own; resolves when its output says that it runs. */
export async function startService(env: ProgramEnv, ...line: readonly string[]): Promise<Service> {
  const service = spawnService(env, ...line);
  try {
    await service.started;
  } catch (error) {
    await service[Symbol.asyncDispose]();
    throw error;
  }
  return service;
}

export type SpawnedService = Service & {
  /** Resolves when its output says that it runs; rejects if it ends before. */
  readonly started: Promise<void>;
};

/** The same, without waiting for it. */
export function spawnService(env: ProgramEnv, ...line: readonly string[]): SpawnedService {
  const service = spawnProcess(env, "serve", ...line);
  let isOver = false;
  void service.ended.then(() => (isOver = true));
  const start = async () => {
    const isUp = async () => isOver || service.said.out.includes("Stop it with Ctrl-C");
    await until(isUp, "the service to run");
    if (isOver) throw new Error(`serve ended: ${service.said.out}${service.said.talk}`);
  };
  const started = start();
  started.catch(() => undefined);
  return { ...service, started };
}

/** `shelfwire worker` on its own. */
export const startWorkerProcess = (env: ProgramEnv): Service => spawnProcess(env, "worker");

/** A long-running command in its own process group. */
function spawnProcess(env: ProgramEnv, ...line: readonly string[]): Service {
  const child = spawn(process.execPath, [MAIN, ...line], {
    env: environment(env),
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  const { pid = 0 } = child;
  const said = listenTo(child);
  const ended = once(child, "exit").then(([status, signal]: (number | string)[]) => status ?? signal ?? "");
  const signalAll = (signal: NodeJS.Signals): void => {
    // The group may have ended already.
    try {
      process.kill(-pid, signal);
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
    }
  };
  const dispose = async () => {
    signalAll("SIGKILL");
    await ended;
  };
  const url = `http://127.0.0.1:${env["PORT"]}`;
  return { pid, url, said, ended, signalAll, [Symbol.asyncDispose]: dispose };
}

/** Whether any process of the group is left. */
export function groupExists(group: number): boolean {
  try {
    return process.kill(-group, 0);
  } catch {
    return false;
  }
}

/** The children of a process with their command lines. */
export async function childrenOf(parent: number): Promise<readonly { pid: number; line: string }[]> {
  const pids = await pidsUnder(parent);
  const lines = await Promise.all(pids.map(async (pid) => ({ pid, line: (await commandLineOf(pid)) ?? "" })));
  return lines.filter(({ line }) => line !== "");
}

async function pidsUnder(parent: number): Promise<readonly number[]> {
  if (process.platform !== "linux") {
    const { stdout } = await promisify(execFile)("ps", ["-A", "-o", "pid=,ppid="]);
    const rows = stdout.split("\n").map((row) => row.trim().split(/\s+/).map(Number));
    return rows.flatMap(([pid, ppid]) => (pid !== undefined && ppid === parent ? [pid] : []));
  }
  const pids = (await readdir("/proc")).map(Number).filter((pid) => pid > 0);
  const parents = await Promise.all(
    pids.map(async (pid) => {
      const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
      // proc_pid_stat(5): after the name, which ends with the last parenthesis, come the state and the parent.
      return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
    }),
  );
  return pids.filter((_, i) => parents[i] === parent);
}

/** The pid of the service's worker. */
export async function workerOf({ pid }: Service): Promise<number> {
  return until(
    async () => (await childrenOf(pid)).find(({ line }) => line.includes("worker"))?.pid,
    "the service to have a worker",
  );
}

/** Processes that still run on the data folder: the database, if it was not stopped. */
export async function leftRunning(dataDir: string): Promise<readonly number[]> {
  const server = await serverPid(dataDir);
  return server === null ? [] : [server];
}

/** The URL of the embedded database, for queries of the test. */
export async function databaseUrl(dataDir: string): Promise<string> {
  const file = await readFile(join(dataDir, "postgres", "connection.json"), "utf8");
  return (JSON.parse(file) as { url: string }).url;
}

/** Requests a sync and does not wait for it. */
export async function postSync(
  { url }: Pick<Service, "url">,
  { key, sourceId }: { readonly key: string; readonly sourceId: string },
  signal?: AbortSignal,
): Promise<Response> {
  return fetch(`${url}/api/v1/syncs`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      prefer: "respond-async",
    },
    body: JSON.stringify({ source_id: sourceId }),
    ...(signal && { signal }),
  });
}
