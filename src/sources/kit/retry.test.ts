import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { HttpClient } from "../../lib/outbound/http-client.ts";
import { HttpFailure } from "../../lib/outbound/http-failure.ts";
import { failureOf } from "../events.contract.ts";
import { CONNECTORS } from "../registry.ts";
import type { ReadContext, SourceSettings } from "../source.ts";

const SETTINGS: Readonly<Record<keyof typeof CONNECTORS, SourceSettings>> = {
  feed_url: { url: "https://shop.example/feed.csv" },
  shopify: { shop: "my-shop", access_token: "shpat_1" },
  woocommerce: { url: "https://shop.example" },
  bigcommerce: { store_hash: "abc123", access_token: "token", channel_id: "1" },
};

/** A machine from which nothing can be reached. */
function unreachable() {
  let tries = 0;
  const http: HttpClient = {
    request: () => {
      tries += 1;
      return Promise.reject(
        new HttpFailure("unreachable", "shop.example could not be reached on port 443 (ECONNREFUSED)."),
      );
    },
    close: () => Promise.resolve(),
  };
  const context: ReadContext = {
    http,
    signal: new AbortController().signal,
    spoolDir: "",
    previous: null,
    extent: "sample",
  };
  return { context, tries: () => tries };
}

describe("a host that cannot be reached is tried twice while someone waits, and then reported", {
  concurrency: true,
}, () => {
  for (const [kind, settings] of Object.entries(SETTINGS)) {
    const { probe, read } = CONNECTORS[kind as keyof typeof CONNECTORS];
    const ways = {
      "in a probe": async ({ context }: ReturnType<typeof unreachable>) => probe?.(settings, context),
      "in a sample": async ({ context }: ReturnType<typeof unreachable>) => read(settings, context).next(),
    };
    for (const [way, act] of Object.entries(ways)) {
      if (way === "in a probe" && probe === undefined) continue;
      test(`${way} of ${kind}`, async () => {
        const world = unreachable();

        const failure = await failureOf(act(world));

        assert.equal(failure.code, "source_unreachable");
        assert.match(failure.message, /port 443/);
        assert.equal(world.tries(), 2);
      });
    }
  }
});
