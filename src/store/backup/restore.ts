/** Replaces all data by a backup, in one transaction: tables are created as of the backup, filled, and migrated. */
import { pipeline } from "node:stream/promises";
import { Readable } from "node:stream";
import { AppError } from "../../errors.ts";
import type { Db, Queries, Session } from "../db.ts";
import { migrateWithin } from "../migrate.ts";
import { sql } from "../sql.ts";
import { type ArchiveFrame, framesOf, jsonOf } from "./archive.ts";
import { type BackupHead, linesIn, type BackupRowCounts } from "./backup.ts";
import { columnList, listTables, quoted, type TableShape } from "./schema.ts";

export async function readBackupHead(path: string): Promise<BackupHead> {
  for await (const first of framesOf(path)) {
    if (first.kind === "head") return jsonOf(first) as BackupHead;
    break;
  }
  throw new AppError("invalid_request", `${path} is not a backup made by shelfwire backup.`);
}

/** True if the schema has no catalog; it may have tables. */
export async function isEmptySchema(db: Queries): Promise<boolean> {
  const found = await db.first<{ exists: boolean }>(
    sql`select to_regclass(current_schema() || '.catalogs') is not null as exists`,
  );
  if (!found?.exists) return true;
  return (await db.query(sql`select 1 from catalogs limit 1`)).length === 0;
}

/**
 * Replaces all data. No other program may use the schema at the same time. `afterwards` runs in the same transaction.
 */
export async function restoreBackup(
  db: Db,
  path: string,
  afterwards?: (tx: Queries) => Promise<void>,
): Promise<BackupRowCounts> {
  const { schema } = db.target;
  const { migrations, sequences } = await readBackupHead(path);
  return db.session(async (session) =>
    session.tx(async (tx) => {
      await run(tx, `drop schema if exists ${quoted(schema)} cascade`);
      await migrateWithin(tx, { schema, upTo: migrations });
      const tables = await listTables(tx);
      // Triggers are disabled, because the backup already contains what they wrote.
      for (const { table } of tables) await run(tx, `alter table ${quoted(table)} disable trigger user`);
      const counts = await fillTables(session, framesOf(path), tables);
      for (const { table } of tables) await run(tx, `alter table ${quoted(table)} enable trigger user`);
      for (const { name, value } of sequences)
        await tx.query(sql`select setval(${`${quoted(schema)}.${quoted(name)}`}::text::regclass, ${value})`);
      // A backup has no rendered files, so nothing is published until the next render.
      await run(tx, "update catalogs set published_run_id = null");
      await migrateWithin(tx, { schema });
      await afterwards?.(tx);
      return counts;
    }),
  );
}

const run = async (tx: Queries, text: string): Promise<number> => tx.execute({ text, values: [] });

async function fillTables(
  session: Session,
  frames: AsyncGenerator<ArchiveFrame, void, void>,
  tables: readonly TableShape[],
): Promise<BackupRowCounts> {
  const counts: Record<string, number> = {};
  for (let step = await frames.next(); !step.done; step = await frames.next()) {
    if (step.value.kind !== "table") continue;
    const shape = jsonOf(step.value) as TableShape;
    refuseUnknown(shape, tables);
    const copied = { rows: 0, expected: -1 };
    await pipeline(
      Readable.from(dataOf(frames, copied)),
      session.copyIn(`copy ${quoted(shape.table)} (${columnList(shape)}) from stdin`),
    );
    if (copied.rows !== copied.expected) throw mismatch(shape.table);
    counts[shape.table] = copied.rows;
  }
  return counts;
}

/** The names come from a file, so only names that the schema has are used in a statement. */
function refuseUnknown({ table, columns }: TableShape, tables: readonly TableShape[]): void {
  const known = tables.find((shape) => shape.table === table);
  if (known === undefined || columns.some((column) => !known.columns.includes(column))) throw mismatch(table);
}

const mismatch = (table: string): AppError =>
  new AppError(
    "invalid_request",
    `The backup is damaged: its table ${table} does not have the rows or columns it declares. Use another copy.`,
  );

/** Yields the data of one table, up to the frame with its row count. */
async function* dataOf(
  frames: AsyncGenerator<ArchiveFrame, void, void>,
  copied: { rows: number; expected: number },
): AsyncGenerator<Buffer, void, void> {
  for (let step = await frames.next(); !step.done; step = await frames.next()) {
    if (step.value.kind === "rows") {
      copied.expected = (jsonOf(step.value) as { rows: number }).rows;
      return;
    }
    copied.rows += linesIn(step.value.bytes);
    yield step.value.bytes;
  }
}
