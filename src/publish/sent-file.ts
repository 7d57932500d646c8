/** A file that gets its bytes in batches: written here, or on a thread (`write-threads.ts`). */
import { type FileBatch, type FileOptions, FileWriter, type WrittenFile } from "./file-writer.ts";

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

export type OpenFile = (options: FileOptions, events: FileEvents) => SentFile;

/** Each batch is written when it is sent. */
export const openHere: OpenFile = (options, { onApplied, onFailed }) => {
  const writer = new FileWriter(options);
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
