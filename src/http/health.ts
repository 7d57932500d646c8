/** Health, readiness and metrics. They need no key, so no catalog is named, and results are cached for seconds. */
import { setTimeout as delay } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from "prom-client";
import { cached } from "../lib/cached.ts";
import type { Db } from "../store/db.ts";
import type { AnsweredRequest } from "./answered-request.ts";
import { countAlerts } from "../store/alerts.ts";
import { countHealth, countRetries, feedAges, pingDatabase } from "../store/health.ts";
import { isKnownConsumer } from "./feed-consumers.ts";
import type { ObservedFetch } from "./feed-fetches.ts";

export type HealthOptions = {
  readonly db: Db;
  /** How old the numbers of `/metrics` may be; default five seconds. */
  readonly metricsAgeMs?: number;
  /**
   * The server of METRICS_PORT. Only there catalogs are named: whoever can open the public port must not learn of them.
   */
  readonly metricsApp?: FastifyInstance;
};

const METRICS_AGE_MS = 5_000;
/** How long a readiness result is cached. */
const READY_AGE_MS = 500;

/** Calls a second beyond which the rest wait. Probes and scrapers make one every few seconds. */
const PROBES_PER_SECOND = 20;
const PROBE_DELAY_MS = 1_000;

/**
 * Delays calls when there are too many of them. They are not refused: the probe of a load balancer may come from the
 * same address as a flood, and a refusal would take the server out of service.
 */
function slowDown(): () => Promise<void> {
  let calls = 0;
  let windowEnd = 0;
  return async () => {
    const now = performance.now();
    if (now >= windowEnd) [calls, windowEnd] = [0, now + 1_000];
    calls += 1;
    if (calls > PROBES_PER_SECOND) await delay(PROBE_DELAY_MS);
  };
}

export function healthRoutes(app: FastifyInstance, db: Db): void {
  const ping = cached(async () => pingDatabase(db), { maxAgeMs: READY_AGE_MS });
  const options = { schema: { hide: true }, onRequest: slowDown() };
  app.get("/healthz", options, async () => ({ status: "ok" }));

  app.get("/readyz", options, async () => {
    await ping();
    return { status: "ready" };
  });
}

/** These gauges repeat other metrics, and `_total` must name a counter, so they are removed. */
const MISNAMED = [
  "nodejs_active_handles_total",
  "nodejs_active_requests_total",
  "nodejs_active_resources_total",
];

/** The counters of this process itself. */
export type Counters = {
  readonly countRequest: (answered: AnsweredRequest) => void;
  readonly countFetch: (file: string, fetch: ObservedFetch) => void;
};

/** `/metrics`: requests and fetches, and numbers from the database, cached with their text. */
export function metricsRoute(
  server: FastifyInstance,
  { db, metricsAgeMs = METRICS_AGE_MS, metricsApp }: HealthOptions,
): Counters {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const name of MISNAMED) registry.removeSingleMetric(name);
  const counters = { countRequest: timeRequests(registry), countFetch: fetchCounter(registry) };
  const namesCatalogs = server === metricsApp;
  const databases = databaseGauges(registry, db);
  const alerts = alertGauges(registry, db, { namesCatalogs });
  const ages = ageGauge(registry, db, { namesCatalogs });
  const refresh = async () => Promise.all([databases(), alerts(), ages()]);
  const text = cached(async () => refresh().then(async () => registry.metrics()), { maxAgeMs: metricsAgeMs });
  server.get("/metrics", { schema: { hide: true }, onRequest: slowDown() }, async (_request, reply) =>
    reply.type(registry.contentType).send(await text()),
  );
  return counters;
}

/** The maximum number of series; the most severe alerts are kept. */
const MAX_SERIES = 2_000;

function ageGauge(
  registry: Registry,
  db: Db,
  { namesCatalogs }: { readonly namesCatalogs: boolean },
): () => Promise<void> {
  const age = new Gauge({
    name: "shelfwire_feed_age_seconds",
    help: `Time since the served files were rendered, ${namesCatalogs ? "by catalog." : "of the oldest ones."}`,
    labelNames: namesCatalogs ? ["catalog"] : [],
    registers: [registry],
  });
  return async () => {
    const ages = await feedAges(db, namesCatalogs ? MAX_SERIES : 1).catch(() => []);
    age.reset();
    for (const { catalog, ageS } of ages) age.set(namesCatalogs ? { catalog } : {}, ageS);
  };
}

