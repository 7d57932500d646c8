/**
 * The embedded PostgreSQL: a real server in `DATA_DIR/postgres`, shared by every process that opens the folder.
 * Whoever comes first switches it on, whoever leaves last switches it off; nobody owns it. All comings and goings
 * happen under one lock between processes, and a server that outlived a `kill -9` is simply joined again.
 */
import { isAbsolute, join } from "node:path";
import { AppError } from "../errors.ts";
import { sleep } from "../lib/async.ts";
import { LockTimeout, withFileLock } from "../lib/file-lock.ts";
import { prepareRoot, serverAccount } from "./embedded/account.ts";
import { embeddedFailure } from "./embedded/failure.ts";
import { layoutOf } from "./embedded/layout.ts";
import { showLife } from "./embedded/occupancy.ts";
import { identify, readPidFile, stopPostmaster } from "./embedded/postmaster.ts";
import { findBinaries } from "./embedded/runtime.ts";
import { joinOrStart } from "./embedded/server.ts";
import type { House, Server } from "./embedded/server.ts";

/** Longer than the longest start: the replay of a full log after a crash. */
const OPEN_WAIT_MS = 240_000;
/** Ctrl-C ends everything within ten seconds. Who cannot have the lock leaves the server to whoever holds it. */
const CLOSE_WAIT_MS = 5_000;
const REGAIN_PAUSES_MS = [0, 1_000, 5_000, 15_000];
const REGAIN_LONGEST_MS = 30_000;

export type Embedded = {
  /** A server that crashes is started again at the same address, so this stays good for as long as it is open. */
  readonly connectionString: string;
  /** Leaves, and stops the server if nobody else is there. Never throws for a server that is gone already. */
  readonly close: () => Promise<void>;
};

export type OpenOptions = {
  readonly dataDir: string;
  /** Gives up opening; an open one is left by `close`. */
  readonly signal?: AbortSignal;
  readonly log: (event: string, fields?: object) => void;
};

/** Joins the server on the folder, or starts it; the first time this makes the database. */
export async function openEmbedded({ dataDir, signal, log }: OpenOptions): Promise<Embedded> {
  const until = signal ?? new AbortController().signal;
  try {
    const account = serverAccount();
    const binaries = await findBinaries(process.platform, process.arch);
    const layout = layoutOf(await prepareRoot(dataDir, account));
    const house = { layout, account, binaries, log };
    const server = await withFileLock(layout.lock, { waitMs: OPEN_WAIT_MS, signal: until }, async () =>
      joinOrStart(house, { kind: "open" }, until),
    );
    return keep(house, server);
  } catch (error) {
    until.throwIfAborted();
    throw toFailure(error, dataDir);
  }
}

/** Where the data goes if nobody says. Root's must be reachable for the account the server runs under. */
export function defaultDataDir(from: {
  readonly isRoot: boolean;
  readonly home: string;
  readonly xdgDataHome: string | undefined;
}): string {
  if (from.isRoot) return "/var/lib/shelfwire";
  // XDG Base Directory: a relative path is invalid and to be ignored.
  const isGiven = from.xdgDataHome !== undefined && isAbsolute(from.xdgDataHome);
  const base = isGiven ? from.xdgDataHome : join(from.home, ".local", "share");
  return join(base, "shelfwire");
}

/** Holds the presence, and wins it back if the server is lost. */
function keep(house: House, first: Server): Embedded {
  const closing = new AbortController();
  const { signal } = closing;
  const hideLife = showLife(house.layout);
  const closed = new Promise<void>((resolve) =>
    signal.addEventListener("abort", () => resolve(), { once: true }),
  );
  let server = first;

  const watch = async () => {
    while (true) {
      await Promise.race([server.presence.lost, closed]);
      if (signal.aborted) return;
      house.log("embedded_database_lost", { port: server.connection.port });
      server = (await regain(house, server.connection.port, signal)) ?? server;
    }
  };
  const watching = watch();

  let leaving: Promise<void> | null = null;
  const close = async () => {
    closing.abort();
    await watching;
    hideLife();
    await leave(house, server);
  };
  return {
    connectionString: first.connection.url,
    close: () => (leaving ??= close()),
  };
}

async function regain(house: House, port: number, signal: AbortSignal): Promise<Server | null> {
  for (let tries = 0; !signal.aborted; tries += 1) {
    await sleep(REGAIN_PAUSES_MS[tries] ?? REGAIN_LONGEST_MS, signal);
    try {
      return await withFileLock(house.layout.lock, { waitMs: OPEN_WAIT_MS, signal }, async () =>
        joinOrStart(house, { kind: "regain", port }, signal),
      );
    } catch (error) {
      house.log("embedded_database_lost", { port, tries: tries + 1, reason: String(error) });
    }
  }
  return null;
}

async function leave(house: House, { presence, cluster }: Server): Promise<void> {
  const { layout, log } = house;
  try {
    await withFileLock(layout.lock, { waitMs: CLOSE_WAIT_MS }, async () => {
      const others = await presence.countOthers();
      await presence.end();
      const file = others === 0 ? await readPidFile(layout) : null;
      const running = file === null ? null : await identify(file, layout, cluster);
      if (running === null) return log("embedded_database_left", { others });
      const by = await stopPostmaster(running.pid);
      log("embedded_database_stopped", { pid: running.pid, by });
    });
  } catch (error) {
    await presence.end();
    if (!(error instanceof LockTimeout)) throw toFailure(error, layout.root);
    log("embedded_database_left", { reason: error.message });
  }
}

function toFailure(error: unknown, folder: string): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof LockTimeout) {
    const { pid, place } = error.holder;
    return embeddedFailure(
      `The embedded database in ${folder} is being started or stopped by process ${pid} on ${place.host}, and ` +
        "that has taken too long. Look at that process, and end it if it hangs.",
      error,
    );
  }
  const reason = error instanceof Error ? error.message : String(error);
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
