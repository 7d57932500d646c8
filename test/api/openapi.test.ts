/** The OpenAPI document is the API: every call is in it with its scope, and every real answer is one it describes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { Compile } from "typebox/schema";
import { EVENT_TYPES, TEST_EVENT } from "../../src/contract/events.ts";
import { PUSH_FIELDS } from "../../src/sources/push/push-fields.ts";
import { openReceiver } from "../fakes/receiver.ts";
import { heldFeed } from "../fakes/held-feed.ts";
import { failRenders, allowRenders } from "./renders.ts";
import { csv, mugs } from "./rows.ts";
import { runningApi } from "./running-api.ts";
import type { Answer, Asked, Shop } from "./running-api.ts";
import { closeAfterTests } from "../close-after.ts";

type Operation = {
  readonly operationId: string;
  readonly summary: string;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly ({ readonly name: string } | { readonly $ref: string })[];
  readonly requestBody?: {
    readonly required: boolean;
    readonly content: Readonly<Record<string, { schema: object }>>;
  };
  readonly responses: Readonly<
    Record<
      string,
      { readonly description: string; readonly content: Readonly<Record<string, { schema: object }>> }
    >
  >;
};
type Document = {
  readonly openapi: string;
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks: Readonly<
    Record<string, { readonly post: { readonly parameters: readonly { readonly name: string }[] } }>
  >;
  readonly components: {
    readonly securitySchemes: Readonly<Record<string, { readonly type: string; readonly scheme: string }>>;
    readonly schemas: Readonly<Record<string, object>>;
  };
};

const api = closeAfterTests(await runningApi());
const document = (await api.ask("/api/v1/openapi.json")).json as Document;

const operations = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );

test("every call with a key names the header of the catalog, and its 404", async () => {
  const { paths } = (await api.ask("/api/v1/openapi.json")).json as {
    paths: Record<string, Record<string, { security?: object[]; parameters: object[]; responses: object }>>;
  };
  const keyed = Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .filter(({ security = [] }) => security.length > 0);

  assert.ok(keyed.length > 50);
  for (const { parameters, responses } of keyed) {
    assert.ok(JSON.stringify(parameters).includes("#/components/parameters/Catalog"));
    assert.ok("404" in responses);
  }
});

test("the document is OpenAPI 3.1, has the URL of this installation, and needs no key", async () => {
  const answer = await api.ask("/api/v1/openapi.json");

  assert.equal(answer.status, 200);
  assert.match(String(answer.headers["content-type"]), /^application\/json\b/);
  assert.match(document.openapi, /^3\.1\.\d+$/);
  assert.deepEqual(document.servers, [{ url: "http://feeds.test" }]);
  const { type, scheme } = document.components.securitySchemes["key"] ?? {};
  assert.deepEqual({ type, scheme }, { type: "http", scheme: "bearer" });
});

/** Every address the router knows, put together from the tree it prints: four characters a level. */
function routedPaths(tree: string): string[] {
  const above: string[] = [];
  return tree.split("\n").flatMap((line) => {
    const [, indent = "", part = "", methods] =
      /^([│├└─\s]*)(\S+?)(?: \((.*)\))?$/.exec(line.trimEnd()) ?? [];
    const level = indent.length / 4;
    above[level] = (above[level - 1] ?? "") + part;
    return methods === undefined ? [] : [above[level] ?? ""];
  });
}

test("every path of the API is in it, with exactly its methods", async () => {
  const routed = routedPaths(api.app.printRoutes({ commonPrefix: false }))
    .filter((path) => path.startsWith("/api/v1/") && path !== "/api/v1/openapi.json")
    .map((path) => path.replaceAll(/:(\w+)/g, "{$1}"));

  assert.deepEqual([...new Set(routed)].toSorted(), Object.keys(document.paths).toSorted());
  for (const [path, methods] of Object.entries(document.paths)) {
    const { headers } = await api.ask(path, { method: "OPTIONS" });
    const taken = String(headers["allow"])
      .toLowerCase()
      .split(", ")
      .filter((method) => method !== "head");
    assert.deepEqual(taken.toSorted(), Object.keys(methods).toSorted(), path);
  }
});

/** Calls that concern the catalog as a whole. */
const ADMIN_CALLS: ReadonlySet<string> = new Set([
  "delete /api/v1/catalog",
  "patch /api/v1/catalog/settings",
  "patch /api/v1/publish-guard",
  "get /api/v1/keys",
  "post /api/v1/keys",
  "delete /api/v1/keys",
]);

