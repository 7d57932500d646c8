/**
 * Where a source's items wait until the whole read is known to be good. A temporary table: it needs no log, nobody
 * else sees it, and it vanishes with the connection, so a crash leaves nothing to sweep.
 */
import { copyBatches } from "./copy-batches.ts";
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

const COPY_IN =
  "copy staged (position, id, sort_key, group_id, fingerprint, body) from stdin (format binary)";

export type Staging = {
  readonly add: (item: StagedItem) => Promise<void> | undefined;
  /** Stages the removal of an item by its id: a row without a fingerprint. */
  readonly remove: (position: number, id: string) => Promise<void> | undefined;
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
      fingerprint bytea,
      body        text)`);
  const rows = copyBatches(session, COPY_IN);

  return {
    add: ({ position, id, groupId, fingerprint, body }) =>
      rows.row([BigInt(position), id, groupId ?? id, groupId, Buffer.from(fingerprint, "hex"), body]),
    remove: (position, id) => rows.row([BigInt(position), id, id, null, null, null]),
    seal: async () => {
      const total = await rows.end();
      await session.execute(sql`analyze staged`);
      return total;
    },
  };
}
