/** Calls that the API refuses at once: missing permission, unknown paths, invalid requests. */
import assert from "node:assert/strict";
import { connect } from "node:net";
import { describe, test } from "node:test";
import type { ErrorCode } from "../../src/errors.ts";
import { newKey } from "../../src/lib/api-key.ts";
import { createKey } from "../../src/setup/keys.ts";
import { revokeKey } from "../../src/store/keys.ts";
import { assertProblem, likeness } from "./problem.ts";
import { mugs } from "./rows.ts";
import { runningApi } from "./running-api.ts";
import type { Asked } from "./running-api.ts";
import { closeAfterTests } from "../close-after.ts";

/** A UUID that is well made and names nothing. */
const NO_SOURCE = "01999999-1234-7abc-8abc-0123456789ab";

const api = closeAfterTests(await runningApi({ hasWorker: false }));
const shop = await api.openShop(mugs(1));

async function keyWith(scopes: readonly string[]): Promise<{ readonly id: string; readonly key: string }> {
  const expiresAt = new Date(Date.now() + 3_600_000);
  return createKey(api.db, { catalogId: shop.id, name: "test", scopes, expiresAt });
}

async function expiredKey(): Promise<string> {
  const { id, key } = await keyWith(["read", "write"]);
  await api.db.execute({
    text: "update api_keys set expires_at = now() - interval '1 second' where id = $1",
    values: [id],
  });
  return key;
}

async function revokedKey(): Promise<string> {
  const { id, key } = await keyWith(["read", "write"]);
  assert.ok(await revokeKey(api.db, id));
  return key;
}

const CALLS = [
  { method: "GET", path: "/api/v1/feeds" },
  { method: "POST", path: "/api/v1/feeds" },
  { method: "GET", path: "/api/v1/syncs" },
  { method: "POST", path: "/api/v1/syncs" },
] as const;

const UNAUTHORIZED: readonly {
  readonly who: string;
  readonly authorization: () => string | Promise<string>;
}[] = [
  { who: "no key", authorization: () => "" },
  { who: "a scheme without a key", authorization: () => "Bearer" },
  { who: "a text that is no key", authorization: () => "Bearer hunter2" },
  { who: "a truncated key", authorization: () => `Bearer ${shop.key.slice(0, -1)}` },
  { who: "a valid key with another scheme", authorization: () => `Basic ${shop.key}` },
  { who: "two keys", authorization: () => `Bearer ${shop.key} ${shop.key}` },
  { who: "an unknown key", authorization: () => `Bearer ${newKey().text}` },
  {
    who: "the handle of a key with another secret",
    authorization: () => `Bearer ${shop.key.slice(0, 16)}${newKey().text.slice(16)}`,
  },
  { who: "a revoked key", authorization: async () => `Bearer ${await revokedKey()}` },
  { who: "an expired key", authorization: async () => `Bearer ${await expiredKey()}` },
];

