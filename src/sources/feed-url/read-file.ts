/**
 * A file with a feed, wherever it comes from, to events: unpack, decode, recognize the format, read the records,
 * assign positions. Each step pulls from the one before it, so only a few chunks of the file are in memory.
 */
import { decodeText } from "../../lib/formats/decode-text.ts";
import type { DetectedEncoding } from "../../lib/formats/detect-encoding.ts";
import { surveyEncoding } from "../../lib/formats/encoding-survey.ts";
import { unpackFile } from "../../lib/formats/decompress.ts";
import { FormatError } from "../../lib/formats/format-error.ts";
import { surveyDecimalMark } from "../product-record/price-marks.ts";
import { type FileEnding, type RecordResult, type SourceSettings, sourceWarning } from "../source.ts";
import { type EventOptions, eventStage, type FileEvent } from "./events.ts";
import type { FeedPass } from "./feed-reader.ts";
import { feedPasses, SNIFF_CHARS } from "./format.ts";
import type { FeedLimits } from "./limits.ts";
import { decimalMarkSetting, fileColumns, formatSetting } from "./settings.ts";

export type DownloadedFile = {
  readonly path: string;
  /** False for a sample: the file ends in the middle. */
  readonly isWhole: boolean;
  /** The Content-Encoding and the charset that its sender declared. */
  readonly coding: string | null;
  readonly charset: string | null;
};

export type OpenFeedFile = DownloadedFile & {
  /** The unpacked and decoded text, from the beginning at every call. */
  readonly texts: () => AsyncGenerator<string, void, void>;
  /** Warnings about the encoding, once the text was read. */
  readonly notes: () => readonly FileEvent[];
};

type OpenFileOptions = Pick<FileReading, "limits" | "currency" | "language"> & {
  readonly settings: SourceSettings;
};

export function openFeedFile(file: DownloadedFile, opening: OpenFileOptions): OpenFeedFile {
  const notes = encodingNotes();
  return { ...file, texts: () => feedText(file, opening, notes), notes: notes.events };
}

export type FileReading = {
  /** Where the file comes from: the beginning of a message. */
  readonly origin: "The address returned" | "The body is";
  /** Whether rows may change some fields of items that are stored already, so that a title is not required. */
  readonly mayChangeFields?: boolean;
  /** Gets the kind of file, in words. */
  readonly onFormat?: (format: string) => void;
  /** Gets how the text ended, if its format does not notice a missing end. */
  readonly onEnding?: (ending: FileEnding) => void;
  /** The currency of prices that name none. */
  readonly currency?: string | undefined;
  /** The catalog's language, which decides between texts in several languages. */
  readonly language?: string | undefined;
  readonly limits: FeedLimits;
};

type Batches = AsyncGenerator<readonly FileEvent[], void, void>;

export async function* readFeedFile(
  file: OpenFeedFile,
  settings: SourceSettings,
  { origin, mayChangeFields = false, onFormat, onEnding, currency, language, limits }: FileReading,
): Batches {
  const options = {
    url: settings["url"] ?? "",
    format: formatSetting(settings),
    storeUrl: settings["store_url"],
    columns: { ...fileColumns(settings), language },
    decimalMark: decimalMarkSetting(settings),
    currency,
    scratch: `${file.path}.products`,
    origin,
    mayChangeFields,
    limits,
  };
  for (const pass of feedPasses(await firstText(file), options)) {
    onFormat?.(pass.reader.format);
    yield* readPass(pass, file, options);
    if (pass.reader.ending !== undefined) onEnding?.(pass.reader.ending());
  }
  yield file.notes();
}

async function* readPass(
  pass: FeedPass,
  { texts, isWhole }: OpenFeedFile,
  { storeUrl, mayChangeFields, decimalMark, currency }: FilePassOptions,
): Batches {
  const { reader, makeReader, defaultDecimalMark } = pass;
  const stage = eventStage({ ...pass, storeUrl, mayChangeFields, decimalMark, currency });
  const events = async function* (readings: readonly RecordResult[]): Batches {
    if (makeReader !== undefined && stage.needsMark(readings)) {
      const survey = { texts, isWhole, currency, defaultDecimalMark, reader: makeReader() };
      stage.setMark(yield* surveyDecimalMark(survey));
    }
    yield stage.push(readings);
  };
  for await (const text of texts()) yield* events(reader.push(text));
  // A sample ends in the middle of an item, which is then left out; a whole file has to end properly.
  if (isWhole) yield* events(reader.end());
  yield stage.end();
}

type FilePassOptions = Pick<EventOptions, "storeUrl" | "mayChangeFields" | "decimalMark" | "currency">;

function feedText(
  file: DownloadedFile,
  { limits, currency, language, settings }: OpenFileOptions,
  notes: EncodingNotes,
): AsyncGenerator<string, void, void> {
  const bytes = (): AsyncGenerator<Uint8Array, void, void> => {
    const unpacked = unpackFile(file.path, {
      limits: {
        maxBytes: limits.maxUnpackedBytes,
        maxRatio: limits.maxUnpackRatio,
        ratioFromBytes: limits.ratioFromBytes,
      },
      coding: file.coding,
    });
    return file.isWhole ? unpacked : untilCut(unpacked);
  };
  return decodeText(bytes(), {
    declared: file.charset,
    set: settings["encoding"] ?? null,
    hints: { currency, language },
    survey: () => surveyEncoding(bytes()),
    onGuess: notes.guessed,
  });
}

/** The bytes of a sample: where the packing is cut, they simply end. */
async function* untilCut(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
  try {
    yield* bytes;
  } catch (error) {
    if (!(error instanceof FormatError && error.kind === "truncated")) throw error;
  }
}

/** The beginning of the text: enough to recognize the format by. */
export async function firstText({ texts }: Pick<OpenFeedFile, "texts">): Promise<string> {
  let head = "";
  for await (const text of texts()) {
    head += text;
    if (head.length >= SNIFF_CHARS) break;
  }
  return head;
}

/** The warning about a guessed encoding, once for each file however often it is opened. */
type EncodingNotes = {
  readonly guessed: (guess: DetectedEncoding | null) => void;
  readonly events: () => readonly FileEvent[];
};

function encodingNotes(): EncodingNotes {
  let note: FileEvent | undefined;
  return {
    guessed: (guess) => {
      note = noteOf(guess);
    },
    events: () => (note === undefined ? [] : [note]),
  };
}

function noteOf(guess: DetectedEncoding | null): FileEvent {
  if (guess === null)
    return sourceWarning(
      "encoding_guessed",
      "The file is UTF-8 with some invalid bytes; those became replacement characters. Export the file as UTF-8.",
    );
  const { encoding, example, other } = guess;
  const beginning = "The file does not say its encoding, and it is not UTF-8.";
  if (other === null)
    return sourceWarning(
      "encoding_guessed",
      `${beginning} It was read as ${encoding}: "${example}". If letters are wrong, set encoding, or export the file as UTF-8.`,
    );
  return sourceWarning(
    "encoding_uncertain",
    `${beginning} Its letters suit two encodings: "${example}" (${encoding}) and "${other.example}" (${other.encoding}). It was read as ${encoding}. Set encoding to the right one, or export the file as UTF-8.`,
  );
}
