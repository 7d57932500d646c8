/**
 * The embedded PostgreSQL: a real server in `DATA_DIR/postgres`, shared by all processes that open the folder. The
 * first process starts the server and the last process stops it; a lock between processes protects both.
 */
import { repeatingLast, SERVER_RESTART_BACKOFF_MS } from "../lib/backoff.ts";
import { once } from "node:events";
import { isAbsolute, join } from "node:path";
import { AppError } from "../errors.ts";
import { sleep } from "../lib/async.ts";
import { prepareRoot, serverAccount } from "./embedded/account.ts";
import { findBinaries } from "./embedded/binaries.ts";
import { readCluster } from "./embedded/cluster.ts";
import { LockTimeout, withFileLock } from "./embedded/file-lock.ts";
import { heartbeat } from "./embedded/machine-guard.ts";
import { embeddedFailure, pathsIn } from "./embedded/paths.ts";
import { findPostmaster, stopServer } from "./embedded/pg-ctl.ts";
import { type ServerContext, joinOrStart, pgCtlOf, type Server } from "./embedded/server.ts";

/**
 * Ctrl-C ends everything within ten seconds. A process that does not get the lock leaves the server to the holder of
 * the lock.
 */
const CLOSE_WAIT_MS = 5_000;

export type Embedded = {
  /** The connection string stays valid after a crash, because the server is started again at the same address. */
  readonly connectionString: string;
  /** Leaves the server, and stops it if no other process uses it. Does not throw if the server is gone already. */
  readonly close: () => Promise<void>;
};

export type OpenOptions = {
  readonly dataDir: string;
  /** Cancels the opening. */
  readonly signal?: AbortSignal;
  readonly log: ServerContext["log"];
};

/** Joins the server on the folder, or starts it. The first start creates the database. */
export async function openEmbedded({ dataDir, signal, log }: OpenOptions): Promise<Embedded> {
  const until = signal ?? new AbortController().signal;
  try {
    const account = serverAccount();
    const binaries = await findBinaries(process.platform, process.arch);
    const paths = pathsIn(await prepareRoot(dataDir, account));
    const context = { paths, account, binaries, log };
    return keepOpen(context, await joinOrStart(context, null, until));
  } catch (error) {
    until.throwIfAborted();
    throw toFailure(error, dataDir);
  }
}

/** The file that marks an embedded database that was recovered and is not marked as a restored copy yet. */
export const recoveredMarker = (dataDir: string): string => pathsIn(join(dataDir, "postgres")).recovered;

/** Returns the default of DATA_DIR. Root's folder must be reachable for the account that the server runs under. */
export function defaultDataDir(from: {
  readonly isRoot: boolean;
  readonly home: string;
  readonly xdgDataHome: string | undefined;
}): string {
  if (from.isRoot) return "/var/lib/shelfwire";
  // By the XDG Base Directory specification, a relative path is invalid and must be ignored.
  const isValid = from.xdgDataHome !== undefined && isAbsolute(from.xdgDataHome);
  const base = isValid ? from.xdgDataHome : join(from.home, ".local", "share");
  return join(base, "shelfwire");
}

function keepOpen(context: ServerContext, first: Server): Embedded {
  const closing = new AbortController();
  const beat = heartbeat(context.paths);
  const aborted = once(closing.signal, "abort");
  let server = first;

  const restartWhenLost = async () => {
    while (true) {
      await Promise.race([server.session.lost, aborted]);
      if (closing.signal.aborted) return;
      server = (await restart(context, first.port, closing.signal)) ?? server;
    }
  };
  const restarting = restartWhenLost();

  let leaving: Promise<void> | null = null;
  const close = async () => {
    closing.abort();
    await restarting;
    beat.stop();
    await leave(context, server);
  };
  return { connectionString: first.url, close: () => (leaving ??= close()) };
}

async function restart(context: ServerContext, port: number, signal: AbortSignal): Promise<Server | null> {
  let reason: string | undefined;
  for (let tries = 0; !signal.aborted; tries += 1) {
    await sleep(repeatingLast(SERVER_RESTART_BACKOFF_MS, tries), signal);
    context.log("embedded_database_lost", { port, tries, reason });
    try {
      return await joinOrStart(context, port, signal);
    } catch (error) {
      reason = String(error);
    }
  }
  return null;
}

async function leave(context: ServerContext, { session }: Server): Promise<void> {
  const { paths, binaries, account, log } = context;
  try {
    await withFileLock(paths.lock, { waitMs: CLOSE_WAIT_MS }, async () => {
      const others = await session.countOthers();
      await session.end();
      const cluster = others === 0 ? await readCluster(paths, binaries.major, account) : null;
      const running = cluster && (await findPostmaster(paths, cluster, true));
      if (running === null) return log("embedded_database_left", { others });
      const by = await stopServer(await pgCtlOf(context), running.pid);
      log("embedded_database_stopped", { pid: running.pid, by });
    });
  } catch (error) {
    await session.end();
    if (!(error instanceof LockTimeout)) throw toFailure(error, paths.root);
    log("embedded_database_left", { reason: error.message });
  }
}

function toFailure(error: unknown, folder: string): AppError {
  if (error instanceof AppError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  if (error instanceof LockTimeout) {
    return embeddedFailure(
      `The embedded database in ${folder} is being started or stopped by another process, and that takes too ` +
        `long. Find that process, and end it if it hangs. ${reason}`,
      error,
    );
  }
  const code = error instanceof Error && "code" in error ? error.code : null;
  if (code === "EACCES" || code === "EPERM") {
    return embeddedFailure(
      `The embedded database in ${folder} belongs to another user (${reason}). Run the program as that user, or ` +
        "choose another DATA_DIR.",
      error,
    );
  }
  return embeddedFailure(`The embedded database in ${folder} could not be opened: ${reason}.`, error);
}
