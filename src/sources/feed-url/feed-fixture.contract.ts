/** A host and a connector for one test of the feed URL, with limits of the test's own. */
import { type FeedHost, feedHost, type Page } from "../../../test/fakes/feed-host.ts";
import { type HttpClient, httpClient } from "../../lib/outbound/http-client.ts";
import { NO_RETRIES, readAll } from "../source.contract.ts";
import type { Connector, ReadContext, SourceEvent, SourceSettings } from "../source.ts";
import { feedUrlConnector } from "./feed-url.ts";
import { FEED_LIMITS, type FeedLimits } from "./limits.ts";

export type FeedFixture = {
  readonly host: FeedHost;
  readonly http: HttpClient;
  readonly connector: Connector;
  readonly read: (
    settings: SourceSettings,
    changes?: Partial<Omit<ReadContext, "http" | "spoolDir">>,
  ) => Promise<SourceEvent[]>;
  /** Serves the page at one address and reads it. */
  readonly readPage: (page: Page | string | Uint8Array, settings?: SourceSettings) => Promise<SourceEvent[]>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

export async function feedFixture(limits: Partial<FeedLimits> = {}): Promise<FeedFixture> {
  const host = await feedHost();
  const http = httpClient({ allowPrivate: ["127.0.0.1/32"], userAgent: "test" });
  const connector = feedUrlConnector({ ...FEED_LIMITS, retries: NO_RETRIES, ...limits });
  const read: FeedFixture["read"] = (settings, changes) => readAll({ connector, http }, settings, changes);
  return {
    host,
    http,
    connector,
    read,
    readPage: (page, settings = {}) => {
      const served = typeof page === "string" || page instanceof Uint8Array ? file(page) : page;
      return read({ url: host.serve("/feed", served), ...settings });
    },
    async [Symbol.asyncDispose]() {
      await http.close();
      await host[Symbol.asyncDispose]();
    },
  };
}

export function file(body: string | Uint8Array): Extract<Page, { kind: "file" }> {
  return { kind: "file", body };
}
