/** Handles `shelfwire … | head`: a reader of our output may stop reading. */
import { CLOSED_PIPE } from "./exit.ts";

type Stream = { readonly on: (event: "error", listener: (error: NodeJS.ErrnoException) => void) => unknown };

export type ClosedPipes = {
  /** For a service: a log without a reader, or on a full disk, does not stop it. */
  readonly outliveReaders: () => void;
};

/** Exits without a message when the reader of a stream is gone. */
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
