/** Brings the database to its newest schema when a process starts. */
import type { Logger } from "pino";
import type { AppError } from "../errors.ts";
import { type Db, type DbTarget, openDb } from "../store/db.ts";
import { migrate } from "../store/migrate.ts";
import { requireSessions } from "../store/pooling.ts";
import { waitForDb } from "../store/wait-for-db.ts";

/** A database without a time limit for its statements, or what to open one with. */
type Migrated = Db | { readonly target: DbTarget; readonly name: string };

/** A service waits for a database that is not available, until the signal aborts. */
export type MigrationWaitOptions = {
  readonly signal: AbortSignal;
  readonly onAway?: (failure: AppError) => void;
};

type ReportProgress = (message: string) => void;

export async function migrateAtStart(
  migrated: Migrated,
  {
    log,
    waiting,
    progress,
  }: {
    readonly log: Logger;
    readonly waiting: MigrationWaitOptions | undefined;
    readonly progress: ReportProgress;
  },
): Promise<void> {
  if (waiting === undefined) return migrateOnce(migrated, progress);
  const onAway = (failure: AppError) => {
    const { code, cause, message } = failure;
    const problem = code === "database_read_only" ? "is read-only" : "does not respond";
    const reason = cause instanceof Error ? String(cause) : message;
    log.warn({ reason }, `the database ${problem}; waiting for it`);
    waiting.onAway?.(failure);
  };
  await waitForDb(async () => requireSessions(migrated.target), { signal: waiting.signal, onAway });
  return waitForDb(async () => migrateOnce(migrated, progress), { signal: waiting.signal, onAway });
}

async function migrateOnce(migrated: Migrated, progress: ReportProgress): Promise<void> {
  await using opened = new AsyncDisposableStack();
  const db = "session" in migrated ? migrated : openDb(migrated.target, { max: 1, name: migrated.name });
  if (db !== migrated) opened.defer(db.close);
  const last = (await migrate(db)).at(-1);
  if (last !== undefined) progress(`brought the database to its newest schema: ${last}`);
}
