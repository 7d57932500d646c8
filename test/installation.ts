/** A whole small installation on loopback, for tests that cross stages. */
import { join } from "node:path";
import type { FastifyInstance } from "fastify";
import { buildApp } from "../src/http/app.ts";
import type { AppDeps } from "../src/http/app.ts";
import { parseAllowList } from "../src/lib/outbound/allow-list.ts";
import { httpClient } from "../src/lib/outbound/http-client.ts";
import { socketClient } from "../src/lib/outbound/socket-client.ts";
import { uploadHttpClient } from "../src/lib/outbound/upload-http-client.ts";
import { webhookHttpClient } from "../src/lib/outbound/webhook-http-client.ts";
import { openQueueDb } from "../src/webhooks/queue.sql.ts";
import type { Log } from "../src/lib/log.ts";
import { createEncryption } from "../src/lib/encryption.ts";
import type { JobDeps } from "../src/pipeline/job.ts";
import { runDispatcher } from "../src/webhooks/dispatcher.ts";
import { runMaintenance, MAINTENANCE_DEFAULTS } from "../src/pipeline/maintenance.ts";
import { runUploads } from "../src/pipeline/destinations/dispatcher.ts";
import { work, WORKER_DEFAULTS } from "../src/pipeline/worker.ts";
import type { WorkerOptions } from "../src/pipeline/worker.ts";
import { feedFolders } from "../src/files/feed-folders.ts";
import { createCatalog, decryptFeedToken } from "../src/setup/catalogs.ts";
import type { CatalogInput } from "../src/setup/catalogs.ts";
import { feedUrls } from "../src/setup/feed-urls.ts";
import { createKey } from "../src/setup/keys.ts";
import { addSource, decryptSecrets } from "../src/setup/sources.ts";
import { CONNECTORS } from "../src/sources/registry.ts";
import type { Db } from "../src/store/db.ts";
import type { Notices } from "../src/store/notices.ts";
import { listenForNotices } from "../src/store/notices.ts";
import { sql } from "../src/store/sql.ts";
import { freshDb, tempDir } from "./fresh.ts";
import type { Disposable } from "./fresh.ts";

/** Retries at once. Leases are long, so that few heartbeats are enough; a test of leases has a worker of its own. */
export const QUICK_WORKER: WorkerOptions = {
  ...WORKER_DEFAULTS,
  slots: { sync: 4, render: 2, removal: 1, rules: 1, proposals: 1, plan: 1, sync_plan: 1 },
  idleMs: 500,
  heartbeatMs: 1_000,
  retryDelaysMs: [10],
};

/**
 * A worker. Without renders, it ends queued renders without doing them: a sync, and who waits for it, is done in half
 * the time, but no feeds and no audit follow.
 */
export async function workOn(
  jobs: JobDeps,
  notices: Notices,
  signal: AbortSignal,
  hasRenders: boolean,
): Promise<void> {
  if (hasRenders) return work(jobs, notices, signal, QUICK_WORKER);
  const stopSkipping = notices.on(({ about }) => {
    if (about === "work") void jobs.db.execute(END_RENDERS).catch(() => undefined);
  });
  await work(jobs, notices, signal, { ...QUICK_WORKER, slots: { ...QUICK_WORKER.slots, render: 0 } });
  stopSkipping();
}

const END_RENDERS = sql`
  with ended as (
    update runs set state = 'succeeded', started_at = now(), finished_at = now()
     where kind = 'render' and state = 'queued' returning id)
  select pg_notify(current_schema() || '_notices', json_build_object('about', 'finished', 'id', id)::text) from ended`;

export type LogLine = { readonly level: string; readonly message: string; readonly fields: object };

/** Keeps log lines, so that a test can check them. */
export function memoryLog(): Log & { readonly lines: LogLine[] } {
  const lines: LogLine[] = [];
  const at = (level: string) => (fields: object, message: string) =>
    void lines.push({ level, message, fields });
  return { lines, info: at("info"), warn: at("warn"), error: at("error") };
}

export type Installation = {
  readonly db: Db;
  readonly notices: Notices;
  readonly app: FastifyInstance;
  readonly url: string;
  readonly jobs: JobDeps;
  /** The dependencies of the API, for another server of the test. */
  readonly parts: AppDeps;
  readonly dataDir: string;
  readonly log: ReturnType<typeof memoryLog>;
  readonly createCatalog: (input?: Partial<CatalogInput>) => Promise<TestCatalog>;
  readonly addFeed: (
    catalogId: string,
    url: string,
    more?: Readonly<Record<string, string>>,
  ) => Promise<string>;
};

export type TestCatalog = {
  readonly id: string;
  readonly slug: string;
  readonly key: string;
  readonly readKey: string;
};

const BASE_URL = "http://feeds.test";
const ENCRYPTION = createEncryption("a key for tests, long enough to be one");

