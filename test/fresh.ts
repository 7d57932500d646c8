/** New databases and folders for tests, deleted afterwards. */
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDb } from "../src/store/db.ts";
import type { Db } from "../src/store/db.ts";

export type Disposable<T> = T & AsyncDisposable;

/** A database of its own: with our tables, or empty. Returns the connection string. */
export async function freshDatabase({
  isMigrated = true,
}: {
  isMigrated?: boolean;
} = {}): Promise<Disposable<{ readonly url: string }>> {
  const { TEST_DATABASE_URL: server, TEST_DATABASE_TEMPLATE: template } = process.env;
  if (!server || !template) throw new Error("run tests by `npm test`: its set-up starts the database");
  const name = `test_${randomBytes(6).toString("hex")}`;
  // Copied by the write-ahead log: the other way needs a checkpoint.
  const copied = isMigrated ? `template ${template} strategy wal_log` : "";
  await administer(server, `create database ${name} ${copied}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    [Symbol.asyncDispose]: async () => {
      // Only a superuser may force out an autovacuum worker; without force, PostgreSQL waits for it.
      await administer(server, `drop database ${name} with (force)`).catch(async () =>
        administer(server, `drop database ${name}`),
      );
    },
  };
}

/** A statement that PostgreSQL does not take in the database that it concerns. */
export async function administer(server: string, text: string): Promise<void> {
  const db = openDb({ connectionString: server, schema: "public" }, { max: 1, name: "shelfwire-test" });
  try {
    await db.execute({ text, values: [] });
  } finally {
    await db.close();
  }
}

/** Access to a database of its own; with `isMigrated: false` without our tables. */
export async function freshDb({ isMigrated = true }: { isMigrated?: boolean } = {}): Promise<Disposable<Db>> {
  const database = await freshDatabase({ isMigrated });
  const db = openDb(
    { connectionString: database.url, schema: "shelfwire" },
    { max: 8, name: "shelfwire-test" },
  );
  return {
    ...db,
    [Symbol.asyncDispose]: async () => {
      await db.close();
      await database[Symbol.asyncDispose]();
    },
  };
}

export async function tempDir(): Promise<{ readonly path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), "shelfwire-test-"));
  return { path, [Symbol.asyncDispose]: async () => rm(path, { recursive: true, force: true }) };
}
