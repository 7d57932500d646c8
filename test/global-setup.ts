/**
 * One PostgreSQL for the whole test run: the one at DATABASE_URL, or our own embedded one in a temporary folder. Every
 * test file gets databases of its own in it, copies of one that is migrated here. Runs once, before the first file.
 */
import { randomBytes } from "node:crypto";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDb } from "../src/store/db.ts";
import { openEmbedded } from "../src/store/embedded.ts";
import { migrate } from "../src/store/migrate.ts";
import { administer } from "./fresh.ts";

const parts = new AsyncDisposableStack();

export async function globalSetup(): Promise<void> {
  const server = process.env["DATABASE_URL"] || (await openOwnServer());
  const template = `test_template_${randomBytes(6).toString("hex")}`;
  await administer(server, `create database ${template}`);
  parts.defer(async () => administer(server, `drop database ${template} with (force)`));
  const url = new URL(server);
  url.pathname = `/${template}`;
  const db = openDb({ connectionString: url.href, schema: "shelfwire" }, { max: 1, name: "shelfwire-test" });
  await migrate(db);
  await db.close();
  process.env["TEST_DATABASE_URL"] = server;
  process.env["TEST_DATABASE_TEMPLATE"] = template;
}

async function openOwnServer(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), "shelfwire-test-"));
  parts.defer(async () => rm(dataDir, { recursive: true, force: true }));
  // Temporary folders are private; run by root, the server is another user and must get in.
  await chmod(dataDir, 0o711);
  const { connectionString, close } = await openEmbedded({ dataDir, log: () => undefined });
  parts.defer(close);
  return connectionString;
}

export async function globalTeardown(): Promise<void> {
  await parts.disposeAsync();
}
