/**
 * Holds the items of a source until the read is complete. It is a temporary table: it needs no write-ahead log and is dropped with
 * the connection, so a crash leaves nothing behind.
 */
import { RepeatDetector } from "../lib/repeat-detector.ts";
import { copyBatches } from "./copy-batches.ts";
import type { CopyValue } from "./copy-binary.ts";
import type { Session } from "./db.ts";
import { sql } from "./sql.ts";

export type StagedItem = {
  readonly position: number;
  readonly id: string;
  readonly groupId: string | null;
  /** Hexadecimal. */
  readonly fingerprint: string;
  readonly body: string;
  /** Of the row that the item was read from, if the item stays the same as long as the row does. */
  readonly rowHash?: Uint8Array | null;
  /** The shop's product that it belongs to, if the source names it. */
  readonly productKey?: string | null;
};

const COPY_IN =
  "copy staged (position, id, sort_key, group_id, fingerprint, body, row_hash, product_key) from stdin (format binary)";

export type Staging = Awaited<ReturnType<typeof openStaging>>;

/** Rows of `stagedValues` in the format of COPY, with the hashes of their ids (`writeHash`). */
export type EncodedRows = {
  readonly bytes: Uint8Array;
  readonly count: number;
  readonly idHashes: Uint32Array;
};

export const stagedValues = ({
  position,
  id,
  groupId,
  fingerprint,
  body,
  rowHash = null,
  productKey = null,
}: StagedItem): readonly CopyValue[] => [
  BigInt(position),
  id,
  groupId ?? id,
  groupId,
  Buffer.from(fingerprint, "hex"),
  body,
  rowHash,
  productKey,
];

/** What a merge need not ask the table for: every pass over it costs as much as a tenth of filling it. */
export type StagedCounts = {
  readonly rows: number;
  /** False: no two rows have the same id. */
  readonly mayRepeat: boolean;
};

export async function openStaging(session: Session) {
  await session.execute(sql`drop table if exists staged`);
  await session.execute(sql`
    create temporary table staged (
      position    bigint not null,
      id          text collate "C" not null,
      sort_key    text collate "C" not null,
      group_id    text collate "C",
      fingerprint bytea,
      body        text,
      row_hash    bytea,
      product_key text collate "C")`);
  const rows = copyBatches(session, COPY_IN);
  const ids = new RepeatDetector();

  return {
    add: (item: StagedItem) => {
      ids.add(item.id);
      return rows.row(stagedValues(item));
    },
    /** Adds rows that another thread has encoded. */
    addEncoded: async ({ bytes, count, idHashes }: EncodedRows): Promise<void> => {
      ids.addHashes(idHashes);
      await rows.encoded(bytes, count);
    },
    /** Stages the removal of an item: a row without a fingerprint. */
    remove: (position: number, id: string) => {
      ids.add(id);
      return rows.row([BigInt(position), id, id, null, null, null, null, null]);
    },
    /** Writes the last batch. */
    finish: async (): Promise<StagedCounts> => ({ rows: await rows.end(), mayRepeat: ids.mayRepeat }),
  };
}
