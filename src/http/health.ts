/** Health, readiness and metrics. They need no key, so no catalog is named, and results are cached for seconds. */
import { setTimeout as delay } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import { Gauge, Histogram, Registry, collectDefaultMetrics } from "prom-client";
import { cached } from "../lib/cached.ts";
import type { Db } from "../store/db.ts";
import type { AnsweredRequest } from "./answered-request.ts";
import { countAlerts } from "../store/alerts.ts";
import { countHealth, countRetries, pingDatabase } from "../store/health.ts";

export type HealthOptions = {
  readonly db: Db;
  /** How old the numbers of `/metrics` may be; default five seconds. */
  readonly metricsAgeMs?: number;
  /** The server of METRICS_PORT. Only there catalogs are named: whoever can open the public port must not learn of them. */
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

/** `/metrics`: requests, and numbers from the database, cached with their text. Returns the function that counts a request. */
export function metricsRoute(
  server: FastifyInstance,
  { db, metricsAgeMs = METRICS_AGE_MS, metricsApp }: HealthOptions,
): (answered: AnsweredRequest) => void {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: "shelfwire_" });
  const count = timeRequests(registry);
  const databases = databaseGauges(registry, db);
  const alerts = alertGauges(registry, db, { namesCatalogs: server === metricsApp });
  const refresh = async () => Promise.all([databases(), alerts()]);
  const text = cached(async () => refresh().then(async () => registry.metrics()), { maxAgeMs: metricsAgeMs });
  server.get("/metrics", { schema: { hide: true }, onRequest: slowDown() }, async (_request, reply) =>
    reply.type(registry.contentType).send(await text()),
  );
  return count;
}

/** As many series as this at most; the most severe are kept. */
const MAX_ALERT_SERIES = 2_000;

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
    const counts = await countAlerts(db, MAX_ALERT_SERIES).catch(() => []);
    open.reset();
    for (const { catalog, code, count } of counts)
      open.inc(namesCatalogs ? { catalog, code } : { code }, count);
  };
}

function timeRequests(registry: Registry): (answered: AnsweredRequest) => void {
  const requests = new Histogram({
    name: "shelfwire_http_request_seconds",
    help: "Time to answer, by route and status.",
    labelNames: ["method", "route", "status"],
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 60],
    registers: [registry],
  });
  return ({ method, route, status, durationMs }) =>
    requests.observe({ method, route, status }, durationMs / 1000);
}

/** From the database, where all processes write. Returns the function that updates the gauges. */
function databaseGauges(registry: Registry, db: Db): () => Promise<void> {
  const gauge = (name: string, help: string, ...labelNames: string[]) =>
    new Gauge({ name, help, labelNames, registers: [registry] });
  const many = "estimated if there are many.";
  const overdue = "0 if none is.";
  const catalogs = gauge("shelfwire_catalogs", "Catalogs.");
  const items = gauge("shelfwire_items", "Items in all catalogs.");
  const late = gauge("shelfwire_sync_lateness_seconds", `Delay of the most overdue source; ${overdue}`);
  const runs = gauge("shelfwire_runs", `Runs in the history, by kind and state; ${many}`, "kind", "state");
  const retrying = gauge("shelfwire_runs_retrying", "Open runs that failed and wait for a retry.", "code");
  const deliveries = gauge("shelfwire_webhook_deliveries", `Logged deliveries, by state; ${many}`, "state");
  const deliveryLate = gauge(
    "shelfwire_webhook_lateness_seconds",
    `Delay of the most overdue delivery; ${overdue}`,
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