test("every call names the scope it needs: admin for the catalog as a whole, else read to read, write to change", () => {
  assert.ok(operations().length >= 4);
  for (const { path, method, operation } of operations()) {
    const call = `${method} ${path}`;
    const scope =
      call === "post /api/v1/catalogs" || call === "post /api/v1/installation/resume"
        ? "operator"
        : ADMIN_CALLS.has(call)
          ? "admin"
          : method === "get"
            ? "read"
            : "write";
    const security = path === "/api/v1/session" ? [] : [{ key: [scope] }];
    assert.deepEqual(operation.security, security, call);
  }
});

/** Answers that are not JSON. */
const TABLES_AND_STREAMS: Readonly<Record<string, string | readonly string[]>> = {
  "/api/v1/syncs/{id}/issues.csv": "text/csv",
  "/api/v1/renders/{id}/refusals.csv": "text/csv",
  "/api/v1/audit/findings.csv": "text/csv",
  "/api/v1/events": "text/event-stream",
  "/api/v1/renders/{id}/compare/{other}": ["application/json", "application/x-ndjson"],
};

test("every call has a unique operationId, and every error is a problem document", () => {
  const names = operations().map(({ operation }) => operation.operationId);
  assert.equal(new Set(names).size, names.length);
  for (const { path, method, operation } of operations()) {
    for (const status of ["401", "403", "429", "503"])
      assert.ok(operation.responses[status], `${method} ${path} ${status}`);
    for (const [status, { content }] of Object.entries(operation.responses)) {
      const types =
        status < "300"
          ? [TABLES_AND_STREAMS[path] ?? ["application/json"]].flat()
          : ["application/problem+json"];
      assert.deepEqual(Object.keys(content), types, `${method} ${path} ${status}`);
    }
  }
});

test("Redocly's recommended rules find nothing, examples included", async () => {
  const config = await createConfig({ extends: ["recommended"] });
  const source = JSON.stringify(document);
  const problems = await lintFromString({ source, absoluteRef: "openapi.json", config });

  assert.deepEqual(
    problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer]),
    [],
  );
});

test("every response has a description", () => {
  for (const { path, method, operation } of operations()) {
    for (const [status, { description }] of Object.entries(operation.responses)) {
      assert.match(description, /^[A-Z\u0060].{10,}\.$/, `${method} ${path} ${status}`);
    }
  }
});

test("shared schemas have names, for generated clients", () => {
  const named = Object.keys(document.components.schemas);
  for (const name of [
    "SyncRun",
    "SyncStats",
    "Source",
    "Webhook",
    "Delivery",
    "Attempt",
    "Finding",
    "Problem",
  ])
    assert.ok(named.includes(name), name);
});

/** Unknown fields of products are counted as warnings: what a shop system exports has many. */
const PUSHES: readonly string[] = ["/api/v1/catalog", "/api/v1/catalog/preview"];

/** The calls of the contract take any client's call. */
const OF_THE_CONTRACT = [
  "post /api/v1/feeds",
  "post /api/v1/syncs",
  "post /api/v1/webhooks",
  "delete /api/v1/webhooks",
];

test("no call ignores a field that it does not know, except those of the contract, and fields of products", () => {
  const isStrict = ({ path, method }: { path: string; method: string }) =>
    !PUSHES.includes(path) && !OF_THE_CONTRACT.includes(`${method} ${path}`);
  for (const { path, method, operation } of operations().filter(isStrict))
    for (const { schema } of Object.values(operation.requestBody?.content ?? {})) {
      const name = "$ref" in schema ? String(schema.$ref).split("/").at(-1) : undefined;
      const described = name === undefined ? schema : (document.components.schemas[name] ?? {});
      assert.ok(
        "additionalProperties" in described && described.additionalProperties === false,
        `${method} ${path}`,
      );
    }
});

test("every event is in it, with its body and its signature headers", () => {
  const { webhooks } = document;
  assert.deepEqual(Object.keys(webhooks).toSorted(), [...EVENT_TYPES, TEST_EVENT].toSorted());
  for (const [event, { post }] of Object.entries(webhooks)) {
    const names = post.parameters.map(({ name }) => name.toLowerCase());
    for (const header of ["x-service-signature", "x-service-event", "webhook-id", "webhook-signature"])
      assert.ok(names.includes(header), `${event} ${header}`);
  }
});

test("the schema of a pushed product has exactly the fields that a push reads", () => {
  for (const name of ["PushProduct", "PushChange"]) {
    const { properties } = document.components.schemas[name] as { readonly properties: object };
    const more = new Set(["delete", "mode", "google", "variants"]);
    const fields = Object.keys(properties).filter((field) => !more.has(field));
    assert.deepEqual(fields.toSorted(), PUSH_FIELDS.map((field) => field.name).toSorted(), name);
  }
});

