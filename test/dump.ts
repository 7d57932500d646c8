/** Every row of every table as text, to search for what must not be in any of them. */
import { listTables } from "../src/store/backup/schema.ts";
import type { Db } from "../src/store/db.ts";

export async function dump(db: Db): Promise<Readonly<Record<string, string>>> {
  const tables: Record<string, string> = {};
  for (const { table } of await listTables(db)) {
    const rows = await db.query<{ row: string }>({
      text: `select t::text as row from ${table} t`,
      values: [],
    });
    tables[table] = rows.map(({ row }) => row).join("\n");
  }
  return tables;
}

/** The tables that contain the text, in plain text or as bytes. */
export async function tablesWith(db: Db, text: string): Promise<readonly string[]> {
  const hex = Buffer.from(text).toString("hex");
  return Object.entries(await dump(db))
    .filter(([, rows]) => rows.includes(text) || rows.includes(hex))
    .map(([table]) => table);
}
