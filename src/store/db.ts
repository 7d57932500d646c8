/**
 * The database. A lost connection is always reported as `database_unavailable`, not as a driver error. Every connection
 * is one to a server that can be written to: a standby, or a former primary, is refused with `database_read_only`. A
 * transaction of `Db`, or a statement outside of one, that PostgreSQL cancels to end a deadlock or a serialization
 * failure is tried again. Rows have the names of their columns in camel case: `catalog_id` is read as `catalogId`.
 */
import {
  type Client,
  DatabaseError,
  Pool,
  type PoolClient,
  type QueryConfig,
  type QueryResult,
  types,
} from "pg";
import { from as copyFrom, to as copyTo } from "pg-copy-streams";
import type { Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "../errors.ts";
import { camelCase } from "../lib/snake-case.ts";
import type { Sql } from "./sql.ts";

export type Queries = {
  readonly query: <Row>(statement: Sql) => Promise<readonly Row[]>;
  /** The first row, or undefined. */
  readonly first: <Row>(statement: Sql) => Promise<Row | undefined>;
  /** Runs a statement and returns how many rows it changed. */
  readonly execute: (statement: Sql) => Promise<number>;
};

/** One connection, for work that needs it: transactions, temporary tables, COPY. */
export type Session = Queries & {
  /**
   * Calls `work` once: temporary tables and what was counted for them would not fit a second call. A run is tried again
   * as a whole.
   */
  readonly tx: <T>(work: (tx: Queries) => Promise<T>) => Promise<T>;
  /** A read-only transaction in which every statement sees the same snapshot. */
  readonly snapshot: <T>(work: (tx: Queries) => Promise<T>) => Promise<T>;
  /** A transaction that is always rolled back: what its work returns is what would have happened. */
  readonly trial: <T>(work: (tx: Queries) => Promise<T>) => Promise<T>;
  readonly copyIn: (statement: string) => Writable;
  readonly copyOut: (statement: string) => Readable;
};

export type Db = Queries & {
  /** May call `work` more than once: what it changes outside of the database must be the same after each call. */
  readonly tx: <T>(work: (tx: Queries) => Promise<T>) => Promise<T>;
  readonly session: <T>(work: (session: Session) => Promise<T>) => Promise<T>;
  readonly target: DbTarget;
  readonly close: () => Promise<void>;
};

/** Where the tables are. Our own schema, because others may use the database too. */
export type DbTarget = { readonly connectionString: string; readonly schema: string };

export function connectionConfig({ connectionString }: Pick<DbTarget, "connectionString">, name: string) {
  return { connectionString, application_name: name, types: { getTypeParser }, keepAlive: true };
}

/**
 * Prepares a new connection: our settings, by a statement, because PgBouncer refuses settings in the startup message.
 * Throws `database_read_only` if the server cannot be written to. A connection whose server becomes read-only is closed
 * at once.
 */
export async function prepareConnection(
  client: Client,
  { schema }: Pick<DbTarget, "schema">,
  settings: Readonly<Record<string, string>> = {},
): Promise<void> {
  // A result has its column names once, so renaming them costs nothing per row.
  client.connection.prependListener("rowDescription", ({ fields }: { fields: { name: string }[] }) => {
    for (const field of fields) field.name = camelCase(field.name);
  });
  // A statement whose client has died is canceled, and its locks are released.
  const all = { search_path: schema, timezone: "UTC", client_connection_check_interval: "5s", ...settings };
  const setters = Object.keys(all).map((_, i) => `set_config($${2 * i + 1}, $${2 * i + 2}, false)`);
  const { rows } = await client.query<{ isReadOnly: boolean }>({
    text: `select ${IS_READ_ONLY} as is_read_only, ${setters.join(", ")}`,
    values: Object.entries(all).flat(),
    query_timeout: PREPARE_MS,
  } as QueryConfig);
  if (rows[0]?.isReadOnly) throw readOnly();
  client.connection.on("parameterStatus", ({ parameterName, parameterValue }: ParameterStatus) => {
    if (REPORTS_READ_ONLY.has(parameterName) && parameterValue === "on")
      client.connection.stream.destroy(readOnly());
  });
}

const PREPARE_MS = 10_000;
export const IS_READ_ONLY = "pg_is_in_recovery() or current_setting('transaction_read_only')::boolean";
type ParameterStatus = { readonly parameterName: string; readonly parameterValue: string };
/** PostgreSQL reports each change of these settings to every client. */
const REPORTS_READ_ONLY: ReadonlySet<string> = new Set(["default_transaction_read_only", "in_hot_standby"]);

export function readOnly(cause?: unknown): AppError {
  return new AppError(
    "database_read_only",
    "The database is read-only right now, as a standby or a former primary is. Nothing can be changed until DATABASE_URL leads to a server that can be written to. Try again in a moment.",
    { cause, retryAfterS: 5 },
  );
}

export type DbOptions = {
  readonly max: number;
  readonly name: string;
  /** Statement timeout, for a process whose statements are all short. */
  readonly statementMs?: number;
  /** PostgreSQL settings of every connection. */
  readonly settings?: Readonly<Record<string, string>>;
};

export function openDb(target: DbTarget, { max, name, statementMs, settings }: DbOptions): Db {
  const pool = new Pool({
    ...connectionConfig(target, name),
    // oxlint-disable-next-line no-misused-promises -- the pool waits for it, which its types do not say
    onConnect: async (client) => prepareConnection(client as Client, target, settings),
    max,
    connectionTimeoutMillis: 10_000,
    ...(statementMs !== undefined && { query_timeout: statementMs }),
  });
  // The pool replaces an idle connection that breaks; without a listener the error would end the process.
  pool.on("error", () => undefined);
  const open = new Set<PoolClient>();
  pool.on("connect", (client) => void open.add(client));
  pool.on("remove", (client) => void open.delete(client));

  const session = async <T>(work: (session: Session) => Promise<T>): Promise<T> => {
    const client = await translated(() => pool.connect());
    const copies = openCopies();
    let broken = false;
    const onError = () => {
      broken = true;
    };
    client.on("error", onError);
    try {
      return await work(sessionOn(client, copies));
    } catch (error) {
      broken ||= isConnectionLoss(error);
      // A COPY fails through its stream, so its errors are translated here.
      throw asUnavailable(error);
    } finally {
      client.off("error", onError);
      // With `true` the pool closes the connection, which also ends an unfinished COPY.
      client.release(broken || copies.areOpen());
    }
  };

  return {
    ...queriesOn({ query: async (statement: QueryConfig) => retried(async () => pool.query(statement)) }),
    tx: async (work) => retried(async () => session(async (s) => s.tx(work))),
    session,
    target,
    // Waits for running statements, but a database that does not respond must not keep the process alive.
    close: async () => {
      const giveUp = setTimeout(() => open.forEach(destroyConnection), CLOSE_MS);
      await pool.end();
      clearTimeout(giveUp);
    },
  };
}

const MAX_TRIES = 5;
const RETRY_MS = 20;

/**
 * Tries again what PostgreSQL has rolled back in favor of another transaction, a random moment later so that the two do
 * not meet again.
 */
async function retried<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (!isConflict(error) || tries === MAX_TRIES) throw error;
      await sleep(RETRY_MS * 2 ** tries * Math.random());
    }
  }
}

