/**
 * The OpenAPI document around the calls, which come from the routes: named schemas, headers of every call, webhooks.
 */
import type { SwaggerOptions } from "@fastify/swagger";
import { envelope, EVENTS, TEST_EVENT, WebhookTest } from "../contract/events.ts";
import { PROBLEM_TYPE, Problem } from "../contract/problem.ts";

const TAGS = {
  Feeds: "The four hosted files.",
  Syncs: "Runs that update the catalog from a source or a push.",
  Sources: "Where the catalog is pulled from.",
  Catalog: "Push items; settings; remove the catalog.",
  Keys: "Who may call the API.",
  Items: "The stored items.",
  Rules: "Standing instructions that change items on their way into the feeds.",
  Proposals: "Values that are proposed for items, and decisions about them.",
  Audit: "The score and the findings.",
  Changes: "Who changed what.",
  Session: "Signing in to the console.",
  Events: "What happens, as it happens.",
  Destinations: "Where the files are delivered, and the receipts.",
  Alerts: "What needs attention, and who is mailed about it.",
  Webhooks: "Endpoints that are notified, and what was sent to them.",
} as const;
export type ApiTag = keyof typeof TAGS;

export function openapiInfo(baseUrl: string): SwaggerOptions {
  return {
    openapi: {
      openapi: "3.1.0",
      info: {
        title: "Shelfwire",
        version: "1",
        description:
          "Hosted catalog feeds, source syncs and run history. Every JSON response has the single key `data`; every error is an RFC 9457 problem document with a stable `code`.",
        license: { name: "Apache-2.0", identifier: "Apache-2.0" },
      },
      servers: [{ url: baseUrl }],
      tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
      components: {
        securitySchemes: {
          key: {
            type: "http",
            scheme: "bearer",
            description: "An API key, sw_…. It belongs to one catalog.",
          },
        },
      },
    },
    transform: ({ schema, url, route }) => {
      const body = route.config?.streamedBody ?? undefined;
      return { schema: body === undefined ? schema : { ...schema, body }, url };
    },
    transformObject: (document) =>
      "openapiObject" in document ? complete(document.openapiObject) : document.swaggerObject,
  };
}

type OpenapiObject = { [key: string]: unknown };

const REQUEST_ID = {
  description:
    "Identifies the request in the log and in problems. Sent by the caller, or made by the server.",
  schema: { type: "string", pattern: "^[\\w.:-]{1,128}$" },
};

const CATALOG = {
  description:
    "The slug of the catalog that the call is about, for callers that can use several: sessions and operator keys. 404 if they cannot use it.",
  schema: { type: "string" },
};

const LOCATION = {
  description: "Where the state of the run can be read. Missing where the catalog itself was removed.",
  schema: { type: "string", examples: ["/api/v1/syncs/01a1dd17-9f27-78f6-9abd-d1a8ebaea6ff"] },
};

/** Adds what all routes share, and moves every schema with a title to `components`. */
function complete<Document extends OpenapiObject>(document: Document): Document {
  const components = (document["components"] ?? {}) as OpenapiObject;
  const schemas: OpenapiObject = {};
  const paths = withNamedSchemas(document["paths"], schemas) as Record<string, Record<string, OpenapiObject>>;
  for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods))) {
    const parameters = (operation["parameters"] ?? []) as readonly OpenapiObject[];
    const hasKey = ((operation["security"] ?? []) as readonly OpenapiObject[]).length > 0;
    operation["parameters"] = [
      ...parameters,
      ...(hasKey ? [{ $ref: "#/components/parameters/Catalog" }] : []),
      { $ref: "#/components/parameters/RequestId" },
    ];
    for (const [status, response] of Object.entries(
      operation["responses"] as Record<string, OpenapiObject>,
    )) {
      response["headers"] = {
        "X-Request-Id": { $ref: "#/components/headers/RequestId" },
        ...(status === "202" && { Location: { $ref: "#/components/headers/Location" } }),
      };
    }
  }
  const webhooks = withNamedSchemas(webhookPaths(), schemas);
  return {
    ...document,
    paths,
    webhooks,
    components: {
      ...components,
      schemas: Object.fromEntries(Object.entries(schemas).toSorted(([a], [b]) => (a < b ? -1 : 1))),
      parameters: {
        Catalog: { name: "Shelfwire-Catalog", in: "header", ...CATALOG },
        RequestId: { name: "X-Request-Id", in: "header", ...REQUEST_ID },
      },
      headers: { RequestId: REQUEST_ID, Location: LOCATION },
    },
  };
}

