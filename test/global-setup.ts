/**
 * One PostgreSQL for the whole test run: the one at DATABASE_URL, or our own (`test-server.ts`). Every
 * test file gets databases of its own in it, copies of one that is migrated here. Runs once, before the first file.
 */
import { randomBytes } from "node:crypto";
import { openDb } from "../src/store/db.ts";
import { migrate } from "../src/store/migrate.ts";
import { administer } from "./fresh.ts";
import { dataFolder, openTestServer } from "./test-server.ts";

const parts = new AsyncDisposableStack();

export async function globalSetup(): Promise<void> {
  const server = process.env["DATABASE_URL"] || (await openTestServer(parts));
  const template = `test_template_${randomBytes(6).toString("hex")}`;
  await administer(server, `create database ${template}`);
  parts.defer(async () => administer(server, `drop database ${template} with (force)`));
  const url = new URL(server);
  url.pathname = `/${template}`;
  const db = openDb({ connectionString: url.href, schema: "shelfwire" }, { max: 1, name: "shelfwire-test" });
  await migrate(db);
  await db.close();
  process.env["TEST_DATABASE_URL"] = server;
  process.env["TEST_DATA_DIR"] = await dataFolder();
  // A copy of the files is faster where a checkpoint costs nothing: on our own server.
  process.env["TEST_DATABASE_STRATEGY"] = process.env["DATABASE_URL"] ? "wal_log" : "file_copy";
  process.env["TEST_DATABASE_TEMPLATE"] = template;
}

export async function globalTeardown(): Promise<void> {
  await parts.disposeAsync();
}
