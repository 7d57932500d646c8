/** The test's own database, and the settings of an installation on it. */
import { openDb } from "../../src/store/db.ts";
import type { Db } from "../../src/store/db.ts";
import { freshDatabase, tempDir } from "../fresh.ts";
import { serviceEnv } from "./program.ts";
import type { ProgramEnv } from "./program.ts";

type Place = AsyncDisposable & { readonly env: ProgramEnv; readonly db: Db };

export async function ownDatabase(): Promise<Place> {
  const parts = new AsyncDisposableStack();
  const { url } = parts.use(await freshDatabase({ isMigrated: false }));
  const { path } = parts.use(await tempDir());
  const db = openDb({ connectionString: url, schema: "shelfwire" }, { max: 2, name: "shelfwire-test" });
  parts.defer(db.close);
  const env = {
    DATABASE_URL: url,
    SECRET_KEY: "a key for tests, long enough to be one",
    ...(await serviceEnv(path)),
  };
  return { env, db, [Symbol.asyncDispose]: async () => parts.disposeAsync() };
}
