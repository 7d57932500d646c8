/**
 * Where a source's items wait until the whole read is known to be good. A temporary table: it needs no log, nobody
 * else sees it, and it vanishes with the connection, so a crash leaves nothing to sweep. Rows go in by COPY, in
 * many short ones: a single COPY over a slow read would hold back vacuum for as long as the shop takes to answer.
 */
import { finished } from "node:stream/promises";
import { COPY_HEADER, COPY_TRAILER, CopyWriter } from "./copy-binary.ts";
import type { Session } from "./db.ts";
import { sql } from "./sql.ts";

export type StagedItem = {
  readonly position: number;
  readonly id: string;
  readonly groupId: string | null;
  /** Hexadecimal. */
  readonly fingerprint: string;
  readonly body: string;
};

/** Enough to make the cost of a statement vanish, little enough to stay out of the way of memory. */
const FLUSH_BYTES = 1 << 20;

const COPY_IN =
  "copy staged (position, id, sort_key, group_id, fingerprint, body) from stdin (format binary)";

export type Staging = {
  readonly add: (item: StagedItem) => Promise<void> | undefined;
  /** Writes out what is left and readies the table for the merge; says how many rows it holds. */
  readonly seal: () => Promise<number>;
};

export async function openStaging(session: Session): Promise<Staging> {
  await session.execute(sql`drop table if exists staged`);
  await session.execute(sql`
    create temporary table staged (
      position    bigint not null,
      id          text collate "C" not null,
      sort_key    text collate "C" not null,
      group_id    text collate "C",
      fingerprint bytea not null,
      body        text not null)`);
  const writer = new CopyWriter();
  let total = 0;
  /** At most one COPY is under way: the next batch is filled meanwhile, and waits for it. */
  let underWay: Promise<void> = Promise.resolve();

  const flush = async (): Promise<void> => {
    const previous = underWay;
    const batch = writer.take();
    const copy = previous.then(async () => copyBatch(session, batch));
    // Whoever awaits next hears of the failure; until then it must not count as unhandled.
    copy.catch(() => undefined);
    underWay = copy;
    await previous;
  };

  return {
    add: ({ position, id, groupId, fingerprint, body }) => {
      writer.row([BigInt(position), id, groupId ?? id, groupId, Buffer.from(fingerprint, "hex"), body]);
      total += 1;
      return writer.bytes >= FLUSH_BYTES ? flush() : undefined;
    },
    seal: async () => {
      if (writer.rows > 0) await flush();
      await underWay;
      await session.execute(sql`analyze staged`);
      return total;
    },
  };
}

async function copyBatch(session: Session, batch: Buffer): Promise<void> {
  const stream = session.copyIn(COPY_IN);
  stream.write(COPY_HEADER);
  stream.write(batch);
  stream.end(COPY_TRAILER);
  await finished(stream);
}
