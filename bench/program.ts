/**
 * The real program in its own folder, compiled as it is installed: `serve`, with the embedded PostgreSQL and its
 * worker. The benchmark opens the same database to create catalogs and request runs.
 */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { openSystem, type System } from "../src/cli/system.ts";
import { readConfig } from "../src/config.ts";
import { type Processes, processesOf } from "./processes.ts";

const ROOT = join(import.meta.dirname, "..");
/** Beside the sources like `dist`, which the installed command would prefer to them. */
const COMPILED = join(ROOT, "dist-bench");
const MAIN = join(COMPILED, "main.js");

export type Program = AsyncDisposable & {
  readonly system: System;
  readonly url: string;
  /** From the command to the first answer, on a folder that has been started before. */
  readonly startMs: number;
  readonly processes: Processes;
};

let compiled: Promise<unknown> | undefined;

/** What has not changed since the last time is not compiled again: 14 s the first time, then 2. */
async function compile(): Promise<void> {
  const tsc = createRequire(import.meta.url).resolve("typescript/bin/tsc");
  const cache = join(COMPILED, "tsconfig.tsbuildinfo");
  const options = ["--outDir", COMPILED, "--incremental", "--tsBuildInfoFile", cache];
  compiled ??= promisify(execFile)(process.execPath, [tsc, "-p", "tsconfig.build.json", ...options], {
    cwd: ROOT,
  });
  await compiled;
}

export async function startProgram(dataDir: string): Promise<Program> {
  await compile();
  const port = await freePort();
  // Nothing else of our environment: a DATABASE_URL would direct the benchmark to a real database.
  const env = {
    PATH: process.env["PATH"],
    NODE_OPTIONS: process.env["NODE_OPTIONS"],
    DATA_DIR: dataDir,
    PORT: String(port),
    ALLOW_PRIVATE_TARGETS: "127.0.0.1",
    RATE_LIMIT_PER_MINUTE: "0",
    LOG_LEVEL: "error",
  };
  const url = `http://127.0.0.1:${port}`;
  // The first start creates the database, so the second one is measured.
  await stop((await startServer(env, url)).server);

  await using parts = new AsyncDisposableStack();
  const { server, ms: startMs } = await startServer(env, url);
  parts.defer(async () => stop(server));
  const system = await openSystem(readConfig(env), {
    name: "shelfwire-bench",
    log: { level: "error", stream: (text) => process.stderr.write(text) },
  });
  parts.defer(system.close);
  const started = parts.move();
  return {
    system,
    url,
    startMs,
    processes: processesOf(pidOf(server), dataDir),
    [Symbol.asyncDispose]: async () => started.disposeAsync(),
  };
}

async function startServer(
  env: NodeJS.ProcessEnv,
  url: string,
): Promise<{ server: ChildProcess; ms: number }> {
  const began = performance.now();
  const server = spawn(process.execPath, [MAIN, "serve", "--no-demo"], {
    env,
    stdio: ["ignore", "ignore", "inherit"],
  });
  while (!(await answers(url))) {
    if (hasEnded(server)) throw new Error("the program ended at its start");
  }
  return { server, ms: performance.now() - began };
}

/** Tries once, and waits a moment if it fails. */
async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/readyz`);
    await response.body?.cancel();
    return response.ok;
  } catch {
    await new Promise((resolve) => setTimeout(resolve, 10));
    return false;
  }
}

async function stop(server: ChildProcess): Promise<void> {
  if (hasEnded(server)) return;
  const gone = once(server, "exit");
  server.kill("SIGTERM");
  await gone;
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode !== null || signalCode !== null;

function pidOf({ pid }: ChildProcess): number {
  if (pid === undefined) throw new Error("the program was not started");
  return pid;
}

export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, "close");
  return port;
}
