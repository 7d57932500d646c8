/**
 * Holds the items of a source until the read is complete. It is a temporary table: it needs no write-ahead log and is
 * dropped with the connection, so a crash leaves nothing behind. The next sync on the connection empties it, which
 * takes a third of the time of a new one.
 */
import { RepeatDetector } from "../lib/repeat-detector.ts";
import { copyBatches } from "./copy-batches.ts";
import type { CopyWriter } from "./copy-binary.ts";
import type { Session } from "./db.ts";
import { sql } from "./sql.ts";

export type StagedItem = {
  readonly position: number;
  readonly id: string;
  readonly groupId: string | null;
  /** Hexadecimal. */
  readonly fingerprint: string;
  readonly body: string;
  /** Of the row that the item was read from, if the item stays the same as long as the row does. Hexadecimal. */
  readonly rowHash?: string | null;
  /** The shop's product that it belongs to, if the source names it. */
  readonly productKey?: string | null;
};

const COPY_IN =
  "copy staged (position, id, sort_key, group_id, fingerprint, body, row_hash, product_key) from stdin (format binary)";

export type Staging = Awaited<ReturnType<typeof openStaging>>;

/** Rows of `writeStaged` in the format of COPY, with the hashes of their ids (`hashText`). */
export type EncodedRows = {
  readonly bytes: Uint8Array;
  readonly count: number;
  readonly idHashes: Uint32Array;
};

/** The values in the order of `COPY_IN`. */
export function writeStaged(
  { position, id, groupId, fingerprint, body, rowHash = null, productKey = null }: StagedItem,
  into: CopyWriter,
): void {
  into.beginRow(8);
  into.int8(position);
  into.text(id);
  into.text(groupId ?? id);
  into.text(groupId);
  into.hex(fingerprint);
  into.text(body);
  into.hex(rowHash);
  into.text(productKey);
}

type StagedRemoval = Pick<StagedItem, "position" | "id">;

/** A row without a fingerprint. */
function writeRemoval({ position, id }: StagedRemoval, into: CopyWriter): void {
  into.beginRow(8);
  into.int8(position);
  into.text(id);
  into.text(id);
  for (let empty = 0; empty < 5; empty += 1) into.text(null);
}

/** What a merge need not ask the table for: every pass over it costs as much as a tenth of filling it. */
export type StagedCounts = {
  readonly rows: number;
  /** False: no two rows have the same id. */
  readonly mayRepeat: boolean;
};

export async function openStaging(session: Session) {
  // The index is the one of `prepareMerge`.
  await session.execute(sql`
    create temporary table if not exists staged (
      position    bigint not null,
      id          text collate "C" not null,
      sort_key    text collate "C" not null,
      group_id    text collate "C",
      fingerprint bytea,
      body        text,
      row_hash    bytea,
      product_key text collate "C");
    drop index if exists pg_temp.staged_by_id;
    truncate staged`);
  const rows = copyBatches(session, COPY_IN);
  const ids = new RepeatDetector();

  return {
    add: (item: StagedItem) => {
      ids.add(item.id);
      return rows.add(writeStaged, item);
    },
    /** Adds rows that another thread has encoded. */
    addEncoded: async ({ bytes, count, idHashes }: EncodedRows): Promise<void> => {
      ids.addHashes(idHashes);
      await rows.encoded(bytes, count);
    },
    /** Stages the removal of an item. */
    remove: (position: number, id: string) => {
      ids.add(id);
      return rows.add(writeRemoval, { position, id });
    },
    /** Writes the last batch. */
    finish: async (): Promise<StagedCounts> => ({ rows: await rows.end(), mayRepeat: ids.mayRepeat }),
  };
}
