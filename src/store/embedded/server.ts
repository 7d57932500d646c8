/**
 * Joins the server that runs on the data folder, or starts one, under the lock. A running server is used only if it is
 * certainly ours, and stopped only if it does not answer.
 */
import { SERVER_START_BACKOFF_MS } from "../../lib/backoff.ts";
import { DatabaseError } from "pg";
import { once } from "node:events";
import { chmod, chown, readFile, rename, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { exists } from "../../lib/files.ts";
import type { Account } from "./account.ts";
import { type Binaries, runnableBinaries } from "./binaries.ts";
import { type DatabaseCluster, createCluster, readCluster, removeLeftovers } from "./cluster.ts";
import { withFileLock } from "./file-lock.ts";
import { claimMachine, hasLocalPids, heartbeat } from "./machine-guard.ts";
import { embeddedFailure, type Paths } from "./paths.ts";
import { findPostmaster, type PgCtl, type Postmaster, startServer, stopServer } from "./pg-ctl.ts";
import { DATABASE, HOST, openSession, type AdminSession } from "./session.ts";
import { ARCHIVE_SETTINGS } from "./settings.ts";

/** Longer than the longest start: the replay of a full log after a crash. */
const OPEN_WAIT_MS = 240_000;
/** A recovery reads all of the archived log since the copy of the data was made. */
const RECOVERY_S = 86_400;
const POLL_MS = 15;
/** The default of PostgreSQL: it is for a server that the user has, or may install. */
const DEFAULT_PORT = 5432;

export type ServerContext = {
  readonly paths: Paths;
  readonly account: Account;
  readonly binaries: Binaries;
  readonly log: (event: string, fields?: object) => void;
};

export type Server = {
  readonly session: AdminSession;
  readonly port: number;
  readonly password: string;
  readonly url: string;
};

/** `port`: of a server that was lost while in use. It must come back at the same address, and with the same data. */
export async function joinOrStart(
  context: ServerContext,
  port: number | null,
  signal: AbortSignal,
): Promise<Server> {
  const { paths, account, binaries } = context;
  return withFileLock(paths.lock, { waitMs: OPEN_WAIT_MS, signal }, async () => {
    let logTail = "";
    for (const pauseMs of SERVER_START_BACKOFF_MS) {
      await delay(pauseMs, undefined, { signal });
      const cluster = await readCluster(paths, binaries.major, account);
      if (cluster === null && port !== null) {
        throw embeddedFailure(`The database folder ${paths.cluster} has been removed.`);
      }
      const joined = cluster && (await joinRunning(context, cluster, signal));
      const server = joined ?? (await start(context, cluster, { port, signal }));
      if (!("logTail" in server)) {
        await writeConnection(context, server);
        return server;
      }
      ({ logTail } = server);
    }
    throw embeddedFailure(`PostgreSQL did not start. The end of its log ${paths.log}: ${logTail}`);
  });
}

/** Null if no server is running, or if it had to be stopped. */
async function joinRunning(
  context: ServerContext,
  cluster: DatabaseCluster,
  signal: AbortSignal,
): Promise<Server | null> {
  const { paths, log } = context;
  const running = await findReady(paths, cluster, signal);
  if (running === null) return null;
  const { pid, port, status } = running;
  try {
    if (status !== "stopping") {
      const session = await openSession({ port, password: cluster.password, signal });
      log("embedded_database_joined", { pid, port });
      return serverOf(session, port, cluster.password);
    }
  } catch (error) {
    // A server that answers, even with an error, may be working for others. One that does not answer is stopped.
    if (error instanceof DatabaseError || signal.aborted) throw error;
    log("embedded_database_unresponsive", { pid, reason: String(error) });
  }
  await stopServer(await pgCtlOf(context), pid);
  return null;
}

/** Waits for a server that is starting: the process that started it was killed. */
async function findReady(
  paths: Paths,
  cluster: DatabaseCluster,
  signal: AbortSignal,
): Promise<Postmaster | null> {
  if (!(await exists(paths.pidFile))) return null;
  const isLocal = await hasLocalPids(paths, { signal });
  const deadline = performance.now() + OPEN_WAIT_MS;
  while (true) {
    const running = await findPostmaster(paths, cluster, isLocal);
    if (running === null || running.status === "ready" || running.status === "stopping") return running;
    if (performance.now() >= deadline) {
      throw embeddedFailure(`PostgreSQL was not ready in time; its log is ${paths.log}.`);
    }
    await delay(POLL_MS, undefined, { signal });
  }
}

type Start = { readonly port: number | null; readonly signal: AbortSignal };

/** Creates what is missing, and tries once to start the server. */
async function start(
  context: ServerContext,
  existing: DatabaseCluster | null,
  { port: fixedPort, signal }: Start,
) {
  const { paths, account, binaries, log } = context;
  const began = performance.now();
  await removeLeftovers(paths, binaries.version);
  const pgCtl = await pgCtlOf(context);
  const initdb = join(pgCtl.bin, "initdb");
  const cluster = existing ?? (await createCluster(paths, { initdb, account, signal }));
  const { password } = cluster;
  const port = fixedPort ?? (await choosePort(paths));
  await claimMachine(paths);
  const isRecovering = await noteRecovery(paths);
  const settings = (await prepareArchive(paths, account)) ? ARCHIVE_SETTINGS : {};
  const timeout = isRecovering ? { timeoutS: RECOVERY_S } : {};
  const beat = heartbeat(paths);
  const failure = await startServer(pgCtl, { cluster, port, signal, settings, ...timeout }).finally(
    beat.stop,
  );
  if (failure) return failure;
  const session = await openSession({ port, password, signal }).catch(async (error: unknown) => {
    await stopServer(pgCtl);
    throw error;
  });
  const durationMs = Math.round(performance.now() - began);
  log("embedded_database_started", { port, isNew: existing === null, durationMs });
  return serverOf(session, port, password);
}

/**
 * Written before the start: a process that dies after the recovery must not leave a copy that takes itself for the
 * original.
 */
async function noteRecovery({ recoverySignal, recovered }: Paths): Promise<boolean> {
  if (!(await exists(recoverySignal))) return false;
  await writeFile(recovered, "", { flush: true });
  return true;
}

/** True if the log is to be archived. The folder may have been created by root. */
async function prepareArchive({ archive }: Paths, { uid, gid, isLowered }: Account): Promise<boolean> {
  if (!(await exists(archive))) return false;
  if (isLowered) await chown(archive, uid, gid);
  return true;
}

export async function pgCtlOf({ binaries, paths, account }: ServerContext): Promise<PgCtl> {
  return { bin: await runnableBinaries(binaries, paths, account), paths, account };
}

function serverOf(session: AdminSession, port: number, password: string): Server {
  const url = `postgres://${DATABASE}:${password}@${HOST}:${port}/${DATABASE}?sslmode=disable`;
  return { session, port, password, url };
}

/** For people and their tools. A failure, such as a full disk, does not matter here. */
async function writeConnection(
  { paths, log }: ServerContext,
  { url, port, password }: Server,
): Promise<void> {
  const content = { url, host: HOST, port, database: DATABASE, user: DATABASE, password };
  const partial = `${paths.connection}.tmp`;
  try {
    await writeFile(partial, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
    await chmod(partial, 0o600);
    await rename(partial, paths.connection);
  } catch (error) {
    log("embedded_database_connection_file_failed", { reason: String(error) });
  }
}

/** The port of the last time, so that saved connections keep working, or any free one. */
async function choosePort({ connection }: Paths): Promise<number> {
  const text = await readFile(connection, "utf8").catch(() => "");
  const last = Number(/"port": (\d+)/.exec(text)?.[1] ?? 0);
  for (const wanted of [last, 0, 0]) {
    const port = await listenOnce(wanted).catch(() => DEFAULT_PORT);
    if (port !== DEFAULT_PORT) return port;
  }
  throw embeddedFailure("There is no free port.");
}

async function listenOnce(wanted: number): Promise<number> {
  const probe = createServer().listen(wanted, HOST);
  await once(probe, "listening");
  const address = probe.address();
  probe.close();
  await once(probe, "close");
  return typeof address === "object" && address !== null ? address.port : DEFAULT_PORT;
}