/** A deadlock or a serialization failure. */
function isConflict(error: unknown): boolean {
  return error instanceof DatabaseError && (error.code === "40P01" || error.code === "40001");
}

/** Half of the ten seconds that a stop may take. */
const CLOSE_MS = 5_000;

export function destroyConnection(client: Client | PoolClient): void {
  client.connection.stream.destroy();
}

type OpenCopies = ReturnType<typeof openCopies>;

/** The unfinished COPY streams of a session. */
function openCopies() {
  const open = new Set<Readable | Writable>();
  return {
    track: <Stream extends Readable | Writable>(stream: Stream, done: "end" | "finish"): Stream => {
      open.add(stream);
      stream.once(done, () => open.delete(stream));
      return stream;
    },
    areOpen: () => open.size > 0,
  };
}

function sessionOn(client: PoolClient, copies: OpenCopies): Session {
  const queries = queriesOn(client);
  const within = async <T>(
    begin: string,
    work: (tx: Queries) => Promise<T>,
    end: "commit" | "rollback" = "commit",
  ): Promise<T> => {
    await translated(async () => client.query(begin));
    try {
      const result = await work(queries);
      await translated(async () => client.query(end));
      return result;
    } catch (error) {
      // A rollback would wait for an unfinished COPY for ever; the connection is closed when the session ends.
      if (!isConnectionLoss(error) && !copies.areOpen())
        await client.query("rollback").catch(() => undefined);
      throw error;
    }
  };
  return {
    ...queries,
    tx: async (work) => within("begin", work),
    snapshot: async (work) => within("begin isolation level repeatable read, read only", work),
    trial: async (work) => within("begin isolation level repeatable read", work, "rollback"),
    copyIn: (statement) => copies.track(client.query(copyFrom(statement)), "finish"),
    copyOut: (statement) => copies.track(client.query(copyTo(statement)), "end"),
  };
}

