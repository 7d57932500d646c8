/**
 * Applies the numbered SQL files of `migrations/` in order, each in its own transaction, all under one lock, so that
 * processes may start concurrently. A database that newer code migrated is rejected. The hash of each file is stored,
 * and a file that was changed after its release is rejected.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { hash } from "node:crypto";
import { AppError } from "../errors.ts";
import { type Db, isMissingTable, type Queries } from "./db.ts";
import { sql } from "./sql.ts";

const FOLDER = join(import.meta.dirname, "../../migrations");
/** Any fixed number that other programs do not use in the same database. */
const LOCK = 7_305_119_204;

type Migration = { readonly version: number; readonly name: string; readonly text: string };

export async function migrate(db: Db, folder: string = FOLDER): Promise<readonly string[]> {
  const migrations = readMigrations(folder);
  if (await isUpToDate(db, migrations)) return [];
  return db.session(async (session) => {
    await session.query(sql`select pg_advisory_lock(${LOCK})`);
    try {
      await createLedger(session, db.target.schema);
      const applied = await appliedMigrations(session);
      refuseSurprises(migrations, applied);
      const pending = migrations.filter(({ version }) => !applied.has(version));
      for (const migration of pending) await session.tx(async (tx) => apply(tx, migration));
      return pending.map(({ name }) => name);
    } finally {
      await session.query(sql`select pg_advisory_unlock(${LOCK})`);
    }
  });
}

/** Most starts find nothing to do, so this check takes one statement and no lock. */
async function isUpToDate(db: Db, migrations: readonly Migration[]): Promise<boolean> {
  try {
    const applied = await appliedMigrations(db);
    refuseSurprises(migrations, applied);
    return migrations.every(({ version }) => applied.has(version));
  } catch (error) {
    if (isMissingTable(error)) return false;
    throw error;
  }
}

export type AppliedMigration = { readonly version: number; readonly name: string; readonly sha256: string };

export async function listApplied(db: Queries): Promise<readonly AppliedMigration[]> {
  return db.query<AppliedMigration>(
    sql`select version, name, sha256 from schema_migrations order by version`,
  );
}

/**
 * Migrates inside the caller's transaction: to the newest version, or to exactly the given migrations, which are
 * rejected if this program does not know them.
 */
export async function migrateWithin(
  tx: Queries,
  { schema, upTo, folder = FOLDER }: { schema: string; upTo?: readonly AppliedMigration[]; folder?: string },
): Promise<void> {
  const known = readMigrations(folder);
  if (upTo) refuseSurprises(known, new Map(upTo.map(({ version, sha256 }) => [version, sha256])));
  const newest = upTo ? Math.max(0, ...upTo.map(({ version }) => version)) : Number.POSITIVE_INFINITY;
  await createLedger(tx, schema);
  const applied = await appliedMigrations(tx);
  for (const migration of known)
    if (migration.version <= newest && !applied.has(migration.version)) await apply(tx, migration);
}

function readMigrations(folder: string): readonly Migration[] {
  const names = readdirSync(folder).filter((name) => /^\d{4}_.*\.sql$/.test(name));
  return names.sort().map((name) => ({
    version: Number(name.slice(0, 4)),
    name,
    text: readFileSync(join(folder, name), "utf8"),
  }));
}

export async function createSchema(db: Db): Promise<void> {
  await makeSchema(db, db.target.schema);
}

async function makeSchema(db: Queries, schema: string): Promise<void> {
  // The name is checked when the configuration is read; SQL has no parameters for names.
  await db.execute({ text: `create schema if not exists ${schema}`, values: [] });
}

async function createLedger(db: Queries, schema: string): Promise<void> {
  await makeSchema(db, schema);
  await db.execute(sql`
    create table if not exists schema_migrations (
      version    integer primary key,
      name       text not null,
      sha256     text not null,
      applied_at timestamptz not null default now())`);
}

async function appliedMigrations(db: Queries): Promise<ReadonlyMap<number, string>> {
  const rows = await db.query<{ version: number; sha256: string }>(
    sql`select version, sha256 from schema_migrations`,
  );
  return new Map(rows.map(({ version, sha256 }) => [version, sha256]));
}

function refuseSurprises(known: readonly Migration[], applied: ReadonlyMap<number, string>): void {
  const newest = known.at(-1)?.version ?? 0;
  const ahead = Math.max(0, ...applied.keys());
  if (ahead > newest) {
    throw new AppError(
      "schema_too_new",
      `The database is at schema ${ahead}, this program knows only up to ${newest}. Start the newer version of Shelfwire that migrated it, or restore a backup.`,
    );
  }
  for (const { version, name, text } of known) {
    const sha256 = applied.get(version);
    if (sha256 !== undefined && sha256 !== hash("sha256", text)) {
      throw new AppError(
        "schema_too_new",
        `Migration ${name} differs from the one this database was made with. Released migrations never change: start the version that made it.`,
      );
    }
  }
}

async function apply(tx: Queries, { version, name, text }: Migration): Promise<void> {
  await tx.execute({ text, values: [] });
  await tx.execute(
    sql`insert into schema_migrations (version, name, sha256) values (${version}, ${name}, ${hash("sha256", text)})`,
  );
}
