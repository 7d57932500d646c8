/**
 * One idle connection per process that uses the server, by which users are counted and a lost server is noticed. It
 * ends with its process, however that dies.
 */
import { Client, DatabaseError, escapeLiteral } from "pg";
import { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { ADMIN } from "./cluster.ts";

const NAME = "shelfwire-presence";
export const HOST = "127.0.0.1";
/** The role and the database of the program. The role is not a superuser, as on a user's own PostgreSQL. */
export const DATABASE = "shelfwire";
const CONNECT_TIMEOUT_MS = 15_000;
/** A server that hangs must not keep a process from leaving it. */
const LEAVE_TIMEOUT_MS = 2_000;
/** SQLSTATE `cannot_connect_now`: the server is starting, or recovers after one of its processes crashed. */
const CANNOT_CONNECT_NOW = "57P03";
const MAX_RETRIES = 100;
const RETRY_MS = 100;

export type AdminSession = Awaited<ReturnType<typeof openSession>>;

type AdminLogin = { readonly port: number; readonly password: string; readonly signal: AbortSignal };

/** Connects, and creates the role and the database if they are missing. */
export async function openSession(login: AdminLogin) {
  const { promise: lost, resolve } = Promise.withResolvers<void>();
  const { client, socket } = await connectWithRetry(login);
  client.once("end", resolve);
  try {
    await createDatabase(client, login.password);
  } catch (error) {
    await client.end();
    throw error;
  }
  return {
    /** Resolves when the connection has ended, for whatever reason. */
    lost,
    /** Null if the server does not answer. */
    countOthers: (): Promise<number | null> => withTimeout(countOthers(client), () => null),
    end: () => withTimeout(client.end(), () => void socket.destroy()),
  };
}

async function withTimeout<T>(answer: Promise<T>, fallback: () => T): Promise<T> {
  const { promise, resolve } = Promise.withResolvers<T>();
  const timer = setTimeout(() => resolve(fallback()), LEAVE_TIMEOUT_MS);
  answer.catch(fallback).then(resolve, () => undefined);
  return promise.finally(() => clearTimeout(timer));
}

async function connectWithRetry({ port, password, signal }: AdminLogin) {
  for (let retries = 0; ; retries += 1) {
    const socket = new Socket();
    const client = new Client({
      host: HOST,
      port,
      user: ADMIN,
      password,
      database: "postgres",
      application_name: NAME,
      ssl: false,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      stream: () => socket,
    });
    // Without a listener an error on an idle connection would end the process; `end` follows every error.
    client.on("error", () => undefined);
    try {
      await client.connect();
      return { client, socket };
    } catch (error) {
      const isTemporary = error instanceof DatabaseError && error.code === CANNOT_CONNECT_NOW;
      if (!isTemporary || retries >= MAX_RETRIES) throw error;
      await delay(RETRY_MS, undefined, { signal });
    }
  }
}

async function createDatabase(client: Client, password: string): Promise<void> {
  const { rows } = await client.query<{ needs_role: boolean; needs_database: boolean }>(
    `select not exists (select from pg_roles where rolname = $1) as needs_role,
            not exists (select from pg_database where datname = $1) as needs_database`,
    [DATABASE],
  );
  // Utility statements take no parameters; both values are our own.
  if (rows[0]?.needs_role) {
    await client.query(`create role ${DATABASE} login createdb password ${escapeLiteral(password)}`);
  }
  if (rows[0]?.needs_database) await client.query(`create database ${DATABASE} owner ${DATABASE}`);
}

async function countOthers(client: Client): Promise<number> {
  const { rows } = await client.query<{ others: number }>(
    `select count(*)::int as others
       from pg_stat_activity
      where application_name = $1 and usename = $2 and pid <> pg_backend_pid()`,
    [NAME, ADMIN],
  );
  return rows[0]?.others ?? 0;
}