/** Keys whose values are data, not schemas. */
const DATA_KEYS: ReadonlySet<string> = new Set(["example", "examples", "default", "enum", "const"]);

/** Replaces every schema with a title by a reference, and collects the schemas. */
function withNamedSchemas(node: unknown, schemas: OpenapiObject): unknown {
  if (Array.isArray(node)) return node.map((element) => withNamedSchemas(element, schemas));
  if (typeof node !== "object" || node === null) return node;
  const copy: OpenapiObject = {};
  for (const [key, value] of Object.entries(node)) {
    copy[key] = DATA_KEYS.has(key) ? value : withNamedSchemas(value, schemas);
  }
  // A list of strings, for client generators that need a type.
  if (Array.isArray(copy["enum"]) && copy["type"] === undefined) copy["type"] = "string";
  const { title: name } = copy;
  if (typeof name !== "string") return copy;
  schemas[name] ??= copy;
  return { $ref: `#/components/schemas/${name}` };
}

const DELIVERY_HEADERS = {
  "X-Service-Event": "The type of the event.",
  "X-Service-Signature": "`t=<seconds>,v1=<hex>`: HMAC-SHA256 of `<t>.<body>` with the secret.",
  "webhook-id": "The event's id. The same on every attempt: deduplicate by it.",
  "webhook-timestamp": "Seconds since 1970.",
  "webhook-signature": "The same signature in the form of Standard Webhooks.",
};

function webhookPaths(): OpenapiObject {
  const parameters = Object.entries(DELIVERY_HEADERS).map(([name, description]) => ({
    name,
    in: "header",
    required: true,
    description,
    schema: { type: "string" },
  }));
  return Object.fromEntries(
    Object.entries({ ...EVENTS, [TEST_EVENT]: WebhookTest }).map(([event, data]) => [
      event,
      {
        post: {
          operationId: `on.${event}`,
          summary: event,
          description: EVENT_DESCRIPTIONS[event],
          tags: ["Webhooks"],
          security: [],
          parameters,
          requestBody: { required: true, content: { "application/json": { schema: envelope(event, data) } } },
          responses: {
            "2XX": { description: "Received. Any other response is retried." },
            "4XX": { description: "Retried five times: after 1, 5 and 30 minutes, 2 and 12 hours." },
          },
        },
      },
    ]),
  );
}

const EVENT_DESCRIPTIONS: Readonly<Record<string, string>> = {
  "sync.completed": "A sync or a push has changed, or confirmed, the catalog.",
  "feeds.rendered": "The feeds were rendered and published.",
  "audit.completed": "The catalog was audited.",
  "shelfwire.sync.failed":
    "A sync or a push has failed for good. Sent only to endpoints that registered for it.",
  "shelfwire.render.failed": "A render has failed for good. Sent only to endpoints that registered for it.",
  "shelfwire.render.held": "A render was not published because it differs too much from the published one.",
  "shelfwire.delivery.failed": "Files or an event could not be delivered, and there is no further attempt.",
  "webhook.test": "A test delivery was requested.",
};

const PROBLEM_DESCRIPTIONS: Readonly<Record<number, string>> = {
  400: "The request is malformed; `errors` names the fields.",
  401: "The API key is missing or unknown.",
  403: "The API key lacks the scope that this call needs.",
  404: "It does not exist in this catalog.",
  409: "A conflicting operation is running. Try again later.",
  413: "The body is too large.",
  415: "The body has a type or an encoding that this call does not accept.",
  422: "The request is valid but cannot be processed; `detail` says why.",
  429: "Too many calls. `Retry-After` says when to try again.",
  503: "The database is down or the server is stopping. `Retry-After` says when to try again.",
};

/** The error responses of a call. */
export function problemResponses(statuses: readonly number[]) {
  return Object.fromEntries(
    statuses.map((status) => [
      status,
      {
        description: PROBLEM_DESCRIPTIONS[status] ?? "The request was rejected.",
        content: { [PROBLEM_TYPE]: { schema: Problem } },
      },
    ]),
  );
}