/** Calls that wait for a run, besides pushes. */
const WAITING: ReadonlySet<string> = new Set([
  "post /api/v1/syncs",
  "delete /api/v1/items",
  "put /api/v1/rules",
  "put /api/v1/categories",
  "post /api/v1/proposals/approve",
  "post /api/v1/proposals/reject",
  "post /api/v1/proposals/withdraw",
]);

test("calls that wait for a run take Prefer, pushes an Idempotency-Key, and all a request id", () => {
  const namesOf = ({ parameters = [] }: Operation) =>
    parameters.map((parameter) => ("$ref" in parameter ? parameter.$ref : parameter.name));
  for (const { path, method, operation } of operations()) {
    const names = namesOf(operation);
    assert.ok(names.includes("#/components/parameters/RequestId"), `${method} ${path}`);
    const isPush = path === "/api/v1/catalog" && method !== "delete";
    const waits = isPush || WAITING.has(`${method} ${path}`);
    assert.equal(names.includes("prefer"), waits, `${method} ${path}`);
    assert.equal(names.includes("idempotency-key"), isPush, `${method} ${path}`);
  }
});

/** Fails unless the document has this status and type for the call, and the body fits its schema. */
function assertDescribed(path: string, method: string, answer: Answer): void {
  const what = `${method} ${path} ${answer.status}`;
  const response = document.paths[path]?.[method.toLowerCase()]?.responses[String(answer.status)];
  assert.ok(response, `${what} is not in the document`);
  const type = String(answer.headers["content-type"]).split(";")[0] ?? "";
  const schema = response.content[type]?.schema;
  assert.ok(schema, `${what} as ${type} is not in the document`);
  // References in the schema start from the document's root.
  const [isValid, errors] = Compile({ ...schema, components: document.components }).Errors(answer.json);
  assert.ok(isValid, `${what}: ${JSON.stringify(errors)} in ${answer.text}`);
}

test("the validator of this test rejects a body that breaks the schema and accepts one that keeps it", async () => {
  const { status, headers, bytes } = await (await api.openShop()).call("/api/v1/feeds");
  const broken = Buffer.from(bytes.toString().replace("acp.csv", "acp.xml"));
  const answer = (body: Buffer): Answer => ({
    status,
    headers,
    bytes: body,
    text: "",
    json: JSON.parse(body.toString()),
  });

  assert.doesNotThrow(() => assertDescribed("/api/v1/feeds", "GET", answer(bytes)));
  assert.throws(() => assertDescribed("/api/v1/feeds", "GET", answer(broken)));
});

type Scenario = {
  readonly path: string;
  readonly asked: Asked;
  readonly status: number;
  /** What is really asked for, where that is not the path itself. */
  readonly at?: string;
};

async function assertAll(shop: Shop, scenarios: readonly Scenario[]): Promise<void> {
  for (const { path, asked, status, at = path } of scenarios) {
    const answer = await shop.call(at, asked);
    assert.equal(answer.status, status, answer.text);
    assertDescribed(path, asked.method ?? "GET", answer);
  }
}

test("the answers about catalogs, syncs and feeds match the document", async () => {
  const shop = await api.openShop([...mugs(2), { id: "bad", price: "free" }]);
  const syncNow: Asked = { method: "POST", body: { source_id: shop.sourceId } };
  const GET: Asked = {};

  await assertAll(shop, [
    { path: "/api/v1/feeds", asked: GET, status: 200 },
    { path: "/api/v1/syncs", asked: GET, status: 200 },
    { path: "/api/v1/syncs", asked: syncNow, status: 200 },
    { path: "/api/v1/feeds", asked: { method: "POST" }, status: 200 },
    { path: "/api/v1/feeds", asked: GET, status: 200 },
    { path: "/api/v1/syncs", asked: GET, status: 200 },
    { path: "/api/v1/catalog/preview", asked: { method: "POST", body: { products: [] } }, status: 200 },
    { path: "/api/v1/catalog/preview", asked: { method: "POST", body: { products: {} } }, status: 400 },
  ]);
  shop.answers({ kind: "file", status: 500, body: "" });
  await failRenders(api.db, "described");
  await assertAll(shop, [
    { path: "/api/v1/syncs", asked: syncNow, status: 422 },
    { path: "/api/v1/feeds", asked: { method: "POST" }, status: 422 },
    { path: "/api/v1/syncs", asked: GET, status: 200 },
  ]);
  await allowRenders(api.db, "described");
});

