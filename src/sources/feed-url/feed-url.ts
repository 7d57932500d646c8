/** The feed URL as a connector: any address that serves a product feed in a format we can tell. */
import { limitsFor } from "../kit/retry.ts";
import type { Connector } from "../source.ts";
import { FEED_LIMITS, type FeedLimits } from "./limits.ts";
import { readFeed } from "./read.ts";
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
