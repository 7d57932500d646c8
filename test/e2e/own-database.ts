/** A database of the test's own, and the settings of an installation on it. */
import { randomBytes } from "node:crypto";
import { openDb } from "../../src/store/db.ts";
import type { Db } from "../../src/store/db.ts";
import { tempDir } from "../fresh.ts";
import { freePort } from "./program.ts";
import type { ProgramEnv } from "./program.ts";

type Place = AsyncDisposable & { readonly env: ProgramEnv; readonly db: Db };

export async function ownDatabase(): Promise<Place> {
  const parts = new AsyncDisposableStack();
  const server = process.env["TEST_DATABASE_URL"] ?? "";
  const admin = openDb({ connectionString: server, schema: "public" }, { max: 1, name: "shelfwire-test" });
  parts.defer(admin.close);
  const name = `cut_${randomBytes(6).toString("hex")}`;
  await admin.execute({ text: `create database ${name}`, values: [] });
  parts.defer(
    async () => void (await admin.execute({ text: `drop database ${name} with (force)`, values: [] })),
  );
  const { path } = parts.use(await tempDir());
  const url = new URL(server);
  url.pathname = `/${name}`;
  const db = openDb({ connectionString: url.href, schema: "shelfwire" }, { max: 2, name: "shelfwire-test" });
  parts.defer(db.close);
  const env = {
    DATABASE_URL: url.href,
    SECRET_KEY: "a key for tests, long enough to be one",
    DATA_DIR: path,
    PORT: String(await freePort()),
    ALLOW_PRIVATE_TARGETS: "127.0.0.1",
    RATE_LIMIT_PER_MINUTE: "0",
  };
  return { env, db, [Symbol.asyncDispose]: async () => parts.disposeAsync() };
}