/** Runs work under a savepoint: if it fails, only its own changes are rolled back. */
export async function underSavepoint<T>(tx: Queries, work: () => Promise<T>): Promise<T> {
  const mark = async (text: string) => tx.execute({ text, values: [] });
  await mark("savepoint attempt");
  try {
    const result = await work();
    await mark("release savepoint attempt");
    return result;
  } catch (error) {
    await mark("rollback to savepoint attempt");
    throw error;
  }
}

type Runner = { readonly query: (statement: QueryConfig) => Promise<QueryResult> };

function queriesOn(runner: Runner): Queries {
  const run = async ({ name, text, values }: Sql) =>
    translated(async () => runner.query({ ...(name && { name }), text, values: [...values] }));
  return {
    query: async <Row>(statement: Sql) => (await run(statement)).rows as Row[],
    first: async <Row>(statement: Sql) => (await run(statement)).rows[0] as Row | undefined,
    execute: async (statement) => (await run(statement)).rowCount ?? 0,
  };
}

async function translated<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw asUnavailable(error);
  }
}

export function asUnavailable(error: unknown): unknown {
  if (error instanceof DatabaseError && error.code === READ_ONLY_TRANSACTION) return readOnly(error);
  if (error instanceof AppError || !isConnectionLoss(error)) return error;
  return new AppError(
    "database_unavailable",
    "The database cannot be reached right now. Try again in a moment.",
    { cause: error, retryAfterS: 5 },
  );
}

const READ_ONLY_TRANSACTION = "25006";

/** SQLSTATE class 08, shutdown, timeouts that close the connection, too many connections; or a socket error. */
const LOST =
  /^(08...|57P0[1235]|25P0[34]|53300|E(CONN(REFUSED|RESET|ABORTED)|PIPE|TIMEDOUT|NOTFOUND|HOSTUNREACH|NETUNREACH|HOSTDOWN)|EAI_AGAIN)$/;
const LOST_MESSAGES =
  /^(Query read timeout|Connection terminated|timeout exceeded when trying to connect|Client (has encountered a connection error|was closed))/;

/** True if the database cannot be used now, but later: it cannot be reached, or it is read-only. */
export function isAway(error: unknown): error is AppError {
  return (
    error instanceof AppError &&
    (error.code === "database_unavailable" || error.code === "database_read_only")
  );
}

function isConnectionLoss(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof AppError) return isAway(error);
  const { code = "", syscall }: NodeJS.ErrnoException = error;
  // No socket, and not a missing file of a render.
  if (code === "ENOENT") return syscall === "connect";
  // The driver has no error codes: its messages are the only sign of a closed socket.
  return LOST.test(code) || LOST_MESSAGES.test(error.message);
}

export function isUniqueViolation(error: unknown, constraint: string): boolean {
  return error instanceof DatabaseError && error.code === "23505" && error.constraint === constraint;
}

export function isMissingTable(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === "42P01";
}

const INT8 = 20;

/** Counts fit a double. */
function getTypeParser(oid: number, format?: "text" | "binary"): (value: string) => unknown {
  if (oid === INT8 && format !== "binary") return Number;
  return types.getTypeParser(oid, format) as (value: string) => unknown;
}
