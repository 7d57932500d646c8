/**
 * The connector for feed URLs: any URL that serves a product feed in a known format. The file is fetched whole, then
 * read. The sample of a source test is read on a thread, because whoever may test a source chooses what is read.
 */
import { toSourceError } from "../kit/failure.ts";
import { limitsFor } from "../kit/retry.ts";
import type { Connector, ReadContext, SourceSettings } from "../source.ts";
import { fetchFeed } from "./fetch.ts";
import { FEED_LIMITS, type FeedLimits } from "./limits.ts";
import { type EventBatches, readFetched } from "./read-fetched.ts";
import { readOnThread } from "./sample-threads.ts";
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

async function* readFeed(settings: SourceSettings, context: ReadContext, limits: FeedLimits): EventBatches {
  try {
    for await (const batch of fetchAndRead(settings, context, limits)) {
      context.signal.throwIfAborted();
      if (batch.length > 0) yield batch;
    }
  } catch (error) {
    throw toSourceError(error);
  }
}

async function* fetchAndRead(
  settings: SourceSettings,
  context: ReadContext,
  limits: FeedLimits,
): EventBatches {
  const { currency, language } = context;
  const fetched = await fetchFeed(settings, context, limits);
  if (fetched.kind === "unchanged") yield [{ kind: "unchanged", validators: fetched.validators }];
  else if (context.extent === "sample")
    yield* readOnThread({ file: fetched, settings, limits, currency, language }, context.signal);
  else yield* readFetched(fetched, settings, { limits, currency, language });
}
