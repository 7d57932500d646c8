/** A file that gets its bytes in batches: written here, or on a thread (`write-threads.ts`). */
import { type FileBatch, type FileOptions, FileWriter, type WrittenFile } from "./file-writer.ts";
import type { SegmentList } from "./segments.ts";

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

/** `list`: of the previous file. */
export type OpenFile = (options: FileOptions, events: FileEvents, list?: SegmentList) => SentFile;

/** Each batch is written when it is sent. */
export const openHere: OpenFile = (options, { onApplied, onFailed }, list) => {
  const writer = new FileWriter(options, list);
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
