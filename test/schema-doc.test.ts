/**
 * docs/schema.md is the schema of a migrated database. `UPDATE_DOCS=1 npm test -- test/schema-doc.test.ts` writes it.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Queries } from "../src/store/db.ts";
import { checkSection } from "./doc-sections.ts";
import { freshDb } from "./fresh.ts";
import { TABLES } from "./schema-tables.ts";

type Line = { readonly table: string; readonly text: string };

/** PostgreSQL's own spelling, shortened. Expressions name the schema, which is a setting. */
const plain = (text: string): string =>
  text
    .replaceAll("shelfwire.", "")
    .replaceAll(" USING btree", "")
    .replaceAll("timestamp with time zone", "timestamptz");

const listLines = async (db: Queries, statement: string): Promise<ReadonlyMap<string, readonly Line[]>> => {
  const rows = await db.query<Line>({ text: statement, values: [] });
  const lines = rows.map(({ table, text }) => ({ table, text: plain(text) }));
  return Map.groupBy(lines, ({ table }) => table);
};

const RELATION = `pg_class t join pg_namespace n on n.oid = t.relnamespace and n.nspname = current_schema()`;

const COLUMNS = `
  select t.relname as table, a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
         || case when a.attnotnull then ' not null' else '' end
         || case a.attgenerated when 's' then ' generated always as (' || pg_get_expr(d.adbin, d.adrelid) || ') stored'
                                else coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '') end
         || case a.attidentity when '' then '' else ' generated always as identity' end as text
    from ${RELATION} join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
    left join pg_attrdef d on d.adrelid = t.oid and d.adnum = a.attnum
   where t.relkind = 'r' order by t.relname, a.attnum`;

/** Not-null constraints are with their columns. */
const CONSTRAINTS = `
  select t.relname as table, pg_get_constraintdef(c.oid) as text
    from ${RELATION} join pg_constraint c on c.conrelid = t.oid and c.contype in ('p', 'u', 'c', 'f')
   order by t.relname, array_position('{p,u,f,c}'::"char"[], c.contype), c.conname`;

const INDEXES = `
  select t.relname as table, pg_get_indexdef(i.indexrelid) || ';' as text
    from ${RELATION} join pg_index i on i.indrelid = t.oid join pg_class x on x.oid = i.indexrelid
   where not exists (select from pg_constraint c where c.conindid = i.indexrelid and c.contype in ('p', 'u'))
   order by t.relname, x.relname`;

const TRIGGERS = `
  select t.relname as table, pg_get_triggerdef(g.oid) || ';' as text
    from ${RELATION} join pg_trigger g on g.tgrelid = t.oid and not g.tgisinternal
   order by t.relname, g.tgname`;

test("docs/schema.md has every table of a migrated database, each with a sentence", async () => {
  await using db = await freshDb();
  const [columns, constraints, indexes, triggers] = await Promise.all(
    [COLUMNS, CONSTRAINTS, INDEXES, TRIGGERS].map((text) => listLines(db, text)),
  );
  const linesOf = (lists: typeof columns, table: string): readonly string[] =>
    lists?.get(table)?.map(({ text }) => text) ?? [];
  const described = Object.values(TABLES).flatMap((tables) => Object.keys(tables));

  assert.deepEqual(described.toSorted(), [...(columns?.keys() ?? [])].toSorted());

  const definition = (table: string): string =>
    [
      `create table ${table} (`,
      [...linesOf(columns, table), ...linesOf(constraints, table)].map((line) => `  ${line}`).join(",\n"),
      ");",
      ...linesOf(indexes, table),
      ...linesOf(triggers, table),
    ].join("\n");
  const topics = Object.entries(TABLES).map(([topic, tables]) => {
    const sections = Object.entries(tables).map(
      ([table, sentence]) => `### ${table}\n\n${sentence}\n\n\`\`\`sql\n${definition(table)}\n\`\`\``,
    );
    return [`## ${topic}`, ...sections].join("\n\n");
  });
  await checkSection("docs/schema.md", "tables", topics.join("\n\n"));
});
