/** Reads a file that was fetched: its events, and the end of the read if the file is complete. */
import { AppError } from "../../errors.ts";
import type { FileEnding, SourceEvent, SourceSettings } from "../source.ts";
import type { Fetched } from "./fetch.ts";
import { type FileReading, openFeedFile, readFeedFile } from "./read-file.ts";

export type FetchedFile = Extract<Fetched, { kind: "file" }>;

/** Each chunk of text gives one batch of events. */
export type EventBatches = AsyncGenerator<readonly SourceEvent[], void, void>;

export async function* readFetched(
  file: FetchedFile,
  settings: SourceSettings,
  reading: Pick<FileReading, "limits" | "currency" | "language">,
): EventBatches {
  if (file.bytes === 0) {
    throw new AppError(
      "source_not_a_feed",
      "The address returned a file of zero bytes. Check the export that writes the file.",
    );
  }
  let ending: FileEnding | undefined;
  const onEnding = (found: FileEnding): void => {
    ending = found;
  };
  const opened = openFeedFile(file, { ...reading, settings });
  yield* readFeedFile(opened, settings, { ...reading, origin: "The address returned", onEnding });
  if (file.isWhole) yield [{ kind: "end", validators: file.validators, expected: null, ending }];
}
