/** The connector for feed URLs: any URL that serves a product feed in a known format. The file is fetched whole, then read. */
import { AppError } from "../../errors.ts";
import { toSourceError } from "../kit/failure.ts";
import { limitsFor } from "../kit/retry.ts";
import type { Connector, FileEnding, ReadContext, SourceEvent, SourceSettings } from "../source.ts";
import { type Fetched, fetchFeed } from "./fetch.ts";
import { FEED_LIMITS, type FeedLimits } from "./limits.ts";
import { type FileReading, openFeedFile, readFeedFile } from "./read-file.ts";
import { checkFeedUrl, FEED_URL_FIELDS } from "./settings.ts";

export function feedUrlConnector(limits: FeedLimits): Connector {
  return {
    kind: "feed_url",
    label: "Feed URL",
    fields: FEED_URL_FIELDS,
    check: checkFeedUrl,
    destination: ({ url = "" }) => url,
    read: (settings, context) => readFeed(settings, context, limitsFor(context, limits)),
  };
}

export const feedUrl: Connector = feedUrlConnector(FEED_LIMITS);

/** One a chunk of text. */
type Batches = AsyncGenerator<readonly SourceEvent[], void, void>;

async function* readFeed(settings: SourceSettings, context: ReadContext, limits: FeedLimits): Batches {
  try {
    for await (const batch of fetchAndRead(settings, context, limits)) {
      context.signal.throwIfAborted();
      if (batch.length > 0) yield batch;
    }
  } catch (error) {
    throw toSourceError(error);
  }
}

async function* fetchAndRead(settings: SourceSettings, context: ReadContext, limits: FeedLimits): Batches {
  const fetched = await fetchFeed(settings, context, limits);
  if (fetched.kind === "unchanged") yield [{ kind: "unchanged", validators: fetched.validators }];
  else yield* readFile(fetched, settings, { limits, currency: context.currency });
}

async function* readFile(
  file: Fetched & { kind: "file" },
  settings: SourceSettings,
  reading: Pick<FileReading, "limits" | "currency">,
): Batches {
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
  const opened = openFeedFile(file, reading.limits);
  yield* readFeedFile(opened, settings, { ...reading, origin: "The address returned", onEnding });
  if (file.isWhole) yield [{ kind: "end", validators: file.validators, expected: null, ending }];
}
