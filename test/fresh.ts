/** New databases and folders for tests, deleted afterwards. */
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Pool } from "pg";
import { connectionConfig, openDb } from "../src/store/db.ts";
import type { Db } from "../src/store/db.ts";

export type Disposable<T> = T & AsyncDisposable;

/** A database of its own: with our tables, or empty. Returns the connection string. */
export async function freshDatabase({
  isMigrated = true,
}: {
  isMigrated?: boolean;
} = {}): Promise<Disposable<{ readonly url: string }>> {
  const {
    TEST_DATABASE_URL: server,
    TEST_DATABASE_TEMPLATE: template,
    TEST_DATABASE_STRATEGY: strategy,
  } = process.env;
  if (!server || !template) throw new Error("run tests by `npm test`: its set-up starts the database");
  const name = `test_${randomBytes(6).toString("hex")}`;
  const copied = isMigrated ? `template ${template} strategy ${strategy}` : `strategy ${strategy}`;
  await administer(server, `create database ${name} ${copied}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    [Symbol.asyncDispose]: async () => {
      // The processes of connections that were closed just now: PostgreSQL would wait for them in steps of 100 ms.
      await sleep(10);
      // Only a superuser may force out an autovacuum worker; without force, PostgreSQL waits for it.
      await administer(server, `drop database ${name} with (force)`).catch(async () =>
        administer(server, `drop database ${name}`),
      );
    },
  };
}

const administrators = new Map<string, Pool>();

/**
 * A statement that PostgreSQL does not take in the database that it concerns. Its connection stays open, for the next
 * one.
 */
export async function administer(server: string, text: string): Promise<void> {
  let administrator = administrators.get(server);
  if (administrator === undefined) {
    // An idle connection keeps no process from ending.
    administrator = new Pool({
      ...connectionConfig({ connectionString: server }, "shelfwire-test"),
      allowExitOnIdle: true,
      idleTimeoutMillis: 0,
    });
    // The server stops before the connection is closed.
    administrator.on("error", () => undefined);
    administrators.set(server, administrator);
  }
  await administrator.query(text);
}

/**
 * Access to a database of its own; with `isMigrated: false` without our tables. Few connections: what a new one reads
 * and plans for the first time costs more than most statements.
 */
export async function freshDb({
  isMigrated = true,
  connections = 4,
  settings = {},
}: {
  isMigrated?: boolean;
  connections?: number;
  settings?: Readonly<Record<string, string>>;
} = {}): Promise<Disposable<Db>> {
  const database = await freshDatabase({ isMigrated });
  const db = openDb(
    { connectionString: database.url, schema: "shelfwire" },
    { max: connections, name: "shelfwire-test", settings },
  );
  return {
    ...db,
    [Symbol.asyncDispose]: async () => {
      await db.close();
      await database[Symbol.asyncDispose]();
    },
  };
}

export async function tempDir(parent = tmpdir()): Promise<{ readonly path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(parent, "shelfwire-test-"));
  return { path, [Symbol.asyncDispose]: async () => rm(path, { recursive: true, force: true }) };
}
