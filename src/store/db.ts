/**
 * All that anyone needs of a database: `query`, `execute`, `tx`, and a `session` for work that must stay on one
 * connection (temporary tables, COPY). A database that is away surfaces as `database_unavailable`, nowhere else
 * as a driver's error.
 */
import { Pool, types } from "pg";
import type { Client, PoolClient } from "pg";
import { from as copyFrom, to as copyTo } from "pg-copy-streams";
import type { Readable, Writable } from "node:stream";
import { AppError } from "../errors.ts";
import type { Sql } from "./sql.ts";

export type Queries = {
  readonly query: <Row>(statement: Sql) => Promise<readonly Row[]>;
  /** Runs a statement and says how many rows it touched. */
  readonly execute: (statement: Sql) => Promise<number>;
};

/** One connection, kept for as long as `work` runs. */
export type Session = Queries & {
  readonly tx: <T>(work: (tx: Queries) => Promise<T>) => Promise<T>;
  /** A transaction in which every statement sees the database as it was at the first one. */
  readonly snapshot: <T>(work: (tx: Queries) => Promise<T>) => Promise<T>;
  readonly copyIn: (statement: string) => Writable;
  readonly copyOut: (statement: string) => Readable;
};

export type Db = Queries & {
  readonly tx: <T>(work: (tx: Queries) => Promise<T>) => Promise<T>;
  readonly session: <T>(work: (session: Session) => Promise<T>) => Promise<T>;
  readonly target: DbTarget;
  readonly close: () => Promise<void>;
};

/** Where the tables are. A schema of our own keeps us out of the way in a database that others use too. */
export type DbTarget = { readonly connectionString: string; readonly schema: string };

export function connectionConfig(
  { connectionString, schema }: DbTarget,
  name: string,
  settings: Readonly<Record<string, string>> = {},
) {
  // A statement whose client has died ends by itself, and with it its locks.
  const all = { search_path: schema, timezone: "UTC", client_connection_check_interval: "5s", ...settings };
  return {
    connectionString,
    application_name: name,
    options: Object.entries(all)
      .map(([setting, value]) => `-c ${setting}=${value}`)
      .join(" "),
    types: { getTypeParser },
    keepAlive: true,
  };
}

export type DbOptions = {
  readonly max: number;
  readonly name: string;
  /** For a process whose statements are all short: one that takes longer than this has no database behind it. */
  readonly statementMs?: number;
  /** PostgreSQL's own, for every connection. */
  readonly settings?: Readonly<Record<string, string>>;
};

export function openDb(target: DbTarget, { max, name, statementMs, settings }: DbOptions): Db {
  const pool = new Pool({
    ...connectionConfig(target, name, settings),
    max,
    connectionTimeoutMillis: 10_000,
    ...(statementMs !== undefined && { query_timeout: statementMs }),
  });
  // An idle connection that breaks is replaced by the pool; without a listener it would end the process.
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
      // A COPY fails through its stream, past the translation that statements go through.
      throw asUnavailable(error);
    } finally {
      client.off("error", onError);
      // With `true` the pool closes the connection, which also ends a COPY that is still under way.
      client.release(broken || copies.areOpen());
    }
  };

  return {
    ...queriesOn(pool),
    tx: async (work) => session(async (s) => s.tx(work)),
    session,
    target,
    close: async () => closeWithin(pool, open, CLOSE_MS),
  };
}

/** Half of the ten seconds within which everything has to have stopped. */
const CLOSE_MS = 5_000;

/** Waits for what is under way, but not for ever: a database that does not answer must not keep a process alive. */
async function closeWithin(pool: Pool, open: ReadonlySet<PoolClient>, ms: number): Promise<void> {
  const giveUp = setTimeout(() => {
    for (const client of open) destroyConnection(client);
  }, ms);
  await pool.end();
  clearTimeout(giveUp);
}

/** Closes the socket under a connection at once, without a word to the server. */
export function destroyConnection(client: Client | PoolClient): void {
  client.connection.stream.destroy();
}

