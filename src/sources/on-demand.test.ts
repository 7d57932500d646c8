/**
 * A read that a caller waits for gives a failing shop up within 20 seconds, for every kind of source, wherever in the
 * read the shop begins to fail. The clock is the test's own: a wait ends at once and advances it, and so does a failed
 * request.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import { SHOPS } from "../../test/fakes/any-shop.ts";
import { feedHost } from "../../test/fakes/feed-host.ts";
import { AppError } from "../errors.ts";
import { httpClient } from "../lib/outbound/http-client.ts";
import type { HttpClient } from "../lib/outbound/http-client.ts";
import { bigcommerceConnector } from "./bigcommerce/bigcommerce.ts";
import { BIGCOMMERCE_LIMITS } from "./bigcommerce/client.ts";
import { feedUrlConnector } from "./feed-url/feed-url.ts";
import { FEED_LIMITS } from "./feed-url/limits.ts";
import { limitsFor, SHOP_RETRIES, withRetries } from "./kit/retry.ts";
import type { RetryClock, RetryPolicy } from "./kit/retry.ts";
import { SHOPIFY_LIMITS } from "./shopify/client.ts";
import { shopifyConnector } from "./shopify/shopify.ts";
import { readAll } from "./source.contract.ts";
import type { Connector, ReadContext, SourceSettings } from "./source.ts";
import { WOO_LIMITS } from "./woocommerce/client.ts";
import { wooCommerceConnector } from "./woocommerce/woocommerce.ts";

const MAX_MS = 20_000;

/** The connectors with the limits of the program, except for the clock. */
const CONNECTORS: Readonly<Record<string, (clock: RetryClock) => Connector>> = {
  shopify: (clock) => shopifyConnector({ ...SHOPIFY_LIMITS, retries: timed(SHOPIFY_LIMITS, clock) }),
  woocommerce: (clock) => wooCommerceConnector({ ...WOO_LIMITS, retries: timed(WOO_LIMITS, clock) }),
  bigcommerce: (clock) =>
    bigcommerceConnector({ ...BIGCOMMERCE_LIMITS, retries: timed(BIGCOMMERCE_LIMITS, clock) }),
  feed_url: (clock) => feedUrlConnector({ ...FEED_LIMITS, retries: timed(FEED_LIMITS, clock) }),
};

const timed = ({ retries }: { readonly retries: RetryPolicy }, clock: RetryClock): RetryPolicy => ({
  ...retries,
  clock,
});

/** How the shop fails, and how long each failure takes. */
type Failing = { readonly path: string | null; readonly tookMs: number };

const FAILURES: readonly Failing[] = [
  { path: null, tookMs: 0 },
  { path: null, tookMs: 2_000 },
  { path: "/500", tookMs: 0 },
  { path: "/500", tookMs: 1_000 },
  { path: "/500", tookMs: 2_000 },
  { path: "/503", tookMs: 2_000 },
  { path: "/503?retry-after=5", tookMs: 1_000 },
  { path: "/503?retry-after=60", tookMs: 1_000 },
];

const broken = createServer(({ url = "" }, response) => {
  const [, status, wait] = /^\/(\d+)(?:\?retry-after=(\d+))?/.exec(url) ?? [];
  response.writeHead(Number(status), wait === undefined ? {} : { "retry-after": wait }).end("oh no");
});
const http = httpClient({ allowPrivate: ["127.0.0.1"], userAgent: "test" });
let origin = "";
let closedOrigin = "";

before(async () => {
  broken.listen(0, "127.0.0.1");
  await once(broken, "listening");
  origin = `http://127.0.0.1:${(broken.address() as AddressInfo).port}`;
  const closed = createServer().listen(0, "127.0.0.1");
  await once(closed, "listening");
  closedOrigin = `http://127.0.0.1:${(closed.address() as AddressInfo).port}`;
  closed.close();
});
after(async () => {
  broken.close();
  await http.close();
});

/** Reads a shop that fails from a request on; returns how long the failures took, by the test's clock. */
async function readFailing(
  kind: string,
  settings: SourceSettings,
  { failing, healthy, context }: { failing: Failing; healthy: number; context: Partial<ReadContext> },
): Promise<{ tookMs: number; requests: number; error: unknown }> {
  let now = 0;
  let requests = 0;
  const clock: RetryClock = {
    now: () => now,
    sleep: async (ms) => {
      now += ms;
    },
  };
  const failingHttp: HttpClient = {
    ...http,
    request: async (request) => {
      requests += 1;
      if (requests <= healthy) return http.request(request);
      now += failing.tookMs;
      return http.request({ ...request, url: failing.path === null ? closedOrigin : origin + failing.path });
    },
  };
  const connector = CONNECTORS[kind]?.(clock) ?? assert.fail(kind);
  const error: unknown = await readAll({ connector, http: failingHttp }, settings, context).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  return { tookMs: now, requests, error };
}

