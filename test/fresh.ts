/** What every test that needs a database or a folder shares: fresh ones, gone afterwards. */
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDb } from "../src/store/db.ts";
import type { Db } from "../src/store/db.ts";
import { migrate } from "../src/store/migrate.ts";

export type Disposable<T> = T & AsyncDisposable;

/** An empty schema of its own; with `isMigrated: false` not even our tables. */
export async function freshDb({ isMigrated = true }: { isMigrated?: boolean } = {}): Promise<Disposable<Db>> {
  const connectionString = process.env["TEST_DATABASE_URL"];
  if (!connectionString) throw new Error("run tests by `npm test`: its set-up starts the database");
  const schema = `test_${randomBytes(6).toString("hex")}`;
  const db = openDb({ connectionString, schema }, { max: 8, name: "shelfwire-test" });
  if (isMigrated) await migrate(db);
  return {
    ...db,
    [Symbol.asyncDispose]: async () => {
      await db.execute({ text: `drop schema if exists ${schema} cascade`, values: [] });
      await db.close();
    },
  };
}

export async function tempDir(): Promise<{ readonly path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), "shelfwire-test-"));
  return { path, [Symbol.asyncDispose]: async () => rm(path, { recursive: true, force: true }) };
}
