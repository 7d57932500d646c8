/**
 * `shelfwire … | head`: whoever reads our output may stop reading. Every command writes through these two streams, so
 * this is the one place that deals with it.
 */
import { CLOSED_PIPE } from "./exit.ts";

type Stream = { readonly on: (event: "error", listener: (error: NodeJS.ErrnoException) => void) => unknown };

export type ClosedPipes = {
  /** For a service: a log without a reader, or on a full disk, is no reason to stop serving. */
  readonly outliveReaders: () => void;
};

/** Ends the program without a word when a stream's reader is gone, with the status a shell knows for that. */
export function exitOnClosedPipe(streams: readonly Stream[], exit: (status: number) => void): ClosedPipes {
  let isService = false;
  for (const stream of streams)
    stream.on("error", (error) => {
      if (isService) return;
      if (error.code !== "EPIPE") throw error;
      exit(CLOSED_PIPE);
    });
  return {
    outliveReaders: () => {
      isService = true;
    },
  };
}
