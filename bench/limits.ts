/**
 * The limits of the machine, measured with the same rows in the same PostgreSQL: COPY into a plain table, COPY out of
 * it, and a plain write of as many bytes as a render writes. Ratios to these are comparable on a machine whose speed
 * changes; seconds are not.
 */
import { randomBytes } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Db } from "../src/store/db.ts";
import { sql } from "../src/store/sql.ts";
import type { Running } from "./cycle.ts";
import { type Cpu, cpuBetween } from "./processes.ts";

export type Limit = { readonly wallMs: number; readonly cpu: Cpu | null };
export type Limits = { readonly copyIn: Limit; readonly copyOut: Limit; readonly write: Limit };

/** Uses the rows that `items` has now. */
export async function measureLimits(
  { system: { db }, processes, dir }: Running & { readonly dir: string },
  writtenBytes: number,
): Promise<Limits> {
  const timed = async (work: () => Promise<void>): Promise<Limit> => {
    const before = await processes.cpu();
    const began = performance.now();
    await work();
    const wallMs = performance.now() - began;
    return { wallMs, cpu: cpuBetween(before, await processes.cpu()) };
  };
  const rows = join(dir, "rows.copy");
  await db.session(async (session) => {
    await pipeline(session.copyOut("copy items to stdout (format binary)"), createWriteStream(rows));
  });
  // Without keys and indexes, which would slow the load down.
  await db.execute(sql`create table copied (like items)`);
  try {
    return {
      copyIn: await timed(async () => copyIn(db, rows)),
      copyOut: await timed(async () => copyOut(db)),
      write: await timed(async () => writeBytes(join(dir, "written"), writtenBytes)),
    };
  } finally {
    await db.execute(sql`drop table copied`);
    await rm(rows);
  }
}

async function copyIn(db: Db, path: string): Promise<void> {
  await db.session(async (session) => {
    const source = createReadStream(path, { highWaterMark: 256 * 1024 });
    await pipeline(source, session.copyIn("copy copied from stdin (format binary)"));
  });
}

async function copyOut(db: Db): Promise<void> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  await db.session(async (session) => {
    await pipeline(session.copyOut("copy copied to stdout (format binary)"), nowhere);
  });
}

/** Writes incompressible bytes and syncs them to disk. */
async function writeBytes(path: string, bytes: number): Promise<void> {
  const chunk = randomBytes(1 << 20);
  const file = await open(path, "w");
  try {
    for (let left = bytes; left > 0; left -= chunk.length)
      await file.write(chunk, 0, Math.min(left, chunk.length));
    await file.sync();
  } finally {
    await file.close();
    await rm(path);
  }
}
