/**
 * One read of a feed, from the request to the last item: fetch, unpack, decode, tell the format, read, number. Each
 * step pulls from the one before it, so the file passes through a few chunks of memory at the reader's pace.
 */
import { AppError } from "../../errors.ts";
import { decodeText, utf8Evidence } from "../../lib/formats/decode-text.ts";
import { unpackFile } from "../../lib/formats/decompress.ts";
import { FormatError } from "../../lib/formats/format-error.ts";
import { toSourceError } from "../failure.ts";
import type { ReadContext, SourceEvent, SourceSettings } from "../source.ts";
import { eventStage } from "./events.ts";
import { type Fetched, fetchFeed } from "./fetch.ts";
import type { Chosen } from "./feed-reader.ts";
import { chooseReader } from "./format.ts";
import type { FeedLimits } from "./limits.ts";
import { type EncodingNotes, encodingNotes } from "./encoding-notes.ts";
import { fileColumns, formatSetting } from "./settings.ts";
import { SNIFF_CHARS } from "./sniff.ts";

type FeedFile = Extract<Fetched, { kind: "file" }>;

/**
 * Events go through the stages in batches, one a chunk of text: a generator's step for each event would cost more
 * than reading it does.
 */
type Batches = AsyncGenerator<readonly SourceEvent[], void, void>;

export async function* readFeed(
  settings: SourceSettings,
  context: ReadContext,
  limits: FeedLimits,
): AsyncGenerator<SourceEvent, void, void> {
  try {
    for await (const batch of fetchAndRead(settings, context, limits)) {
      context.signal.throwIfAborted();
      for (const event of batch) {
        context.signal.throwIfAborted();
        yield event;
      }
    }
  } catch (error) {
    throw toSourceError(error);
  }
}

async function* fetchAndRead(settings: SourceSettings, context: ReadContext, limits: FeedLimits): Batches {
  const fetched = await fetchFeed(settings, context, limits);
  if (fetched.kind === "unchanged") yield [{ kind: "unchanged", validators: fetched.validators }];
  else yield* readFile(fetched, settings, limits);
}

async function* readFile(file: FeedFile, settings: SourceSettings, limits: FeedLimits): Batches {
  if (file.bytes === 0) {
    throw new AppError("source_not_a_feed", "The address returned nothing: a file of zero bytes.");
  }
  const notes = encodingNotes();
  const open = (): AsyncGenerator<string, void, void> => feedText(file, limits, notes);
  const first = chooseReader(await firstText(open()), {
    url: settings["url"] ?? "",
    format: formatSetting(settings),
    storeUrl: settings["store_url"],
    columns: fileColumns(settings),
    scratch: `${file.path}.products`,
    limits,
  });
  try {
    for (let chosen: Chosen | null = first; chosen !== null; chosen = chosen.after()) {
      yield* readWith(chosen, open(), { isWhole: file.isWhole, storeUrl: settings["store_url"] });
    }
  } finally {
    first.close();
  }
  yield notes.events();
  if (file.isWhole) yield [{ kind: "end", validators: file.validators, expected: null }];
}

async function* readWith(
  { reader, usualMark, needsPrices }: Chosen,
  texts: AsyncGenerator<string, void, void>,
  { isWhole, storeUrl }: { readonly isWhole: boolean; readonly storeUrl: string | undefined },
): Batches {
  const stage = eventStage({ reader, usualMark, needsPrices, storeUrl });
  for await (const text of texts) yield stage.push(reader.push(text));
  // A sample ends in the middle of an item, which is then left out; a whole file has to end properly.
  if (isWhole) yield stage.push(reader.end());
  yield stage.end();
}

function feedText(
  file: FeedFile,
  limits: FeedLimits,
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
    survey: () => utf8Evidence(bytes()),
    onEncoding: notes.heard,
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

async function firstText(texts: AsyncGenerator<string, void, void>): Promise<string> {
  let head = "";
  for await (const text of texts) {
    head += text;
    if (head.length >= SNIFF_CHARS) break;
  }
  return head;
}
