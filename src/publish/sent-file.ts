/** A file that gets its bytes in batches: written here, or on a thread (`write-threads.ts`). */
import { type FileBatch, type FileOptions, FileWriter, type WrittenFile } from "./file-writer.ts";
import type { PreviousFile } from "./previous-file.ts";

export type SentFile = {
  /** Gives the buffer of the batch away; `onApplied` returns it. */
  readonly send: (batch: FileBatch) => void;
  readonly finish: () => Promise<WrittenFile>;
  /** Harmless if it is closed. */
  readonly close: () => Promise<void>;
};

export type FileEvents = {
  readonly onApplied: (bytes: Uint8Array) => void;
  readonly onFailed: (error: unknown) => void;
};

/** `previous`: the previous file, if it has been opened already. */
export type OpenFile = (options: FileOptions, events: FileEvents, previous?: PreviousFile) => SentFile;

/** Each batch is written when it is sent. */
export const openHere: OpenFile = (options, { onApplied, onFailed }, previous) => {
  const writer = new FileWriter(options, previous);
  return {
    send: (batch) => {
      try {
        writer.apply(batch);
        onApplied(batch.bytes);
      } catch (error) {
        onFailed(error);
      }
    },
    finish: async () => writer.finish(),
    close: async () => writer.close(),
  };
};
