/**
 * Rows into a table by COPY, in many short ones: a single COPY over a slow producer would hold back vacuum for as
 * long as the producer takes. At most one COPY is under way; the next batch is filled meanwhile, and waits for it.
 */
import { finished } from "node:stream/promises";
import { COPY_HEADER, COPY_TRAILER, CopyWriter } from "./copy-binary.ts";
import type { CopyValue } from "./copy-binary.ts";
import type { Session } from "./db.ts";

/** Enough to make the cost of a statement vanish, little enough to stay out of the way of memory. */
const FLUSH_BYTES = 1 << 20;

export type CopyBatches = {
  /** A promise only when the database must catch up: this runs a million times. */
  readonly row: (values: readonly CopyValue[]) => Promise<void> | undefined;
  /** Writes out what is left; says how many rows there were. */
  readonly end: () => Promise<number>;
};

/** `statement` is a COPY … FROM STDIN in the binary format. */
export function copyBatches(session: Session, statement: string): CopyBatches {
  const writer = new CopyWriter();
  let total = 0;
  let underWay: Promise<void> = Promise.resolve();

  const flush = async (): Promise<void> => {
    const previous = underWay;
    const batch = writer.take();
    const copy = previous.then(async () => copyBatch(session, statement, batch));
    // Whoever awaits next hears of the failure; until then it must not count as unhandled.
    copy.catch(() => undefined);
    underWay = copy;
    await previous;
  };

  return {
    row: (values) => {
      writer.row(values);
      total += 1;
      return writer.bytes >= FLUSH_BYTES ? flush() : undefined;
    },
    end: async () => {
      if (writer.rows > 0) await flush();
      await underWay;
      return total;
    },
  };
}

async function copyBatch(session: Session, statement: string, batch: Buffer): Promise<void> {
  const stream = session.copyIn(statement);
  stream.write(COPY_HEADER);
  stream.write(batch);
  stream.end(COPY_TRAILER);
  await finished(stream);
}