describe("who is calling", () => {
  for (const { who, authorization } of UNAUTHORIZED) {
    test(`${who} is unauthorized on every route`, async () => {
      const header = await authorization();

      for (const { method, path } of CALLS) {
        const answer = await api.ask(path, {
          method,
          headers: header === "" ? {} : { authorization: header },
        });
        assertProblem(answer, 401, "unauthorized");
        assert.match(String(answer.headers["www-authenticate"]), /^Bearer\b/);
      }
    });
  }

  test("an unknown key, a wrong secret, a revoked key and an expired key get the same refusal", async () => {
    const keys = await Promise.all(UNAUTHORIZED.slice(-4).map(async ({ authorization }) => authorization()));

    const answers = await Promise.all(
      keys.map((authorization) => api.ask("/api/v1/feeds", { headers: { authorization } })),
    );

    const [first, ...others] = answers.map((answer) => likeness(answer));
    for (const other of others) assert.deepEqual(other, first);
  });

  test("the scheme may be written in any case", async () => {
    for (const scheme of ["bearer", "BEARER"]) {
      const answer = await api.ask("/api/v1/feeds", { headers: { authorization: `${scheme} ${shop.key}` } });
      assert.equal(answer.status, 200);
    }
  });

  test("a key without the scope of the call is refused before its body is read", async () => {
    const readOnly = { authorization: `Bearer ${shop.readKey}` };
    const writeOnly = { authorization: `Bearer ${(await keyWith(["write"])).key}` };
    const asked: readonly (readonly [string, Asked])[] = [
      ["/api/v1/feeds", { method: "POST", headers: readOnly }],
      ["/api/v1/syncs", { method: "POST", headers: readOnly, body: { source_id: shop.sourceId } }],
      [
        "/api/v1/syncs",
        { method: "POST", headers: { ...readOnly, "content-type": "application/json" }, body: "{" },
      ],
      [
        "/api/v1/syncs",
        { method: "POST", headers: { ...readOnly, "content-type": "text/plain" }, body: "x" },
      ],
      ["/api/v1/feeds", { headers: writeOnly }],
      ["/api/v1/syncs", { headers: writeOnly }],
    ];

    for (const [path, call] of asked) {
      const { detail } = assertProblem(await api.ask(path, call), 403, "insufficient_scope");
      assert.match(detail, call.method === "POST" ? /"write"/ : /"read"/);
    }
  });
});

describe("what is called", () => {
  const WRONG_METHODS = [
    { path: "/api/v1/feeds", methods: ["PUT", "PATCH", "DELETE", "OPTIONS"], allow: "GET, HEAD, POST" },
    { path: "/api/v1/syncs", methods: ["PUT", "PATCH", "DELETE", "OPTIONS"], allow: "GET, HEAD, POST" },
    { path: "/api/v1/openapi.json", methods: ["POST", "DELETE"], allow: "GET, HEAD" },
    { path: "/healthz", methods: ["POST"], allow: "GET, HEAD" },
    { path: "/f/a/b/acp.csv", methods: ["POST", "PUT", "DELETE", "OPTIONS"], allow: "GET, HEAD" },
  ] as const;

  for (const { path, methods, allow } of WRONG_METHODS) {
    test(`${path} takes ${allow} and lists it in the answer to ${methods.join(", ")}`, async () => {
      for (const method of methods) {
        const answer = await api.ask(path, { method });
        assertProblem(answer, 405, "method_not_allowed");
        assert.equal(answer.headers["allow"], allow);
      }
    });
  }

  const NOWHERE = [
    "/",
    "/api",
    "/api/v1//",
    "/api/v1/feed",
    "/api/v1/feeds//",
    "/api/v2/feeds",
    "/API/v1/feeds",
    "/f",
    "/f/a/b",
  ];

  for (const path of NOWHERE) {
    test(`${path} is not found, with or without a key`, async () => {
      assertProblem(await api.ask(path), 404, "not_found");
      assertProblem(await shop.call(path), 404, "not_found");
    });
  }

  test("a URL that the router cannot parse is refused with a problem document", async () => {
    assertProblem(await api.ask("/api/v1/%zz"), 400, "invalid_request");
    assertProblem(await api.ask("/f/a/%f0%28/acp.csv"), 400, "invalid_request");
  });
});

