/** The files of the embedded database, all below `DATA_DIR/postgres`, and how its failures are reported. */
import { join } from "node:path";
import { AppError } from "../../errors.ts";

/** The name of the folder with the archived log. */
export const ARCHIVE = "wal-archive";

export type Paths = Readonly<ReturnType<typeof pathsIn>>;

export function pathsIn(root: string) {
  const cluster = join(root, "cluster");
  const data = join(cluster, "data");
  return {
    root,
    /** Held while the server is started, joined, left or stopped. */
    lock: join(root, "start.lock"),
    /**
     * Address and password, for people and their tools. Rewritten at every open; only the last port is read from it.
     */
    connection: join(root, "connection.json"),
    log: join(root, "postgres.log"),
    /** Which machine or container uses the cluster; its mtime is the heartbeat. */
    machine: join(root, "occupancy.json"),
    /** The data and its password in one folder, so that they are created, moved and removed together. */
    cluster,
    data,
    pidFile: join(data, "postmaster.pid"),
    password: join(cluster, "password"),
    /** Created by the user: if it is there, the write-ahead log is archived in it. */
    archive: join(root, ARCHIVE),
    /** Asks PostgreSQL to recover to an earlier time; created by the user, removed by PostgreSQL. */
    recoverySignal: join(data, "recovery.signal"),
    /** The database was recovered, and the program has not marked it as a restored copy yet. */
    recovered: join(root, "recovered"),
  };
}

/** One code for every failure, and the alternative that always works. */
export function embeddedFailure(message: string, cause?: unknown): AppError {
  return new AppError(
    "embedded_database_failed",
    `${message} Or set DATABASE_URL to use a PostgreSQL of your own.`,
    { cause },
  );
}