export type InstallationOptions = {
  readonly rateLimitPerMinute?: number;
  readonly hasWorker?: boolean;
  /** See `workOn`. */
  readonly hasRenders?: boolean;
  /** Of the database pool; see `freshDb`. */
  readonly connections?: number;
  /** Loopback targets are allowed as while only this machine is served; otherwise 127.0.0.1 is, as by a setting. */
  readonly allowLoopback?: boolean;
};

/** The whole service in this process: API on a loopback port, a worker, and optionally maintenance. */
export async function installation({
  rateLimitPerMinute = 0,
  hasWorker = true,
  hasDeliveries = hasWorker,
  hasMaintenance = false,
  hasRenders = true,
  allowLoopback = false,
  connections,
}: InstallationOptions & {
  /** Webhooks are sent, and files are uploaded to destinations. */
  hasDeliveries?: boolean;
  hasMaintenance?: boolean;
} = {}): Promise<Disposable<Installation>> {
  const parts = new AsyncDisposableStack();
  const { path: dataDir } = parts.use(await tempDir(process.env["TEST_DATA_DIR"]));
  const db = parts.use(await freshDb({ ...(connections !== undefined && { connections }) }));
  const log = memoryLog();
  const notices = await listenForNotices(db.target);
  parts.defer(notices.close);
  const targets = { allowPrivate: allowLoopback ? [] : ["127.0.0.1"], allowLoopback };
  const allow = parseAllowList(targets.allowPrivate, { loopback: allowLoopback });
  const http = httpClient({ ...targets, userAgent: "Shelfwire-test" });
  parts.defer(http.close);
  const webhooks = webhookHttpClient(targets);
  parts.defer(webhooks.close);
  const sockets = socketClient(targets);
  parts.defer(sockets.close);
  const uploads = uploadHttpClient(targets);
  parts.defer(uploads.close);
  const senders = { sockets, uploads, userAgent: "Shelfwire-test" };
  const queue = openQueueDb(db.target, "shelfwire-test-deliveries");
  parts.defer(queue.close);
  const folders = feedFolders(join(dataDir, "feeds"));
  const jobs: JobDeps = {
    db,
    http,
    connectors: CONNECTORS,
    decryptSecrets: decryptSecrets(ENCRYPTION),
    encryption: ENCRYPTION,
    baseUrl: BASE_URL,
    feedUrl: feedUrls(BASE_URL, ENCRYPTION),
    decryptFeedToken: decryptFeedToken(ENCRYPTION),
    folders,
    spoolRoot: join(dataDir, "spool"),
    log,
  };
  const stop = new AbortController();
  const running = [
    ...(hasWorker ? [workOn(jobs, notices, stop.signal, hasRenders)] : []),
    ...(hasDeliveries
      ? [
          runDispatcher(
            { db: queue, client: webhooks, encryption: ENCRYPTION, now: () => new Date(), log },
            notices,
            stop.signal,
          ),
          runUploads({ ...jobs, ...senders }, notices, stop.signal),
        ]
      : []),
    ...(hasMaintenance ? [runMaintenance(jobs, stop.signal, { ...MAINTENANCE_DEFAULTS, everyMs: 100 })] : []),
  ];
  parts.defer(async () => {
    stop.abort();
    await Promise.all(running);
  });
  const apiParts: AppDeps = {
    db,
    notices,
    baseUrl: BASE_URL,
    feedUrl: jobs.feedUrl,
    encryption: ENCRYPTION,
    allow,
    webhookHttpClient: webhooks,
    senders,
    folders,
    log,
    rateLimitPerMinute,
    // The numbers of this moment; that they are kept for some seconds has a test of its own.
    metricsAgeMs: 0,
    refusalDelayMs: 0,
  };
  const app = await buildApp(apiParts);
  const url = await app.listen({ host: "127.0.0.1", port: 0 });
  parts.defer(async () => app.close());

  let catalogs = 0;
  return {
    db,
    notices,
    app,
    url,
    jobs,
    parts: apiParts,
    dataDir,
    log,
    createCatalog: async (input = {}) => {
      catalogs += 1;
      const { id, slug } = await createCatalog(db, ENCRYPTION, {
        slug: `shop-${catalogs}`,
        name: `Shop ${catalogs}`,
        settings: {
          currency: "USD",
          country: "US",
          sellerName: "Test Shop",
          storeUrl: "https://shop.example/",
        },
        ...input,
      });
      const { key } = await createKey(db, {
        catalogId: id,
        name: "test",
        scopes: ["read", "write"],
        expiresAt: null,
      });
      const { key: readKey } = await createKey(db, {
        catalogId: id,
        name: "test",
        scopes: ["read"],
        expiresAt: null,
      });
      return { id, slug, key, readKey };
    },
    addFeed: async (catalogId, feed, more = {}) =>
      (
        await addSource(db, ENCRYPTION, {
          catalogId,
          kind: "feed_url",
          name: "feed_url",
          settings: { url: feed, ...more },
          intervalS: 21_600,
        })
      ).id,
    [Symbol.asyncDispose]: async () => parts.disposeAsync(),
  };
}
