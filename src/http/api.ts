/**
 * The parts that all API calls share: authentication, scope, rate limit, validated and typed input, and a signal that
 * aborts when the caller disconnects or the server stops.
 */
import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  FastifySchema,
  preHandlerAsyncHookHandler,
} from "fastify";
import type { Readable } from "node:stream";
import type { TSchema } from "typebox";
import type { Wire } from "../contract/shapes.ts";
import type { Senders } from "../destinations/send.ts";
import { AppError } from "../errors.ts";
import type { AllowList } from "../lib/outbound/allow-list.ts";
import type { MailClient } from "../lib/outbound/mail-client.ts";
import type { WebhookHttpClient } from "../lib/outbound/webhook-http-client.ts";
import type { Lookup } from "../lib/outbound/name-lookup.ts";
import type { Encryption } from "../lib/encryption.ts";
import { changeLogOf } from "../setup/changes.ts";
import type { ChangeLog } from "../setup/changes.ts";
import type { FeedUrl } from "../setup/feed-urls.ts";
import type { Db } from "../store/db.ts";
import type { Notices } from "../store/notices.ts";
import { authenticate, requireCatalog, requireScope } from "./auth.ts";
import type { Caller, KeyScope } from "./auth.ts";
import type { HeavyHook, HeavyKind } from "./heavy-calls.ts";
import { problemResponses } from "./openapi.ts";
import type { ApiTag } from "./openapi.ts";
import { unknownNamesError } from "./validation.ts";
import type { WrongKeyLimit } from "./wrong-keys.ts";

export type ApiDeps = {
  readonly db: Db;
  readonly notices: Notices;
  readonly baseUrl: string;
  readonly feedUrl: FeedUrl;
  readonly encryption: Encryption;
  /** The value of ALLOW_PRIVATE_TARGETS. */
  readonly allow: AllowList;
  /** Sends test deliveries. */
  readonly webhookHttpClient: WebhookHttpClient;
  /** Test destinations. */
  readonly senders: Senders;
  /** Mails alerts; undefined if SMTP_URL is not set. */
  readonly mail?: MailClient | undefined;
  /** Replaces DNS lookups in tests. */
  readonly lookup?: Lookup;
  /** The value of SYNC_INTERVAL: the interval of a new source, six hours by default. */
  readonly syncIntervalS?: number;
};

/** The schemas of a call's parts; undefined if it has none. The types of its handler are inferred from them. */
export type CallParts = {
  readonly params: TSchema | undefined;
  readonly query: TSchema | undefined;
  readonly headers: TSchema | undefined;
  /** A body that is validated before the handler runs, or the description of one that the handler reads as a stream. */
  readonly body: TSchema | StreamedBody | undefined;
};

/** A body of another type than JSON: its content by media type. Also the form of an answer that is not JSON. */
export type StreamedBody = {
  readonly description: string;
  readonly content: Readonly<Record<string, { readonly schema: TSchema }>>;
};

type ValueOf<Schema> = Schema extends TSchema ? Wire<Schema> : undefined;

export type Call<P extends CallParts = CallParts> = {
  readonly caller: Caller;
  readonly signal: AbortSignal;
  readonly request: FastifyRequest;
  readonly params: ValueOf<P["params"]>;
  readonly query: ValueOf<P["query"]>;
  readonly headers: ValueOf<P["headers"]>;
  readonly body: ValueOf<P["body"]>;
  /** Logs who made a change; every call that changes something uses it. */
  readonly changeLog: ChangeLog;
};

type SuccessStatus = 200 | 201 | 202;
type Answers = { readonly [Status in SuccessStatus]?: TSchema | StreamedBody };
type AnswerBody<Schema> = Schema extends StreamedBody ? string | Readable : ValueOf<Schema>;

/** One of the responses of a call; the status defaults to 200. */
export type Answer<A extends Answers> = {
  readonly [Status in keyof A & SuccessStatus]: {
    readonly headers?: Readonly<Record<string, string>>;
    readonly body: AnswerBody<A[Status]>;
  } & (Status extends 200 ? { readonly status?: 200 } : { readonly status: Status });
}[keyof A & SuccessStatus];

