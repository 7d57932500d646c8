/** Runs a measurement on its own embedded database, in a temporary folder. */
import { openBenchFolder } from "./folder.ts";
import { type Db, openDb } from "../src/store/db.ts";
import { openEmbedded } from "../src/store/embedded.ts";
import { migrate } from "../src/store/migrate.ts";

export async function withOwnDatabase<T>(work: (db: Db, dir: string) => Promise<T>): Promise<T> {
  await using parts = new AsyncDisposableStack();
  const { root: dir } = parts.use(await openBenchFolder());
  const embedded = await openEmbedded({ dataDir: dir, log: () => undefined });
  parts.defer(embedded.close);
  const target = { connectionString: embedded.connectionString, schema: "shelfwire" };
  const db = openDb(target, { max: 8, name: "shelfwire-bench" });
  parts.defer(db.close);
  await migrate(db);
  return await work(db, dir);
}
