/**
 * Builds the HTTP application. Every response has the request's id, every error is a problem document, and each
 * request is logged in one line, by route and never by URL: URLs contain feed tokens.
 */
import { counted } from "../lib/counted.ts";
import rateLimit from "@fastify/rate-limit";
import swagger from "@fastify/swagger";
import fastify from "fastify";
import type { FastifyInstance, FastifyReply, FastifyRequest, preHandlerAsyncHookHandler } from "fastify";
import { PUSH_TYPES } from "../contract/catalog.ts";
import { AppError } from "../errors.ts";
import type { Log } from "../lib/log.ts";
import { apiOn } from "./api.ts";
import type { ApiDeps, Frame } from "./api.ts";
import { answerUnchanged } from "./answer-unchanged.ts";
import { requestIdOf } from "./answered-request.ts";
import type { AnsweredRequest } from "./answered-request.ts";
import { consoleRoutes, notFoundPage } from "./console-files.ts";
import type { NotFoundPage } from "./console-files.ts";
import { errorHandler } from "./errors.ts";
import { eventStreams } from "./event-streams.ts";
import { healthRoutes, metricsRoute } from "./health.ts";
import type { HeavyProcess } from "./forward.ts";
import { heavyHook, type HeavyLimits } from "./heavy-calls.ts";
import { hostedFeedRoutes } from "./hosted-feed.ts";
import type { HostedDeps } from "./hosted-feed.ts";
import { describeApi } from "./describe-api.ts";
import { answerWrongMethods } from "./methods.ts";
import { mcpRoute } from "./mcp/route.ts";
import { openapiInfo } from "./openapi.ts";
import type { ApiTag } from "./openapi.ts";
import { alertRoutes } from "./routes/alerts.ts";
import { auditRoutes } from "./routes/audits.ts";
import { catalogRemovalRoutes } from "./routes/catalog-removal.ts";
import { catalogSettingsRoutes } from "./routes/catalog-settings.ts";
import { catalogRoutes } from "./routes/catalog.ts";
import { catalogsRoutes } from "./routes/catalogs.ts";
import { categoryRoutes } from "./routes/categories.ts";
import { changeRoutes } from "./routes/changes.ts";
import { comparisonRoutes } from "./routes/comparisons.ts";
import { destinationRoutes } from "./routes/destinations.ts";
import { eventRoutes } from "./routes/events.ts";
import { feedFetchRoutes } from "./routes/feed-fetches.ts";
import { feedRoutes } from "./routes/feeds.ts";
import { installationRoutes } from "./routes/installation.ts";
import { itemRoutes } from "./routes/items.ts";
import { keyRoutes } from "./routes/keys.ts";
import { proposalRoutes } from "./routes/proposals.ts";
import { heldRenderRoutes } from "./routes/held-renders.ts";
import { renderRoutes } from "./routes/renders.ts";
import { rollbackRoutes } from "./routes/rollbacks.ts";
import { ruleRoutes } from "./routes/rules.ts";
import { runRoutes } from "./routes/runs.ts";
import { sessionRoutes } from "./routes/sessions.ts";
import { sourceRoutes } from "./routes/sources.ts";
import { statusRoutes } from "./routes/status.ts";
import { syncRoutes } from "./routes/syncs.ts";
import { deliveryRoutes } from "./routes/deliveries.ts";
import { webhookRoutes } from "./routes/webhooks.ts";
import { buildSerializer } from "./serializers.ts";
import { AJV_OPTIONS, buildValidator } from "./validators.ts";
import { shopWebhookRoutes } from "./shop-webhooks.ts";
import { acceptEmptyBodies } from "./empty-bodies.ts";
import { answerUnreadable, CLIENT_LIMITS, lengthOf, limitClients } from "./slow-clients.ts";
import type { ClientLimits } from "./slow-clients.ts";
import { streamBodies } from "./stream-bodies.ts";
import { noKeyLimit, wrongKeyLimit } from "./wrong-keys.ts";

export type AppDeps = ApiDeps &
  HostedDeps & {
    readonly log: Log;
    /** The built console. Without it, `/` is not found. */
    readonly consoleDir?: string;
    readonly rateLimitPerMinute: number;
    /** How long a stopping server waits for its callers. */
    readonly graceMs?: number;
    /** Limits for slow clients and for clients with many connections. */
    readonly clients?: ClientLimits;
    /** How long a caller over its rate limit waits for its 429. One second unless set. */
    readonly refusalDelayMs?: number;
    /** Answers heavy calls. Without it, this process does, and the server that passes them on has limited them. */
    readonly heavyProcess?: HeavyProcess;
    readonly heavyLimits?: HeavyLimits;
    /** The version of the program. */
    readonly version?: string;
    /** How often an event stream proves that it is open; 15 seconds unless set. */
    readonly eventHeartbeatMs?: number;
    /** The cache time of `/metrics`. */
    readonly metricsAgeMs?: number;
    /** The application of `/metrics`, if it has its own port. */
    readonly metricsApp?: FastifyInstance;
  };