describe("the request of a sync", () => {
  const json = (body: string): Asked => ({ headers: { "content-type": "application/json" }, body });
  type Refused = {
    readonly what: string;
    readonly asked: Asked;
    readonly status: number;
    readonly code: ErrorCode;
    readonly pointer?: string;
  };
  const REFUSED: readonly Refused[] = [
    { what: "no body", asked: {}, status: 400, code: "invalid_request", pointer: "/source_id" },
    {
      what: "an empty JSON body",
      asked: json(""),
      status: 400,
      code: "invalid_request",
      pointer: "/source_id",
    },
    { what: "half an object", asked: json('{"source_id":'), status: 400, code: "invalid_request" },
    {
      what: "text with the content type JSON",
      asked: json("source_id=1"),
      status: 400,
      code: "invalid_request",
    },
    {
      what: "an object with __proto__",
      asked: json('{"__proto__":{"a":1}}'),
      status: 400,
      code: "invalid_request",
    },
    { what: "null", asked: json("null"), status: 400, code: "invalid_request", pointer: "/source_id" },
    { what: "a list", asked: json("[]"), status: 400, code: "invalid_request", pointer: "" },
    { what: "a text", asked: json('"x"'), status: 400, code: "invalid_request", pointer: "" },
    {
      what: "no source_id",
      asked: { body: { source: NO_SOURCE } },
      status: 400,
      code: "invalid_request",
      pointer: "/source_id",
    },
    ...[
      7,
      null,
      true,
      ["x"],
      {},
      "",
      "mug",
      "01999999-1234-7abc-8abc-0123456789ag",
      `urn:uuid:${NO_SOURCE}`,
      `{${NO_SOURCE}}`,
      ` ${NO_SOURCE}`,
      NO_SOURCE.replaceAll("-", ""),
    ].map(
      (id): Refused => ({
        what: `the source_id ${JSON.stringify(id)}`,
        asked: { body: { source_id: id } },
        status: 400,
        code: "invalid_request",
        pointer: "/source_id",
      }),
    ),
    {
      what: "an unknown UUID",
      asked: { body: { source_id: NO_SOURCE } },
      status: 422,
      code: "unknown_source",
    },
    {
      what: "a body of plain text",
      asked: { headers: { "content-type": "text/plain" }, body: "{}" },
      status: 415,
      code: "unsupported_media_type",
    },
    {
      what: "a form",
      asked: { headers: { "content-type": "application/x-www-form-urlencoded" }, body: "source_id=1" },
      status: 415,
      code: "unsupported_media_type",
    },
    {
      what: "a body without a content type",
      asked: { body: "{}" },
      status: 415,
      code: "unsupported_media_type",
    },
    {
      what: "more than a megabyte",
      asked: { body: { source_id: NO_SOURCE, filler: "x".repeat(1024 * 1024) } },
      status: 413,
      code: "body_too_large",
    },
  ];

  for (const { what, asked, status, code, pointer } of REFUSED) {
    test(`${what} is refused with ${status} ${code}`, async () => {
      const answer = await shop.call("/api/v1/syncs", { ...asked, method: "POST" });

      const problem = assertProblem(answer, status, code);
      assert.equal(problem.instance, "/api/v1/syncs");
      assert.equal(problem.run_id, undefined);
      if (pointer !== undefined) {
        assert.ok(
          problem.errors?.some((error) => error.pointer === pointer),
          answer.text,
        );
      }
    });
  }
});

describe("a request that cannot be parsed", () => {
  const send = async (text: string): Promise<string> => {
    const socket = connect(Number(new URL(api.url).port), "127.0.0.1");
    socket.end(text);
    let answer = "";
    for await (const chunk of socket.setEncoding("utf8") as AsyncIterable<string>) answer += chunk;
    return answer;
  };

  test("with headers that are too long is refused with a problem document", async () => {
    const answer = await send(`GET /api/v1/feeds?q=${"x".repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`);

    assert.match(answer, /^HTTP\/1\.1 431 .*content-type: application\/problem\+json.*"status":431/s);
  });

  test("that is not HTTP is refused with a problem document", async () => {
    assert.match(
      await send("nonsense\r\n\r\n"),
      /^HTTP\/1\.1 400 .*content-type: application\/problem\+json.*"status":400/s,
    );
  });
});

test("a refused call creates no run", async () => {
  const runs = await api.db.query<{ count: number }>({ text: "select count(*) from runs", values: [] });

  assert.deepEqual(runs, [{ count: 0 }]);
});
