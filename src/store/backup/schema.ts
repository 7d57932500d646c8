/** Lists tables and sequences from PostgreSQL's own catalog, so that new tables are backed up automatically. */
import type { Queries } from "../db.ts";
import { sql } from "../sql.ts";

export type TableShape = { readonly table: string; readonly columns: readonly string[] };

/** The list of migrations is not backed up as data, because migrations write it. */
const LEDGER = "schema_migrations";

/** Lists all tables with their stored columns (without computed columns), in the order of their foreign keys. */
export async function listTables(db: Queries): Promise<readonly TableShape[]> {
  const tables = await db.query<TableShape>(sql`
    select c.relname::text as "table", array_agg(a.attname::text order by a.attnum) as columns
      from pg_class c
      join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
     where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and c.relname <> ${LEDGER}
     group by c.relname
     order by c.relname`);
  const references = await db.query<{ table: string; parent: string }>(sql`
    select child.relname::text as "table", parent.relname::text as parent
      from pg_constraint k
      join pg_class child on child.oid = k.conrelid
      join pg_class parent on parent.oid = k.confrelid
     where k.contype = 'f' and k.connamespace = current_schema()::regnamespace and k.conrelid <> k.confrelid
     order by child.relname, parent.relname`);
  return parentsFirst(tables, references);
}

function parentsFirst(
  tables: readonly TableShape[],
  references: readonly { readonly table: string; readonly parent: string }[],
): readonly TableShape[] {
  const byName = new Map(tables.map((shape) => [shape.table, shape]));
  const ordered = new Set<TableShape>();
  const place = (shape: TableShape | undefined): void => {
    if (shape === undefined || ordered.has(shape)) return;
    for (const { table, parent } of references) if (table === shape.table) place(byName.get(parent));
    ordered.add(shape);
  };
  for (const shape of tables) place(shape);
  return [...ordered];
}

export type SequenceValue = { readonly name: string; readonly value: number };

/** Sequences are not transactional: a value may be newer than the snapshot, which does no harm. */
export async function listSequences(db: Queries): Promise<readonly SequenceValue[]> {
  return db.query<SequenceValue>(sql`
    select sequencename::text as name, last_value as value
      from pg_sequences where schemaname = current_schema() and last_value is not null order by sequencename`);
}

/** Quotes an identifier. SQL has no parameters for names. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

export const columnList = ({ columns }: TableShape): string => columns.map(quoted).join(", ");