const BODY_LIMIT = 1024 * 1024;
/** Half of the ten seconds that a stop may take. */
const GRACE_MS = 5_000;

export async function buildApp(deps: AppDeps): Promise<FastifyInstance> {
  const limits = deps.clients ?? CLIENT_LIMITS;
  const page = await notFoundPage(deps.consoleDir);
  const app = fastify({
    logger: false,
    bodyLimit: BODY_LIMIT,
    genReqId: requestIdOf,
    ajv: { customOptions: AJV_OPTIONS },
    schemaController: { compilersFactory: { buildSerializer, buildValidator } },
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 2_000 },
    // Node.js has one timeout for all bodies; slow-clients.ts has one for pushes and one for other calls.
    requestTimeout: 0,
    http: { headersTimeout: limits.headersMs, connectionsCheckingInterval: limits.checkMs },
    frameworkErrors: answerUnroutable(deps.log, page),
    clientErrorHandler: answerUnreadable,
    forceCloseConnections: "idle",
  });
  app.setErrorHandler(errorHandler(deps.log, deps.refusalDelayMs));
  app.decorateRequest("caller", null);
  acceptEmptyBodies(app);
  closeConnectionsOnStop(app, deps.graceMs ?? GRACE_MS);
  const clients = limitClients(app.server, limits);
  app.decorateRequest("allowLongBody", function allowLongBody(this: FastifyRequest) {
    clients.allowLongBody(this.raw);
  });
  app.decorateRequest("limitBody", function limitBody(this: FastifyRequest) {
    clients.limitBody(this.raw);
  });
  app.addHook("onSend", (_request, reply, payload, done) => {
    // An event stream has no end; its own limits are in event-streams.ts.
    if (!String(reply.getHeader("content-type")).startsWith("text/event-stream")) {
      clients.watchAnswer(reply.raw, lengthOf(payload, reply.getHeader("content-length")));
    }
    done();
  });
  const wrongMethods = answerWrongMethods(app, page);

  await app.register(swagger, openapiInfo(deps.baseUrl));
  healthRoutes(app, deps.db);
  const { countRequest, countFetch } = metricsRoute(deps.metricsApp ?? app, deps);
  const record = (answered: AnsweredRequest) => {
    logRequest(deps.log, answered);
    countRequest(answered);
  };
  recordRequests(app, record);
  const feeds = hostedFeedRoutes(app, { ...deps, countFetch }, clients);
  await shopWebhookRoutes(app, deps);
  if (deps.consoleDir !== undefined) await consoleRoutes(app, deps.consoleDir);
  await app.register(async (scope) => keyedRoutes(scope, deps));
  wrongMethods.register();
  app.addHook("preClose", answerUnchanged(app.server, { feeds, clients, record }));
  return app;
}

/** An application for `/metrics` on its own port. */
export function buildMetricsApp(log: Log): FastifyInstance {
  const app = fastify({ logger: false, genReqId: requestIdOf, routerOptions: { maxParamLength: 2_000 } });
  app.setErrorHandler(errorHandler(log));
  answerWrongMethods(app);
  return app;
}

/** Registers the routes that need an API key, with one rate limit for all of them. */
async function keyedRoutes(scope: FastifyInstance, deps: AppDeps): Promise<void> {
  const frame = await frameOf(scope, deps);
  await scope.register(async (api) => apiRoutes(api, deps, frame), { prefix: "/api/v1" });
  mcpRoute(scope, deps, frame);
}

async function frameOf(scope: FastifyInstance, deps: AppDeps): Promise<Frame> {
  const stop = new AbortController();
  scope.addHook("preClose", () => {
    const detail = "The server is stopping. A run continues after the restart; start a test again.";
    stop.abort(new AppError("stopping", detail, { retryAfterS: 10 }));
  });
  return {
    stopping: stop.signal,
    limit: await rateLimitHook(scope, deps.rateLimitPerMinute),
    limitWrongKeys: deps.rateLimitPerMinute === 0 ? noKeyLimit : wrongKeyLimit(),
    heavy: deps.heavyProcess && heavyHook(deps.heavyProcess, stop.signal, deps.heavyLimits),
  };
}

