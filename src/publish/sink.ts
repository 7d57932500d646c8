/** Byte sinks with back-pressure and a byte count: to a file, or through a compressor. */
import { once } from "node:events";
import type { WriteStream } from "node:fs";
import type { Writable } from "node:stream";
import { finished, pipeline } from "node:stream/promises";
import { constants, createGzip, createZstdCompress } from "node:zlib";

export function plainSink(file: WriteStream) {
  return sinkInto(file, file, finished(file));
}

/** The fastest level: feeds are repetitive, and a higher level costs more than it saves. */
export function compressedSink(encoding: "gzip" | "zstd", file: WriteStream) {
  const compressor =
    encoding === "gzip"
      ? createGzip({ level: 1, chunkSize: 64 * 1024 })
      : createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: 1 } });
  return sinkInto(compressor, file, pipeline(compressor, file));
}

function sinkInto(entry: Writable, file: WriteStream, done: Promise<void>) {
  // The next `write` or `end` reports a failure; until then it must not be an unhandled rejection.
  let failure: unknown = null;
  done.catch((error: unknown) => {
    failure = error ?? new Error("the file was closed");
  });
  return {
    write: async (chunk: Buffer): Promise<void> => {
      if (failure !== null) await done;
      if (!entry.write(chunk)) await Promise.race([once(entry, "drain"), done]);
    },
    /** Resolves with the number of bytes in the file once they are on disk. */
    end: async (): Promise<number> => {
      entry.end();
      await done;
      return file.bytesWritten;
    },
    /** Closes the file without finishing it. Harmless after `end`. */
    drop: async (): Promise<void> => {
      entry.destroy();
      file.destroy();
      await finished(file).catch(() => undefined);
    },
  };
}