/** The COPY streams of a session that have not reached their end. */
type OpenCopies = {
  readonly track: <Stream extends Readable | Writable>(stream: Stream, done: "end" | "finish") => Stream;
  readonly areOpen: () => boolean;
};

function openCopies(): OpenCopies {
  const open = new Set<Readable | Writable>();
  return {
    track: (stream, done) => {
      open.add(stream);
      stream.once(done, () => open.delete(stream));
      return stream;
    },
    areOpen: () => open.size > 0,
  };
}

function sessionOn(client: PoolClient, copies: OpenCopies): Session {
  const queries = queriesOn(client);
  const within = async <T>(begin: string, work: (tx: Queries) => Promise<T>): Promise<T> => {
    await translated(async () => client.query(begin));
    try {
      const result = await work(queries);
      await translated(async () => client.query("commit"));
      return result;
    } catch (error) {
      // A rollback would wait for ever behind a COPY that nobody reads to its end. Such a connection is closed
      // when the session ends, as a lost one is, and its transaction with it.
      if (!isConnectionLoss(error) && !copies.areOpen())
        await client.query("rollback").catch(() => undefined);
      throw error;
    }
  };
  return {
    ...queries,
    tx: async (work) => within("begin", work),
    snapshot: async (work) => within("begin isolation level repeatable read, read only", work),
    copyIn: (statement) => copies.track(client.query(copyFrom(statement)), "finish"),
    copyOut: (statement) => copies.track(client.query(copyTo(statement)), "end"),
  };
}

/** Work that may fail without taking the transaction around it along: what it did is undone, the rest stands. */
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

type Runner = {
  query: (statement: {
    readonly name?: string;
    readonly text: string;
    readonly values: unknown[];
  }) => Promise<{ rows: unknown[]; rowCount: number | null }>;
};

function queriesOn(runner: Runner): Queries {
  const run = async ({ name, text, values }: Sql) =>
    translated(() => runner.query({ ...(name && { name }), text, values: [...values] }));
  return {
    query: async <Row>(statement: Sql) => (await run(statement)).rows as Row[],
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

/** A lost connection as `database_unavailable`; anything else as it is. */
export function asUnavailable(error: unknown): unknown {
  if (error instanceof AppError || !isConnectionLoss(error)) return error;
  return new AppError(
    "database_unavailable",
    "The database cannot be reached right now. Try again in a moment.",
    { cause: error, retryAfterS: 5 },
  );
}

/**
 * SQLSTATE class 08, the shutdown codes, timeouts that close the connection and too many connections; or a socket that
 * failed before PostgreSQL could say anything.
 */
const LOST =
  /^(08...|57P0[1235]|25P0[34]|53300|E(CONN(REFUSED|RESET|ABORTED)|NOENT|PIPE|TIMEDOUT|NOTFOUND|HOSTUNREACH|NETUNREACH|HOSTDOWN)|EAI_AGAIN)$/;
const LOST_MESSAGES =
  /^(Query read timeout|Connection terminated|timeout exceeded when trying to connect|Client (has encountered a connection error|was closed))/;

function isConnectionLoss(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof AppError) return error.code === "database_unavailable";
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  // The driver has no codes of its own: these sentences are the only sign that its socket is gone.
  return LOST.test(code) || LOST_MESSAGES.test(error.message);
}

/** True if `error` is PostgreSQL's word that `constraint` (a unique index) would be broken. */
export function isUniqueViolation(error: unknown, constraint: string): boolean {
  return (
    error instanceof Error &&
    "code" in error &&
    error.code === "23505" &&
    "constraint" in error &&
    error.constraint === constraint
  );
}

const INT8 = 20;

/** Counts fit a double: 2^53 items is beyond any catalog. */
function getTypeParser(oid: number, format?: "text" | "binary"): (value: string) => unknown {
  if (oid === INT8 && format !== "binary") return Number;
  return types.getTypeParser(oid, format) as (value: string) => unknown;
}
