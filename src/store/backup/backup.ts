/**
 * Writes a snapshot of all data to one file while the service runs. The file gets its name only when it is complete.
 */
import { randomBytes } from "node:crypto";
import { link, open, rename, rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { AppError } from "../../errors.ts";
import type { Db, Session } from "../db.ts";
import { type AppliedMigration, listApplied } from "../migrate.ts";
import { compressor, frame, jsonFrame, MAGIC } from "./archive.ts";
import { columnList, listSequences, listTables, quoted, type SequenceValue } from "./schema.ts";
import { NEWLINE } from "../../lib/char-codes.ts";

export type BackupHead = {
  readonly created_at: string;
  readonly migrations: readonly AppliedMigration[];
  readonly sequences: readonly SequenceValue[];
  /** Data of the caller, such as a check of the key. */
  readonly notes: Readonly<Record<string, string>>;
};

export type BackupOptions = {
  readonly path: string;
  readonly notes: BackupHead["notes"];
  /** Whether an existing file may be replaced. */
  readonly overwrite: boolean;
};

export type BackupRowCounts = Readonly<Record<string, number>>;

export async function writeBackup(
  db: Db,
  { path, notes, overwrite }: BackupOptions,
): Promise<BackupRowCounts> {
  const partial = `${path}.${randomBytes(6).toString("hex")}.partial`;
  const counts: Record<string, number> = {};
  try {
    // The file is readable only by its owner, because it contains secrets. It is opened before the session, so that a
    // file error is not mistaken for a lost connection.
    const handle = await open(partial, "wx", 0o600);
    const file = handle.createWriteStream({ flush: true });
    await db.session(async (session) =>
      session.snapshot(async () => {
        file.write(MAGIC);
        await pipeline(Readable.from(contents(session, notes, counts)), compressor(), file);
      }),
    );
    if (overwrite) await rename(partial, path);
    else await link(partial, path);
  } catch (error) {
    throw explained(error, path);
  } finally {
    await rm(partial, { force: true });
  }
  return counts;
}

const REASONS: Readonly<Record<string, string>> = {
  EEXIST: "The file already exists. Use another name, or --force to replace it",
  ENOENT: "The folder does not exist",
  EACCES: "The folder cannot be written to",
  EROFS: "The folder cannot be written to",
  EISDIR: "It is a folder. Name a file",
};

function explained(error: unknown, path: string): unknown {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (code === "ENOSPC")
    return new AppError("disk_full", `The disk is full: ${path} was not written.`, { cause: error });
  const reason = REASONS[code];
  return reason === undefined
    ? error
    : new AppError("invalid_request", `${path} cannot be written. ${reason}.`, { cause: error });
}

async function* contents(
  session: Session,
  notes: BackupHead["notes"],
  counts: Record<string, number>,
): AsyncGenerator<Buffer, void, void> {
  const head: BackupHead = {
    created_at: new Date().toISOString(),
    migrations: await listApplied(session),
    sequences: await listSequences(session),
    notes,
  };
  yield jsonFrame("head", head);
  for (const shape of await listTables(session)) {
    yield jsonFrame("table", shape);
    let rows = 0;
    // Rows are copied as text, which every PostgreSQL version reads.
    const copy = session.copyOut(`copy ${quoted(shape.table)} (${columnList(shape)}) to stdout`);
    for await (const bytes of batched(copy as AsyncIterable<Buffer>)) {
      rows += linesIn(bytes);
      yield frame("data", bytes);
    }
    counts[shape.table] = rows;
    yield jsonFrame("rows", { rows });
  }
  yield frame("end");
}

const BATCH_BYTES = 256 * 1024;

/** Joins rows into frames of 256 KB, because COPY sends one row at a time and small frames cost more. */
async function* batched(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, void> {
  let [batch, size]: [Buffer[], number] = [[], 0];
  for await (const chunk of chunks) {
    batch.push(chunk);
    size += chunk.length;
    if (size < BATCH_BYTES) continue;
    yield Buffer.concat(batch);
    [batch, size] = [[], 0];
  }
  if (size > 0) yield Buffer.concat(batch);
}

/** In COPY's text format every line break ends a row. */
export function linesIn(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) count += 1;
  return count;
}
