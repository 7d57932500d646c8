/** Byte sinks with back-pressure and a count: straight to a file, or through a compressor first. */
import { once } from "node:events";
import type { WriteStream } from "node:fs";
import type { Writable } from "node:stream";
import { finished, pipeline } from "node:stream/promises";
import { constants, createGzip, createZstdCompress } from "node:zlib";

export type ByteSink = {
  readonly write: (chunk: Buffer) => Promise<void>;
  /** Resolves with the number of bytes in the file once they are on disk. */
  readonly end: () => Promise<number>;
  /** Gives the file up where it stands, and resolves once it is closed. Harmless after `end`. */
  readonly drop: () => Promise<void>;
};

export function plainSink(file: WriteStream): ByteSink {
  return sinkInto(file, file, finished(file));
}

/** The fastest level of each: feeds are mostly repetition, and a higher level costs more than it saves. */
export function compressedSink(encoding: "gzip" | "zstd", file: WriteStream): ByteSink {
  const compressor =
    encoding === "gzip"
      ? createGzip({ level: 1, chunkSize: 64 * 1024 })
      : createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: 1 } });
  return sinkInto(compressor, file, pipeline(compressor, file));
}

function sinkInto(entry: Writable, file: WriteStream, done: Promise<void>): ByteSink {
  // A failure is heard by whoever writes or ends next; until then it must not count as unhandled.
  let failure: unknown = null;
  done.catch((error: unknown) => {
    failure = error ?? new Error("the file was closed");
  });
  return {
    write: async (chunk) => {
      if (failure !== null) await done;
      if (!entry.write(chunk)) await Promise.race([once(entry, "drain"), done]);
    },
    end: async () => {
      entry.end();
      await done;
      return file.bytesWritten;
    },
    drop: async () => {
      entry.destroy();
      file.destroy();
      await finished(file).catch(() => undefined);
    },
  };
}
