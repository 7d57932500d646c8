/**
 * The service for tests of the API: an installation on loopback, a host for the shops' feeds, and a
 * worker without retries. All requests use real HTTP.
 */
import assert from "node:assert/strict";
import type { IncomingHttpHeaders } from "node:http";
import { request } from "undici";
import type { FeedsAnswer } from "../../src/contract/feeds.ts";
import type { FeedFile } from "../../src/channels/registry.ts";
import { waitForSync } from "../../src/pipeline/requests.ts";
import { feedUrlConnector } from "../../src/sources/feed-url/feed-url.ts";
import { FEED_LIMITS } from "../../src/sources/feed-url/limits.ts";
import { NO_RETRIES } from "../../src/sources/source.contract.ts";
import { findCatalog } from "../../src/store/catalogs.ts";
import type { Run } from "../../src/store/runs.ts";
import { waitLimit } from "../actions.ts";
import { feedHost } from "../fakes/feed-host.ts";
import type { Page } from "../fakes/feed-host.ts";
import type { Disposable } from "../fresh.ts";
import { installation, workOn } from "../installation.ts";
import type { Installation, InstallationOptions, TestCatalog } from "../installation.ts";
import { csv } from "./rows.ts";
import type { Row } from "./rows.ts";

export type Asked = {
  readonly method?: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS";
  readonly headers?: Readonly<Record<string, string>>;
  /** A value is sent as JSON; a text or bytes as they are, without any content type of ours. */
  readonly body?: unknown;
  readonly signal?: AbortSignal;
};

export type Answer = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  readonly text: string;
  readonly json: unknown;
};

export async function ask(url: string, asked: Asked = {}): Promise<Answer> {
  const { method = "GET", headers = {}, body, signal } = asked;
  const isJson = body !== undefined && typeof body !== "string" && !(body instanceof Uint8Array);
  const { statusCode, ...answer } = await request(url, {
    method,
    headers: { ...(isJson && { "content-type": "application/json" }), ...headers },
    ...(body !== undefined && { body: isJson ? JSON.stringify(body) : body }),
    ...(signal && { signal }),
  });
  const bytes = Buffer.from(await answer.body.arrayBuffer());
  return {
    status: statusCode,
    headers: answer.headers,
    bytes,
    text: bytes.toString(),
    get json(): unknown {
      return JSON.parse(bytes.toString());
    },
  };
}

export type Shop = TestCatalog & {
  readonly sourceId: string;
  /** Sets the rows of the shop's feed. */
  readonly sells: (rows: readonly Row[]) => void;
  readonly answers: (page: Page) => void;
  /** A call with the shop's own key, which may read and write. */
  readonly call: (path: string, asked?: Asked) => Promise<Answer>;
  readonly sync: (headers?: Readonly<Record<string, string>>, more?: object) => Promise<Answer>;
  readonly feeds: () => Promise<FeedsAnswer["data"]>;
  readonly fetch: (file: FeedFile, asked?: Asked) => Promise<Answer>;
};

export type RunningApi = Installation & {
  readonly ask: (path: string, asked?: Asked) => Promise<Answer>;
  /** A catalog with one source: a CSV on the feed host, or the feed at `feedUrl`. */
  readonly openShop: (rows?: readonly Row[], feedUrl?: string) => Promise<Shop>;
  /** Waits for a sync and for the render after it. */
  readonly ended: (runId: string) => Promise<Run>;
};

export async function runningApi({
  hasWorker = true,
  hasRenders = true,
  rateLimitPerMinute = 0,
  allowLoopback = false,
  patienceMs = 60_000,
}: InstallationOptions & {
  /** How long a shop may take to begin its answer. */
  patienceMs?: number;
} = {}): Promise<Disposable<RunningApi>> {
  const parts = new AsyncDisposableStack();
  const host = parts.use(await feedHost());
  const installed = parts.use(
    await installation({ hasWorker: false, hasDeliveries: hasWorker, rateLimitPerMinute, allowLoopback }),
  );
  const { db, notices, jobs, url } = installed;
  const stop = new AbortController();
  const limits = { ...FEED_LIMITS, http: { headersMs: patienceMs }, retries: NO_RETRIES };
  const connectors = { feed_url: feedUrlConnector(limits) };
  const working = hasWorker ? workOn({ ...jobs, connectors }, notices, stop.signal, hasRenders) : null;
  parts.defer(async () => {
    stop.abort();
    await working;
  });

  const openShop = async (rows: readonly Row[] = [], feedUrl?: string): Promise<Shop> => {
    const catalog = await installed.createCatalog();
    const path = `/${catalog.slug}.csv`;
    const answers = (page: Page) => void host.serve(path, page);
    const sells = (now: readonly Row[]) => answers({ kind: "file", body: csv(now) });
    sells(rows);
    const sourceId = await installed.addFeed(catalog.id, feedUrl ?? host.url(path));
    const call = (to: string, asked: Asked = {}) =>
      ask(url + to, { ...asked, headers: { authorization: `Bearer ${catalog.key}`, ...asked.headers } });
    // Read once: those of the first token.
    const stored = await findCatalog(db, catalog.id);
    assert.ok(stored);
    return {
      ...catalog,
      sourceId,
      sells,
      answers,
      call,
      feeds: async () => ((await call("/api/v1/feeds")).json as FeedsAnswer).data,
      sync: (headers = {}, more = {}) =>
        call("/api/v1/syncs", { method: "POST", headers, body: { source_id: sourceId, ...more } }),
      fetch: (file, asked) => ask(url + new URL(jobs.feedUrl(stored, file)).pathname, asked),
    };
  };

  return {
    ...installed,
    ask: (path, asked) => ask(url + path, asked),
    openShop,
    ended: (runId) => waitForSync({ db, notices, signal: waitLimit() }, runId),
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}