export type ApiRoute<P extends CallParts, A extends Answers> = Partial<P> & {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly url: string;
  /** Null means that the call needs no authentication. */
  readonly scope: KeyScope | null;
  /** The call concerns no single catalog. */
  readonly isForInstallation?: boolean;
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly answers: A;
  /** For calls of the contract: unknown body fields and query parameters are ignored. */
  readonly ignoresUnknown?: boolean;
  /**
   * Set for a call that takes much processor time: the call runs in a process of its own, within the budget of its key.
   */
  readonly heavy?: HeavyKind;
  /** Error statuses in addition to those of `problemsOf`. */
  readonly problems?: readonly number[];
  readonly handler: (call: Call<P>) => Promise<Answer<NoInfer<A>>>;
};

/* oxlint-disable typescript/no-unnecessary-type-parameters -- each is inferred from the route and types its handler */
export type Api = {
  readonly route: <
    A extends Answers,
    Params extends CallParts["params"] = undefined,
    Query extends CallParts["query"] = undefined,
    Headers extends CallParts["headers"] = undefined,
    Body extends CallParts["body"] = undefined,
  >(
    route: ApiRoute<
      { readonly params: Params; readonly query: Query; readonly headers: Headers; readonly body: Body },
      A
    >,
  ) => void;
};
/* oxlint-enable typescript/no-unnecessary-type-parameters */

declare module "fastify" {
  interface FastifyContextConfig {
    streamedBody?: StreamedBody | null;
  }
  interface FastifyRequest {
    caller: Caller | null;
    /** No time limit for the body: its reader enforces a minimum rate. */
    allowLongBody: () => void;
    /** The time limit of the body begins now. */
    limitBody: () => void;
  }
}

export type Frame = {
  /** Aborts when the server stops. */
  readonly stopping: AbortSignal;
  /** Applies the rate limit of the key. Runs after authentication. */
  readonly limit: preHandlerAsyncHookHandler | null;
  readonly limitWrongKeys: WrongKeyLimit;
  /** Admits heavy calls and passes them on. Runs after all checks of the key. Undefined: this process answers them. */
  readonly heavy: HeavyHook | undefined;
};

export function apiOn(
  app: FastifyInstance,
  tag: ApiTag,
  { db }: ApiDeps,
  { stopping, limit, limitWrongKeys, heavy }: Frame,
): Api {
  return {
    route: (route) => {
      const { method, url, scope, handler } = route;
      app.route({
        method,
        url,
        schema: fastifySchema(tag, route),
        config: { streamedBody: streamedBody(route.body) },
        onRequest: async (request) => {
          if (scope !== null)
            request.caller = await limitWrongKeys(request, async () => authenticate(db, request));
        },
        // Before the body is read: a rejected caller learns nothing about bodies.
        preParsing: [
          ...(limit && scope !== null ? [limit] : []),
          async (request: FastifyRequest) => {
            if (scope === null) return;
            requireScope(callerOf(request), scope);
            if (route.isForInstallation !== true) requireCatalog(callerOf(request));
          },
          ...(route.heavy === undefined || !heavy ? [] : [heavy(route.heavy)]),
        ],
        preValidation: async (request: FastifyRequest) => {
          readQueryValues(request, route.query);
          if (method === "GET") return;
          if (route.ignoresUnknown !== true) refuseUnknown(request, route);
          // A call without a body is treated like one with an empty object.
          if (route.body !== undefined && !streamedBody(route.body)) request.body ??= {};
        },
        handler: async (request, reply) => {
          const signal = AbortSignal.any([stopping, disconnectSignal(reply)]);
          const { status = 200, headers = {}, body } = await handler(callOf(request, signal));
          // Responses contain feed tokens and current numbers: no cache may store them.
          return reply.code(status).header("cache-control", "no-store").headers(headers).send(body);
        },
      });
    },
  };
}