describe("a shop that refuses connections or answers with errors", () => {
  /** Longer than the beginning of any connector's read. */
  const FIRST_REQUESTS = [0, 1, 2, 3, 5];

  async function checkAll(kind: string, settings: SourceSettings): Promise<void> {
    for (const failing of FAILURES) {
      for (const healthy of FIRST_REQUESTS) {
        for (const context of [{ callerWaitMs: () => 0 }, { extent: "sample" as const }]) {
          const { tookMs, error } = await readFailing(kind, settings, { failing, healthy, context });
          const what = `${kind} ${JSON.stringify({ failing, healthy, context })}: ${tookMs} ms, ${String(error)}`;
          assert.ok(tookMs <= MAX_MS, what);
          assert.ok(error === null || error instanceof AppError, what);
          if (healthy === 0) assert.match(error?.code ?? "", /^source_un(available|reachable)$/, what);
        }
      }
    }
  }

  for (const [name, open] of Object.entries(SHOPS)) {
    test(`ends a read on demand within 20 seconds: ${name}`, async () => {
      await using shop = await open(30);
      await checkAll(shop.kind, shop.settings);
    });
  }

  test("ends a read on demand within 20 seconds: feed_url", async () => {
    await using host = await feedHost();
    const url = host.serve("/feed.csv", { kind: "file", body: "id,title\n1,Mug\n" });
    await checkAll("feed_url", { url });
  });

  test("is tried longer by a read in the background", async () => {
    const settings = { shop: "my-shop", access_token: "shpat_1", base_url: origin };
    const failing = { path: "/503", tookMs: 1_000 };

    const onDemand = await readFailing("shopify", settings, {
      failing,
      healthy: 0,
      context: { callerWaitMs: () => 0 },
    });
    const scheduled = await readFailing("shopify", settings, { failing, healthy: 0, context: {} });

    assert.ok(onDemand.requests > 1, "a failure of a moment is bridged");
    assert.equal(scheduled.requests, 1 + SHOPIFY_LIMITS.retries.waitsMs.length);
    assert.ok(scheduled.tookMs > MAX_MS);
  });

  test("is given up by a read in the background as soon as a caller waits for the source", async () => {
    const settings = { shop: "my-shop", access_token: "shpat_1", base_url: origin };
    let asked = 0;
    // A caller comes during the wait of eight seconds after the third request.
    const callerWaitMs = () => ((asked += 1) > 8 ? 100 : null);
    const context = { callerWaitMs };

    const { requests, tookMs } = await readFailing("shopify", settings, {
      failing: { path: "/503", tookMs: 1_000 },
      healthy: 0,
      context,
    });

    assert.ok(requests < 1 + SHOPIFY_LIMITS.retries.waitsMs.length);
    assert.ok(tookMs <= MAX_MS, `${tookMs} ms`);
  });

  test("that answered before is tried again for a caller who has waited for a long read", async () => {
    const clock = { now: () => 0, sleep: async () => {} };
    const context = { extent: "whole", callerWaitMs: () => 60_000 } as const;
    const { retries } = limitsFor(context, { retries: { ...SHOP_RETRIES, clock } });
    const signal = new AbortController().signal;
    const failure = { error: new AppError("source_unavailable", "It answered 502."), retry: "now" } as const;
    const answers = [{ kind: "done", value: 1 } as const, { kind: "failed", failure } as const];
    const attempt = async () => Promise.resolve(answers.shift() ?? ({ kind: "done", value: 2 } as const));

    assert.equal(await withRetries(retries, signal, attempt), 1);
    assert.equal(await withRetries(retries, signal, attempt), 2);
  });

  test("is tried once more, without retries, for a caller who has waited for the sync before", async () => {
    const settings = { shop: "my-shop", access_token: "shpat_1", base_url: origin };
    const { requests } = await readFailing("shopify", settings, {
      failing: { path: "/503", tookMs: 1_000 },
      healthy: 0,
      context: { callerWaitMs: () => 15_000 },
    });

    assert.equal(requests, 1);
  });
});
