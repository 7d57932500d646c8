/**
 * The frame every API call runs in: authentication, scope, rate limit, and a signal that ends when the caller
 * hangs up or the server stops. A route says what it needs; nothing here knows a resource.
 */
import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  FastifySchema,
  preHandlerAsyncHookHandler,
} from "fastify";
import { AppError } from "../errors.ts";
import type { AllowList } from "../lib/outbound/allow-list.ts";
import type { WebhookHttpClient } from "../lib/outbound/webhook-http-client.ts";
import type { Lookup } from "../lib/outbound/name-lookup.ts";
import type { Sealer } from "../lib/seal.ts";
import type { JobDeps } from "../pipeline/job.ts";
import type { FeedUrl } from "../setup/feed-urls.ts";
import type { Db } from "../store/db.ts";
import type { Notices } from "../store/notices.ts";
import { authenticate, requireScope } from "./auth.ts";
import type { Caller, Scope } from "./auth.ts";
import type { WrongKeyLimit } from "./wrong-keys.ts";

export type ApiDeps = {
  readonly db: Db;
  readonly notices: Notices;
  readonly baseUrl: string;
  readonly feedUrl: FeedUrl;
  readonly sealer: Sealer;
  /** Of ALLOW_PRIVATE_TARGETS. */
  readonly allow: AllowList;
  /** Sends tests of webhooks. */
  readonly poster: WebhookHttpClient;
  /** Stands in for the machine's name servers where webhooks are registered. */
  readonly lookup?: Lookup;
  /** For calls that do a worker's work while the caller waits: tests of sources and webhooks. */
  readonly jobs: JobDeps;
  /** Of SYNC_INTERVAL: how often a new source is synced. Six hours unless told. */
  readonly syncIntervalS?: number;
};

export type Call = {
  readonly caller: Caller;
  readonly signal: AbortSignal;
  readonly request: FastifyRequest;
};
export type Answer = {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body: unknown;
};

export type ApiRoute = {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly url: string;
  readonly scope: Scope;
  readonly schema: FastifySchema;
  readonly handler: (call: Call) => Promise<Answer>;
};

export type Api = { readonly route: (route: ApiRoute) => void };

declare module "fastify" {
  interface FastifyRequest {
    caller: Caller | null;
    /** Lets the body take as long as it needs; whoever reads it watches the pace. */
    allowLongBody: () => void;
  }
}

export type Frame = {
  /** Aborts when the server stops. */
  readonly stopping: AbortSignal;
  /** Counts the call against its key, and refuses what is over the limit. Runs once the caller is known. */
  readonly limit: preHandlerAsyncHookHandler | null;
  readonly limitWrongKeys: WrongKeyLimit;
};

export function apiOn(
  app: FastifyInstance,
  { db }: ApiDeps,
  { stopping, limit, limitWrongKeys }: Frame,
): Api {
  return {
    route: ({ method, url, scope, schema, handler }) => {
      app.route({
        method,
        url,
        schema: { ...schema, security: [{ key: [scope] }] },
        onRequest: async (request) => {
          const { ip: address, headers } = request;
          request.caller = await limitWrongKeys({
            address,
            credential: headers.authorization,
            authenticate: async () => authenticate(db, request),
          });
        },
        // Before the body is looked at: a caller over the limit or out of scope learns nothing about bodies.
        preParsing: [
          ...(limit ? [limit] : []),
          async (request: FastifyRequest) => requireScope(callerOf(request), scope),
        ],
        preValidation: async (request: FastifyRequest) => readNumbers(request, schema.querystring),
        handler: async (request, reply) => {
          const signal = AbortSignal.any([stopping, hangUp(reply)]);
          const {
            status = 200,
            headers = {},
            body,
          } = await handler({ caller: callerOf(request), signal, request });
          // Answers hold feed tokens and numbers of one moment: nobody between us and the caller may keep them.
          return reply.code(status).header("cache-control", "no-store").headers(headers).send(body);
        },
      });
    },
  };
}

type QuerySchema = { readonly properties?: Readonly<Record<string, { readonly type?: string }>> };

/** An address has only texts; where the schema says integer, digits are one. In bodies, types are what they are. */
function readNumbers({ query }: FastifyRequest, schema: unknown): void {
  const { properties = {} } = (schema ?? {}) as QuerySchema;
  const asked = query as Record<string, unknown>;
  for (const [name, { type }] of Object.entries(properties)) {
    const text = asked[name];
    if (type === "integer" && typeof text === "string" && /^-?\d{1,15}$/.test(text))
      asked[name] = Number(text);
  }
}

function callerOf({ caller }: FastifyRequest): Caller {
  if (!caller) throw new AppError("unauthorized", "No API key was checked for this call.");
  return caller;
}

/** Aborts when the answer is sent or the caller's connection closes before it could be. */
function hangUp(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  reply.raw.once("close", () => gone.abort(new AppError("stopping", "The caller hung up; the run goes on.")));
  return gone.signal;
}