function fetchCounter(registry: Registry): Counters["countFetch"] {
  const fetches = new Counter({
    name: "shelfwire_feed_fetches_total",
    help: "Fetches of hosted files, by consumer: a name that Shelfwire knows, or `other`.",
    labelNames: ["consumer", "file", "status"],
    registers: [registry],
  });
  return (file, { consumer, status, isHead }) => {
    // Only known names become series, because anyone can send any name.
    const name = consumer !== null && isKnownConsumer(consumer) ? consumer : "other";
    if (!isHead) fetches.inc({ consumer: name, file, status });
  };
}

function alertGauges(
  registry: Registry,
  db: Db,
  { namesCatalogs }: { readonly namesCatalogs: boolean },
): () => Promise<void> {
  const open = new Gauge({
    name: "shelfwire_alerts",
    help: namesCatalogs ? "Open alerts, by catalog and code." : "Open alerts, by code.",
    labelNames: namesCatalogs ? ["catalog", "code"] : ["code"],
    registers: [registry],
  });
  return async () => {
    const counts = await countAlerts(db, MAX_SERIES).catch(() => []);
    open.reset();
    for (const { catalog, code, count } of counts)
      open.inc(namesCatalogs ? { catalog, code } : { code }, count);
  };
}

function timeRequests(registry: Registry): (answered: AnsweredRequest) => void {
  const requests = new Histogram({
    name: "shelfwire_http_request_duration_seconds",
    help: "Time to answer, by route and status.",
    labelNames: ["method", "route", "status"],
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 60],
    registers: [registry],
  });
  return ({ method, route, status, durationMs }) =>
    requests.observe({ method, route, status }, durationMs / 1000);
}

/**
 * Registers gauges with values from the database, where all processes write. Returns the function that updates the
 * gauges.
 */
function databaseGauges(registry: Registry, db: Db): () => Promise<void> {
  const gauge = (name: string, help: string, ...labelNames: string[]) =>
    new Gauge({ name, help, labelNames, registers: [registry] });
  const many = "estimated if there are many.";
  const overdue = "0 if none is.";
  const up = gauge("shelfwire_up", "1 if the database responds.");
  const retrying = gauge("shelfwire_runs_retrying", "Open runs that failed and wait for a retry.", "code");
  /** Gauges, keyed by the field of `Health` that they show. */
  const numbers = {
    catalogs: gauge("shelfwire_catalogs", "Catalogs."),
    items: gauge("shelfwire_items", "Items in all catalogs."),
    latenessS: gauge("shelfwire_sync_lateness_seconds", `Delay of the most overdue source; ${overdue}`),
    deliveryLatenessS: gauge("shelfwire_webhook_lateness_seconds", `The same of webhooks; ${overdue}`),
    uploadLatenessS: gauge("shelfwire_destination_lateness_seconds", `The same of destinations; ${overdue}`),
  };
  /** Gauges, keyed by the field of `Health` that they show. The columns of its rows other than `count` are labels. */
  const counts = {
    runs: gauge("shelfwire_runs", `Runs in the history; held ones did not fail; ${many}`, "kind", "state"),
    deliveries: gauge("shelfwire_webhook_deliveries", `Logged deliveries, by state; ${many}`, "state"),
    uploads: gauge("shelfwire_destination_deliveries", `Deliveries to destinations; ${many}`, "state"),
    guard: gauge("shelfwire_guard_renders", `Renders, by decision of the guard; ${many}`, "decision"),
  };

  return async () => {
    const health = await countHealth(db).catch(() => null);
    up.set(health ? 1 : 0);
    if (!health) return;
    for (const [key, shown] of Object.entries(numbers)) shown.set(health[key as keyof typeof numbers]);
    const retries = await countRetries(db).catch(() => []);
    const tables = [
      [retrying, retries],
      ...Object.entries(counts).map(([key, shown]) => [shown, health[key as keyof typeof counts]] as const),
    ] as const;
    for (const [shown, rows] of tables) {
      shown.reset();
      for (const { count, ...labels } of rows) shown.set(labels, count);
    }
  };
}