async function apiRoutes(scope: FastifyInstance, deps: AppDeps, frame: Frame): Promise<void> {
  const api = (tag: ApiTag) => apiOn(scope, tag, deps, frame);
  auditRoutes(api("Audit"), deps);
  feedRoutes(api("Feeds"), deps);
  feedFetchRoutes(api("Feeds"), deps);
  itemRoutes(api("Items"), deps);
  ruleRoutes(api("Rules"), deps);
  categoryRoutes(api("Rules"), deps);
  proposalRoutes(api("Proposals"), deps);
  sourceRoutes(api("Sources"), deps);
  syncRoutes(api("Syncs"), deps);
  runRoutes(api("Syncs"), deps);
  renderRoutes(api("Feeds"), deps);
  heldRenderRoutes(api("Feeds"), deps);
  comparisonRoutes(api("Feeds"), deps);
  rollbackRoutes(api("Feeds"), deps);
  webhookRoutes(api("Webhooks"), deps);
  deliveryRoutes(api("Webhooks"), deps);
  destinationRoutes(api("Destinations"), deps);
  changeRoutes(api("Changes"), deps);
  catalogRemovalRoutes(api("Catalog"), deps);
  catalogSettingsRoutes(api("Catalog"), deps);
  statusRoutes(api("Catalog"), deps);
  alertRoutes(api("Alerts"), deps);
  keyRoutes(api("Keys"), deps);
  catalogsRoutes(api("Catalog"), deps);
  installationRoutes(api("Catalog"), deps);
  sessionRoutes(api("Session"), deps, frame.limitWrongKeys);
  const streams = eventStreams(deps, deps.eventHeartbeatMs);
  scope.addHook("onClose", async () => streams.close());
  eventRoutes(api("Events"), streams);
  // Streamed bodies: in their own scope, where no body is parsed.
  await scope.register(async (inner) => {
    streamBodies(inner, PUSH_TYPES);
    catalogRoutes(apiOn(inner, "Catalog", deps, frame), deps);
  });
  let description: string | undefined;
  // The document is serialized once, because anybody may call this route and writing half a megabyte of JSON takes some
  // milliseconds.
  scope.get("/openapi.json", { schema: { hide: true } }, async (_request, reply) =>
    reply.type("application/json; charset=utf-8").send((description ??= JSON.stringify(scope.swagger()))),
  );
  describeApi(scope, deps);
}

async function rateLimitHook(
  scope: FastifyInstance,
  perMinute: number,
): Promise<preHandlerAsyncHookHandler | null> {
  if (perMinute === 0) return null;
  await scope.register(rateLimit, { global: false, enableDraftSpec: true });
  return scope.rateLimit({
    max: perMinute,
    timeWindow: "1 minute",
    keyGenerator: ({ caller }: FastifyRequest) => caller?.key.id ?? "",
    errorResponseBuilder: (_request, { max, ttl }) => {
      const detail = `This API key may make ${counted(max, "call")} a minute. Wait, or raise RATE_LIMIT_PER_MINUTE.`;
      return new AppError("rate_limited", detail, { retryAfterS: Math.ceil(ttl / 1000) });
    },
  });
}

/**
 * A stopping server closes idle connections at once, busy ones after their response, and those that do not finish
 * after a while.
 */
function closeConnectionsOnStop(app: FastifyInstance, graceMs: number): void {
  let isStopping = false;
  app.addHook("preClose", () => {
    isStopping = true;
    setTimeout(() => app.server.closeAllConnections(), graceMs).unref();
  });
  app.addHook("onResponse", (_request, _reply, done) => {
    // A connection is idle only after its response has left the stack.
    if (isStopping) setImmediate(() => app.server.closeIdleConnections());
    done();
  });
}

/** URLs that the router rejects reach no hook: they are answered and logged here. */
function answerUnroutable(log: Log, page: NotFoundPage) {
  return (error: Error, request: FastifyRequest, reply: FastifyReply): void => {
    if (!page(request, reply)) void errorHandler(log)(error, request, reply);
    const fields = { request_id: request.id, method: request.raw.method, route: "unknown" };
    log.info({ ...fields, status: reply.statusCode }, "request");
  };
}

/** Once for each request, after its response. */
function recordRequests(app: FastifyInstance, record: (answered: AnsweredRequest) => void): void {
  app.addHook("onRequest", (request, reply, done) => {
    reply.header("x-request-id", request.id);
    done();
  });
  app.addHook("onResponse", (request, reply, done) => {
    record({
      requestId: request.id,
      method: request.method,
      route: request.routeOptions.url ?? "unknown",
      status: reply.statusCode,
      durationMs: reply.elapsedTime,
      keyId: request.caller?.key.id,
    });
    done();
  });
}

function logRequest(log: Log, answered: AnsweredRequest): void {
  const { requestId: request_id, durationMs, keyId: key_id, ...fields } = answered;
  log.info({ request_id, ...fields, duration_ms: Math.round(durationMs), key_id }, "request");
}
