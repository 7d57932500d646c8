/** What is to be said about a file's encoding, once a file however often it is opened. */
import type { FileEvent } from "./events.ts";

export type EncodingNotes = {
  readonly heard: (encoding: string) => void;
  readonly events: () => readonly FileEvent[];
};

const MESSAGES: Readonly<Record<string, string>> = {
  "windows-1252": "The file is not UTF-8; it was read as Windows-1252.",
  "utf-8 with invalid bytes":
    "The file is UTF-8 with some invalid bytes; those were read as replacement characters.",
};

export function encodingNotes(): EncodingNotes {
  let message: string | undefined;
  return {
    heard: (encoding) => {
      message = MESSAGES[encoding] ?? message;
    },
    events: () => {
      if (message === undefined) return [];
      const about = { itemId: null, position: null, field: null };
      return [{ kind: "warning", warning: { ...about, code: "encoding_guessed", message } }];
    },
  };
}