/** Fastify has validated the parts against the route's schemas. */
function callOf<P extends CallParts>(request: FastifyRequest, signal: AbortSignal): Call<P> {
  const { params, query, headers, body } = request;
  return {
    // Calls without authentication have neither.
    get caller() {
      return callerOf(request);
    },
    get changeLog() {
      return changeLogFor(request);
    },
    signal,
    request,
    params,
    query,
    headers,
    body,
  } as Call<P>;
}

function fastifySchema<P extends CallParts, A extends Answers>(
  tag: ApiTag,
  route: ApiRoute<P, A>,
): FastifySchema {
  const { params, query, headers, body, answers, operationId, summary, description, scope } = route;
  return {
    operationId,
    summary,
    ...(description !== undefined && { description }),
    tags: [tag],
    security: scope === null ? [] : [{ key: [scope] }],
    ...(params && { params }),
    ...(query && { querystring: query }),
    ...(headers && { headers }),
    ...(body && !streamedBody(body) && { body }),
    response: { ...answers, ...problemResponses(problemsOf(route)) },
  };
}

/** A streamed body is documented but not validated: the handler reads it. */
const streamedBody = (body: CallParts["body"]): StreamedBody | null =>
  body !== undefined && "content" in body ? body : null;

/**
 * Lists the problems that a call can answer. Every call may fail because of its key, the rate limit or the database.
 * Its input may be invalid, or the id in its path unknown. A call with a key may name a catalog that the key cannot use
 * (404), or name none although it must (400).
 */
function problemsOf<P extends CallParts, A extends Answers>(route: ApiRoute<P, A>): readonly number[] {
  const { method, query, body, params, scope, problems = [] } = route;
  const hasBody = method !== "GET";
  const named = params || scope !== null ? [400, 404] : [];
  const input = hasBody || query || body ? [400] : [];
  const sent = hasBody ? [413, 415] : [];
  return [...input, ...named, 401, 403, ...sent, 429, 503, ...problems];
}

type QuerySchema = { readonly properties?: Readonly<Record<string, { readonly type?: string }>> };

/**
 * Query parameters are strings: digits become a number, and true and false a flag, where the schema says so. Bodies are
 * not converted.
 */
function readQueryValues({ query }: FastifyRequest, schema: unknown): void {
  const { properties = {} } = (schema ?? {}) as QuerySchema;
  const values = query as Record<string, unknown>;
  for (const [name, { type }] of Object.entries(properties)) {
    const text = values[name];
    if (type === "integer" && typeof text === "string" && /^-?\d{1,15}$/.test(text))
      values[name] = Number(text);
    if (type === "boolean" && (text === "true" || text === "false")) values[name] = text === "true";
  }
}

/**
 * Refuses unknown fields and parameters: a call that changes something must not ignore what the caller has asked for,
 * such as a dry run that the call does not have.
 */
function refuseUnknown(
  { query, body }: FastifyRequest,
  route: { readonly query?: unknown; readonly body?: unknown },
): void {
  const parameters = route.query === undefined ? namesIn(query) : [];
  if (parameters.length > 0) throw unknownNamesError(parameters, "querystring");
  const fields = route.body === undefined ? namesIn(body) : [];
  if (fields.length > 0) throw unknownNamesError(fields, "body");
}

const namesIn = (value: unknown): readonly string[] =>
  typeof value === "object" && value !== null ? Object.keys(value) : [];

export function changeLogFor(request: FastifyRequest): ChangeLog {
  const { id: keyId, handle, name } = callerOf(request).key;
  return changeLogOf({
    actor: { kind: "key", keyId, handle, name },
    call: `${request.method} ${request.routeOptions.url}`,
    requestId: request.id,
  });
}

function callerOf({ caller }: FastifyRequest): Caller {
  if (!caller) throw new AppError("unauthorized", "No API key was checked for this call.");
  return caller;
}

/** Aborts when the connection closes, before or after the response. */
export function disconnectSignal({ raw }: FastifyReply): AbortSignal {
  const abort = new AbortController();
  raw.once("close", () =>
    abort.abort(new AppError("stopping", "The caller disconnected; the run continues.")),
  );
  return abort.signal;
}
