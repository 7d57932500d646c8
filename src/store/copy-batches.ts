/** Writes rows in many short COPY statements: a single COPY from a slow producer would hold back vacuum. */
import { finished } from "node:stream/promises";
import { COPY_HEADER, COPY_TRAILER, type CopyValue, CopyWriter } from "./copy-binary.ts";
import type { Session } from "./db.ts";

const FLUSH_BYTES = 1 << 20;

/** Writes the batches. `statement` is a COPY … FROM STDIN in the binary format. */
export function copyBatches(session: Session, statement: string) {
  const writer = new CopyWriter();
  let total = 0;
  let current: Promise<void> = Promise.resolve();

  const write = async (batch: Uint8Array, onCopied?: () => void): Promise<void> => {
    const previous = current;
    const copy = previous.then(async () => copyBatch(session, statement, batch)).then(onCopied);
    // The next await reports the failure; until then it must not be an unhandled rejection.
    copy.catch(() => undefined);
    current = copy;
    await previous;
  };
  /**
   * Two buffers are enough: one is filled while the other one is sent. A new buffer per batch would be garbage that
   * only a full collection frees.
   */
  const flush = async (): Promise<void> => {
    const batch = writer.take();
    await write(batch, () => writer.release(batch));
  };

  /** Returns a promise only if a batch is flushed, because this function runs a million times per sync. */
  const ended = (): Promise<void> | undefined => {
    total += 1;
    return writer.bytes >= FLUSH_BYTES ? flush() : undefined;
  };

  return {
    row: (values: readonly CopyValue[]): Promise<void> | undefined => {
      writer.row(values);
      return ended();
    },
    /** `put` writes the values of one row. */
    add: <Row>(put: (row: Row, into: CopyWriter) => void, row: Row): Promise<void> | undefined => {
      put(row, writer);
      return ended();
    },
    /** Writes rows that are encoded already. */
    encoded: async (bytes: Uint8Array, count: number): Promise<void> => {
      total += count;
      await write(bytes);
    },
    /** Flushes the last batch and returns the number of rows. */
    end: async (): Promise<number> => {
      if (writer.rows > 0) await flush();
      await current;
      return total;
    },
  };
}

async function copyBatch(session: Session, statement: string, batch: Uint8Array): Promise<void> {
  const stream = session.copyIn(statement);
  stream.write(COPY_HEADER);
  stream.write(batch);
  stream.end(COPY_TRAILER);
  await finished(stream);
}
