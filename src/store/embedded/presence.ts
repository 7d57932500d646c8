/**
 * A presence is one idle connection that says "I am using this server". The others are counted through it, and it
 * ends by itself with the process that holds it, however that dies: so whoever leaves can tell if it is the last.
 */
import { Client, DatabaseError, escapeLiteral } from "pg";
import { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { ADMIN } from "./cluster.ts";

const NAME = "shelfwire-presence";
export const HOST = "127.0.0.1";
/** The role and the database everyone works with. The role is no superuser, as on a user's own PostgreSQL. */
export const DATABASE = "shelfwire";
const CONNECT_LIMIT_MS = 15_000;
/** A server that hangs must not keep anyone from leaving it. */
const LEAVE_LIMIT_MS = 2_000;
/** SQLSTATE `cannot_connect_now`: starting, or recovering after one of its processes crashed. It will pass. */
const NOT_NOW = "57P03";
const NOT_NOW_TRIES = 100;
const NOT_NOW_PAUSE_MS = 100;

export type Presence = {
  /** Resolves when the connection is gone, for whatever reason. */
  readonly lost: Promise<void>;
  /** Null if the server does not say. */
  readonly countOthers: () => Promise<number | null>;
  readonly end: () => Promise<void>;
};

type Door = { readonly port: number; readonly password: string; readonly signal: AbortSignal };

/** Connects, and makes the role and the database if this is the first time anyone does. */
export async function announce(door: Door): Promise<Presence> {
  const { client, lost, drop } = await connectPatiently(door);
  try {
    await ensureDatabase(client, door.password);
  } catch (error) {
    await client.end();
    throw error;
  }
  return {
    lost,
    countOthers: () => inTime(countOthers(client), () => null),
    end: () => inTime(client.end(), drop),
  };
}

/** The answer, or `otherwise` when it fails or takes too long. */
async function inTime<T>(answer: Promise<T>, otherwise: () => T): Promise<T> {
  const limit = Promise.withResolvers<T>();
  const timer = setTimeout(() => limit.resolve(otherwise()), LEAVE_LIMIT_MS);
  try {
    return await Promise.race([answer.catch(otherwise), limit.promise]);
  } finally {
    clearTimeout(timer);
  }
}

type Connected = { readonly client: Client; readonly lost: Promise<void>; readonly drop: () => void };

async function connectPatiently(door: Door): Promise<Connected> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await connect(door);
    } catch (error) {
      const isPassing = error instanceof DatabaseError && error.code === NOT_NOW;
      if (!isPassing || tries >= NOT_NOW_TRIES) throw error;
      await delay(NOT_NOW_PAUSE_MS, undefined, { signal: door.signal });
    }
  }
}

async function connect({ port, password }: Door): Promise<Connected> {
  const socket = new Socket();
  const client = new Client({
    host: HOST,
    port,
    user: ADMIN,
    password,
    database: "postgres",
    application_name: NAME,
    ssl: false,
    connectionTimeoutMillis: CONNECT_LIMIT_MS,
    stream: () => socket,
  });
  const { promise: lost, resolve } = Promise.withResolvers<void>();
  // Without a listener an error on an idle connection would end the process; `end` follows every error.
  client.on("error", () => undefined);
  client.once("end", resolve);
  await client.connect();
  return { client, lost, drop: () => void socket.destroy() };
}

type Missing = { readonly needs_role: boolean; readonly needs_database: boolean };

async function ensureDatabase(client: Client, password: string): Promise<void> {
  const { rows } = await client.query<Missing>(
    `select not exists (select from pg_roles where rolname = $1) as needs_role,
            not exists (select from pg_database where datname = $1) as needs_database`,
    [DATABASE],
  );
  // Utility statements take no parameters; both values are of our own making.
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
