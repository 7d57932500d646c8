/**
 * A separate process that opens the embedded database and keeps it open until it is asked to close: what a server, a
 * worker or a command is to the others. Run as a program it is that process; imported, it starts one.
 */
import { spawn } from "node:child_process";
import type { ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { Client } from "pg";
import { commandLineOf, startOf } from "../../src/lib/process-identity.ts";
import { openEmbedded } from "../../src/store/embedded.ts";

export type Holder = {
  readonly connectionString: string;
  readonly child: ChildProcessByStdio<Writable, Readable, null>;
  /** The names of what it logged, in order. */
  readonly events: readonly string[];
  /** Asks it to close the database, and waits for its end. */
  readonly close: () => Promise<void>;
  readonly kill: (signal: NodeJS.Signals) => Promise<void>;
};

type Line = { readonly event: string; readonly connectionString?: string };

type HolderOptions = { readonly uid?: number; readonly gid?: number; readonly detached?: boolean };

/** Starts the process and does not wait for it. */
export function spawnHolder(dataDir: string, options: HolderOptions = {}): Holder["child"] {
  const child = spawn(process.execPath, [import.meta.filename, dataDir], {
    ...options,
    stdio: ["pipe", "pipe", "inherit"],
  });
  running.add(child);
  child.once("exit", () => running.delete(child));
  return child;
}

const running = new Set<Holder["child"]>();

/** Kills what a failed test left: it would keep the test run from ending. */
export async function endHolders(): Promise<void> {
  await Promise.all(
    [...running].map(async (child) => {
      child.kill("SIGKILL");
      await once(child, "exit");
    }),
  );
}

/** Resolves when the process has the database open. `detached`: in a process group of its own, as a shell would. */
export async function startHolder(dataDir: string, options: HolderOptions = {}): Promise<Holder> {
  const child = spawnHolder(dataDir, options);
  // `close` comes after `exit`, when all it wrote has been read.
  const exit = once(child, "close");
  const events: string[] = [];
  const opened = Promise.withResolvers<string>();
  createInterface(child.stdout).on("line", (text) => {
    const line = readLine(text);
    events.push(line.event);
    if (line.connectionString !== undefined) opened.resolve(line.connectionString);
  });
  void exit.then(() => opened.reject(new Error(`The holder ended before it was open: ${events.join(", ")}`)));
  const connectionString = await opened.promise;
  return {
    connectionString,
    child,
    events,
    close: async () => {
      child.stdin.end();
      await exit;
    },
    kill: async (signal) => {
      child.kill(signal);
      await exit;
    },
  };
}

function readLine(text: string): Line {
  const line: unknown = JSON.parse(text);
  if (typeof line !== "object" || line === null || !("event" in line)) throw new Error(`Not a line: ${text}`);
  const event = String(line.event);
  return "connectionString" in line ? { event, connectionString: String(line.connectionString) } : { event };
}

/** A folder that other accounts may enter, and its server is stopped with it. */
export async function dataFolder(name = "data"): Promise<AsyncDisposable & { readonly path: string }> {
  const parent = await mkdtemp(join(tmpdir(), "shelfwire-embedded-"));
  await chmod(parent, 0o755);
  const path = join(parent, name);
  return {
    path,
    [Symbol.asyncDispose]: async () => {
      const pid = await serverPid(path);
      if (pid !== null) await killServer(pid);
      await rm(parent, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** The pid of the server that runs on the folder; null if none does. */
export async function serverPid(dataDir: string): Promise<number | null> {
  const data = join(dataDir, "postgres", "cluster", "data");
  const text = await readFile(join(data, "postmaster.pid"), "utf8").catch(() => "");
  const pid = Number.parseInt(text, 10);
  const isServer = pid > 0 && (await commandLineOf(pid))?.includes("cluster_name=shelfwire-") === true;
  return isServer ? pid : null;
}

/** Kills a server, and waits for its end. */
export async function killServer(pid: number): Promise<void> {
  process.kill(pid, "SIGKILL");
  while ((await startOf(pid)) !== null) await new Promise(setImmediate);
}

/** Runs a statement, or several, on a connection of its own; answers with the values of the last one. */
export async function ask(connectionString: string, statement: string): Promise<readonly unknown[]> {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    const result = await client.query<unknown[]>({ text: statement, rowMode: "array" });
    // The driver answers several statements with a list, which its types do not say.
    const last = [result].flat().at(-1);
    return last?.rows.flat() ?? [];
  } finally {
    await client.end();
  }
}

function say(event: string, fields: object = {}): void {
  process.stdout.write(`${JSON.stringify({ ...fields, event })}\n`);
}

if (import.meta.main) {
  const embedded = await openEmbedded({ dataDir: process.argv[2] ?? "", log: say });
  say("open", { connectionString: embedded.connectionString });
  await once(process.stdin.resume(), "end");
  await embedded.close();
}