test("the answers about audits, items and webhooks match the document", async () => {
  await using receiver = await openReceiver();
  const shop = await api.openShop([...mugs(2), { id: "x".repeat(120), title: "SALE!!!" }]);
  const GET: Asked = {};
  const read = (path: string, at = path, status = 200): Scenario => ({
    path: `/api/v1${path}`,
    asked: GET,
    status,
    at: `/api/v1${at}`,
  });
  const write = (
    path: string,
    body: object,
    status: number,
    method: "POST" | "DELETE" = "POST",
  ): Scenario => ({
    path: `/api/v1${path}`,
    asked: { method, body },
    status,
  });
  const url = receiver.url("/hook");
  const made = await shop.call("/api/v1/webhooks", {
    method: "POST",
    body: { url, events: ["sync.completed"] },
  });
  assertDescribed("/api/v1/webhooks", "POST", made);
  const { id } = (made.json as { data: { id: string } }).data;

  await assertAll(shop, [read("/audit"), read("/audits"), read("/audit/findings"), read("/items")]);
  await shop.sync();
  await shop.sync();
  await assertAll(shop, [
    read("/audit"),
    read("/audits"),
    read("/audits", "/audits?limit=0", 400),
    read("/audit/findings"),
    read("/audit/findings", "/audit/findings?rule=none", 400),
    read("/items"),
    read("/items/{id}", `/items/${"x".repeat(120)}`),
    read("/items/{id}", "/items/nothing", 404),
    read("/item", `/item?id=${"x".repeat(120)}`),
    read("/item", "/item?id=..", 404),
    read("/item", "/item", 400),
    read("/webhooks"),
    write("/webhooks", { url: "https://10.0.0.1/", events: ["sync.completed"] }, 422),
    write("/webhooks", { url, events: [] }, 400),
    write("/webhooks/test", { id }, 200),
    write("/webhooks/rotate", { id }, 200),
    read("/webhooks/deliveries"),
    read("/webhooks/deliveries", "/webhooks/deliveries?state=lost", 400),
    write("/webhooks/deliveries/resend", { since: "2026-01-01T00:00:00.000Z" }, 200),
    write("/webhooks/deliveries/resend", { delivery_id: id }, 404),
    write("/webhooks", { id }, 200, "DELETE"),
    write("/webhooks", { id }, 404, "DELETE"),
  ]);
});

test("the answers during a sync match the document", async () => {
  await using feed = await heldFeed(csv(mugs(1)));
  const shop = await api.openShop([], feed.url);
  const body = { source_id: shop.sourceId };
  const asked: Asked = { method: "POST", headers: { prefer: "respond-async" }, body };
  const accepted = await shop.call("/api/v1/syncs", asked);
  await feed.asked;

  assertDescribed("/api/v1/syncs", "POST", accepted);
  await assertAll(shop, [
    { path: "/api/v1/syncs", asked, status: 202 },
    { path: "/api/v1/syncs", asked: {}, status: 200 },
  ]);

  feed.release();
  await api.ended((accepted.json as { data: { run_id: string } }).data.run_id);
});

test("the refusals match the document", async () => {
  const shop = await api.openShop();
  const wrongKey = { authorization: "Bearer unknown" };
  const reader = { authorization: `Bearer ${shop.readKey}` };
  const json = { "content-type": "application/json" };
  const large = { filler: "x".repeat(1024 * 1024) };

  await assertAll(
    shop,
    ["/api/v1/feeds", "/api/v1/syncs"].flatMap((path) => [
      { path, asked: { headers: wrongKey }, status: 401 },
      { path, asked: { method: "POST", headers: wrongKey }, status: 401 },
      { path, asked: { method: "POST", headers: reader }, status: 403 },
      { path, asked: { method: "POST", headers: json, body: "{" }, status: 400 },
      { path, asked: { method: "POST", headers: { "content-type": "text/plain" }, body: "x" }, status: 415 },
      { path, asked: { method: "POST", body: large }, status: 413 },
    ]),
  );
  await assertAll(shop, [
    { path: "/api/v1/syncs", asked: { method: "POST", body: {} }, status: 400 },
    { path: "/api/v1/syncs", asked: { method: "POST", body: { source_id: shop.id } }, status: 422 },
  ]);
});

test("a refusal for too many calls matches the document", async () => {
  await using limited = await runningApi({ rateLimitPerMinute: 1, hasWorker: false });
  const shop = await limited.openShop();
  // The one call.
  await shop.feeds();

  await assertAll(shop, [
    { path: "/api/v1/feeds", asked: {}, status: 429 },
    { path: "/api/v1/syncs", asked: { method: "POST", body: {} }, status: 429 },
  ]);
});
