/**
 * Detects a pooler that gives each transaction another connection, such as PgBouncer with `pool_mode = transaction`.
 * Behind such a pooler, a lock, LISTEN, a temporary table or a prepared statement of one process ends up in the session
 * of another process.
 */
import { Client } from "pg";
import { AppError } from "../errors.ts";
import { asUnavailable, connectionConfig, type DbTarget } from "./db.ts";

export const POOLED =
  "DATABASE_URL leads to a pooler that shares connections between transactions (PgBouncer with pool_mode = transaction or statement). Shelfwire needs sessions of its own, for advisory locks, LISTEN, temporary tables and prepared statements.";
export const POOLED_ADVICE =
  "Set pool_mode = session for this database in the pooler, or let DATABASE_URL lead to PostgreSQL itself.";

type PoolerTarget = Pick<DbTarget, "connectionString">;

/** Throws `config_invalid` if the database is behind such a pooler. */
export async function requireSessions(target: PoolerTarget): Promise<void> {
  if (await isPooledByTransaction(target)) throw new AppError("config_invalid", `${POOLED} ${POOLED_ADVICE}`);
}

/** Other programs may use the pooler at the same time and get the connection that the check looks for. */
const TRIES = 5;

/**
 * Opens two connections. Without a pooler, the two never have the same server process, and each keeps its own. A pooler
 * gives the process that one connection used last to the transaction of the other.
 */
export async function isPooledByTransaction(target: PoolerTarget): Promise<boolean> {
  await using parts = new AsyncDisposableStack();
  try {
    const [one, other] = [await connect(target, parts), await connect(target, parts)];
    for (let tries = 0; tries < TRIES; tries += 1) if (await areShared(one, other)) return true;
    return false;
  } catch (error) {
    // A pooler with pool_mode = statement refuses transactions.
    if (error instanceof Error && /statement pooling/.test(error.message)) return true;
    throw asUnavailable(error);
  }
}

async function areShared(one: Client, other: Client): Promise<boolean> {
  const before = await processOf(one);
  await other.query("begin");
  const meanwhile = await processOf(other);
  const after = await processOf(one);
  await other.query("rollback");
  return before !== after || before === meanwhile;
}

async function processOf(client: Client): Promise<number | undefined> {
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  return rows[0]?.pid;
}

const TIMEOUT_MS = 10_000;

async function connect(target: PoolerTarget, parts: AsyncDisposableStack): Promise<Client> {
  const client = new Client({
    ...connectionConfig(target, "shelfwire-sessions"),
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
  });
  client.on("error", () => undefined);
  parts.defer(async () => client.end().catch(() => undefined));
  await client.connect();
  return client;
}
