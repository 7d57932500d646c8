/**
 * Starts the real program as a child process with a temporary data folder, for a run without `CONTRACT_BASE_URL`. This
 * file knows the command line of the program; the rest of the suite knows only a base URL and a key.
 */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";

const MAIN = join(import.meta.dirname, "../../src/main.ts");
/** pino's levels: 50 is an error, 60 is fatal. */
const ERROR_LINE = /"level":[56]0/;
const START_LIMIT_MS = 60_000;
const STOP_LIMIT_MS = 20_000;

export type Launched = AsyncDisposable & {
  readonly baseUrl: string;
  readonly key: string;
  /** What the program has logged as an error: the reason of an answer with 500. */
  readonly errors: () => readonly string[];
};

/** The key is an operator key: the set-up creates a catalog for each check with it. */
export async function launch(): Promise<Launched> {
  const folder = await mkdtemp(join(tmpdir(), "shelfwire-contract-"));
  // Started by root, the embedded database runs under another account, which must be able to enter the folder.
  await chmod(folder, 0o755);
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: process.env["HOME"] ?? "",
    DATA_DIR: join(folder, "data"),
    PORT: String(await freePort()),
    LOG_LEVEL: "error",
  };
  // The folder of the process is the temporary one: a developer may have a file `.env` in the checkout.
  const child = spawn(process.execPath, [MAIN, "serve"], {
    env,
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output += text));
  const ended = once(child, "close");
  const dispose = async (): Promise<void> => {
    child.kill("SIGTERM");
    const isEnded = await Promise.race([ended.then(() => true), sleep(STOP_LIMIT_MS, false, { ref: false })]);
    if (!isEnded) {
      child.kill("SIGKILL");
      await ended;
      const pidFile = join(env.DATA_DIR, "postgres/cluster/data/postmaster.pid");
      process.kill(Number.parseInt(await readFile(pidFile, "utf8"), 10), "SIGKILL");
    }
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const baseUrl = `http://127.0.0.1:${env.PORT}`;
    await waitUntilReady(baseUrl, () => {
      if (child.exitCode !== null) throw new Error(`The program ended before it was ready: ${output}`);
    });
    const line = [MAIN, "key", "create", "--operator", "--json"];
    const { stdout } = await promisify(execFile)(process.execPath, line, { env, cwd: folder });
    const { key } = JSON.parse(stdout) as { key: string };
    const errors = () => output.split("\n").filter((text) => ERROR_LINE.test(text));
    return { baseUrl, key, errors, [Symbol.asyncDispose]: dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}

async function waitUntilReady(baseUrl: string, assertRunning: () => void): Promise<void> {
  const deadline = Date.now() + START_LIMIT_MS;
  while (Date.now() < deadline) {
    assertRunning();
    const answer = await fetch(`${baseUrl}/readyz`).catch(() => undefined);
    await answer?.body?.cancel();
    if (answer?.ok) return;
    await sleep(100);
  }
  throw new Error("The program was not ready within a minute.");
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
