/**
 * Health, readiness and metrics of the installation. No catalog is named here. These calls need no key, so their
 * results are cached for a few seconds.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import { Gauge, Histogram, Registry, collectDefaultMetrics } from "prom-client";
import { cached } from "../lib/cached.ts";
import type { Db } from "../store/db.ts";
import { countHealth, countRetries, pingDatabase } from "../store/health.ts";

export type HealthOptions = {
  readonly db: Db;
  /** How old the numbers of `/metrics` may be. Five seconds unless set. */
  readonly metricsAgeMs?: number;
};

export type Metrics = {
  readonly contentType: string;
  readonly text: () => Promise<string>;
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
    // Throws `database_unavailable`, which is a 503.
    await ping();
    return { status: "ready" };
  });
}

export function metricsRoute(app: FastifyInstance, metrics: Metrics): void {
  app.get("/metrics", { schema: { hide: true }, onRequest: slowDown() }, async (_request, reply) =>
    reply.type(metrics.contentType).send(await metrics.text()),
  );
}

/** Counts the requests of `app`, and reads the other numbers from the database on request. */
export function metricsOf(
  app: FastifyInstance,
  { db, metricsAgeMs = METRICS_AGE_MS }: HealthOptions,
): Metrics {
  const registry = new Registry();
  const refresh = metricsOn(registry, app, db);
  // The text is cached, too: rendering it costs more than the few numbers in it.
  const text = cached(
    async () => {
      await refresh();
      return registry.metrics();
    },
    { maxAgeMs: metricsAgeMs },
  );
  return { contentType: registry.contentType, text };
}

/** Returns the function that updates the gauges; the registry itself does not wait for any. */
function metricsOn(registry: Registry, app: FastifyInstance, db: Db): () => Promise<void> {
  collectDefaultMetrics({ register: registry, prefix: "shelfwire_" });
  timeRequests(registry, app);
  return databaseGauges(registry, db);
}

function timeRequests(registry: Registry, app: FastifyInstance): void {
  const requests = new Histogram({
    name: "shelfwire_http_request_seconds",
    help: "Time to answer, by route and status.",
    labelNames: ["method", "route", "status"],
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 60],
    registers: [registry],
  });
  app.addHook("onResponse", async ({ method, routeOptions }, reply) => {
    const route = routeOptions.url ?? "unknown";
    requests.observe({ method, route, status: reply.statusCode }, reply.elapsedTime / 1000);
  });
}

/** Most numbers come from the database, where all processes write: correct on any node. */
function databaseGauges(registry: Registry, db: Db): () => Promise<void> {
  const gauge = (name: string, help: string, labelNames: string[] = []) =>
    new Gauge({ name, help, labelNames, registers: [registry] });
  const catalogs = gauge("shelfwire_catalogs", "Catalogs.");
  const items = gauge("shelfwire_items", "Items in all catalogs.");
  const late = gauge(
    "shelfwire_sync_lateness_seconds",
    "How long the most overdue source has been due; 0 if none is.",
  );
  const runs = gauge(
    "shelfwire_runs",
    "Runs in the history, by kind and state; estimated where there are many.",
    ["kind", "state"],
  );
  const retrying = gauge("shelfwire_runs_retrying", "Open runs that failed and wait for a retry.", ["code"]);
  const deliveries = gauge(
    "shelfwire_webhook_deliveries",
    "Webhook deliveries in the log, by state; estimated where there are many.",
    ["state"],
  );
  const deliveryLate = gauge(
    "shelfwire_webhook_lateness_seconds",
    "How long the most overdue webhook delivery has been waiting; 0 if none is.",
  );
  const up = gauge("shelfwire_up", "1 if the database responds.");

  return async () => {
    const health = await countHealth(db).catch(() => null);
    up.set(health ? 1 : 0);
    if (!health) return;
    catalogs.set(health.catalogs);
    items.set(health.items);
    late.set(health.latenessS);
    deliveryLate.set(health.deliveryLatenessS);
    deliveries.reset();
    for (const { state, count } of health.deliveries) deliveries.set({ state }, count);
    retrying.reset();
    for (const { code, count } of await countRetries(db).catch(() => [])) retrying.set({ code }, count);
    runs.reset();
    for (const { kind, state, count } of health.runs) runs.set({ kind, state }, count);
  };
}
