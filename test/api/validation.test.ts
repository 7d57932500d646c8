/** Every validation error names the field, what was given and what is allowed. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { buildApp } from "../../src/http/app.ts";
import { assertProblem } from "./problem.ts";
import { runningApi } from "./running-api.ts";
import type { Asked } from "./running-api.ts";
import { createKey } from "../../src/setup/keys.ts";
import { closeAfterTests } from "../close-after.ts";

const api = closeAfterTests(await runningApi({ hasWorker: false }));
const shop = await api.openShop();
/** May do everything. */
const { key } = await createKey(api.db, {
  catalogId: shop.id,
  name: "test",
  scopes: ["read", "write", "admin"],
  expiresAt: null,
});

const ID = "01999999-1234-7abc-8abc-0123456789ab";
const feed = { kind: "feed_url", settings: { url: "https://shop.example/feed.csv" } };

type Refused = {
  readonly what: string;
  readonly path: string;
  readonly asked?: Asked;
  readonly pointer: string;
  readonly detail: RegExp;
};

const REFUSED: readonly Refused[] = [
  {
    what: "an unknown query parameter",
    path: "/changes?q=mug",
    pointer: "/q",
    detail: /^There is no query parameter "q"\. Known: cursor, limit\.$/,
  },
  {
    what: "a misspelled query parameter",
    path: "/items?limits=5",
    pointer: "/limits",
    detail: /"limits"\. Did you mean limit\?/,
  },
  {
    what: "a limit beyond its range",
    path: "/items?limit=501",
    pointer: "/limit",
    detail: /^Must be a whole number from 1 to 500\. Got 501\.$/,
  },
  {
    what: "a limit that is no number",
    path: "/items?limit=many",
    pointer: "/limit",
    detail: /^Must be a whole number from 1 to 500\. Got "many"\.$/,
  },
  {
    what: "an unknown enum value in the query",
    path: "/webhooks/deliveries?state=lost",
    pointer: "/state",
    detail: /^Must be one of: .*\bdead\b.*\. Got "lost"\.$/,
  },
  {
    what: "an unknown enum value in the body",
    path: "/sources",
    asked: { method: "DELETE", body: { id: ID, items: "burn" } },
    pointer: "/items",
    detail: /^Must be one of: keep, remove\. Got "burn"\.$/,
  },
  {
    what: "an unknown field of the body",
    path: "/sources",
    asked: { method: "POST", body: { ...feed, enable: true } },
    pointer: "/enable",
    detail: /^There is no field "enable"\. Did you mean enabled\? Known: .*\bname\b/,
  },
  {
    what: "a misspelled field",
    path: "/feeds/rotate",
    asked: { method: "POST", body: { overlap: 60 } },
    pointer: "/overlap",
    detail: /^There is no field "overlap"\. Did you mean overlap_s\?/,
  },
  {
    what: "a field of a call without fields",
    path: "/renders/release",
    asked: { method: "POST", body: { dry_run: true } },
    pointer: "/dry_run",
    detail: /^There is no field "dry_run"; this call takes none\.$/,
  },
  {
    what: "a query parameter of a call that changes something",
    path: "/feeds/rotate?dry_run=true",
    asked: { method: "POST", body: { overlap_s: 60 } },
    pointer: "/dry_run",
    detail: /^There is no query parameter "dry_run"; this call takes none\.$/,
  },
  {
    what: "a number out of range",
    path: "/sources",
    asked: { method: "POST", body: { ...feed, interval_s: 5 } },
    pointer: "/interval_s",
    detail: /^Must be a whole number from 300 to 604800\. Got 5\.$/,
  },
  {
    what: "a text in place of a boolean",
    path: "/sources",
    asked: { method: "POST", body: { ...feed, enabled: "yes" } },
    pointer: "/enabled",
    detail: /^Must be true or false\. Got "yes"\.$/,
  },
  {
    what: "an id that is no UUID",
    path: "/syncs",
    asked: { method: "POST", body: { source_id: "mug" } },
    pointer: "/source_id",
    detail: /^Must be a UUID, such as .*\. Got "mug"\.$/,
  },
  {
    what: "a blank name",
    path: "/sources",
    asked: { method: "POST", body: { ...feed, name: "  " } },
    pointer: "/name",
    detail: /^Is empty\. Enter text of 1 to 200 characters\.$/,
  },
  {
    what: "a name with a NUL character",
    path: "/sources",
    asked: { method: "POST", body: { ...feed, name: "a\0" } },
    pointer: "/name",
    detail: /^Contains a NUL character \(U\+0000\)\. Remove it\.$/,
  },
  {
    what: "a number that may also be null, beyond its limits",
    path: "/catalog/settings",
    asked: { method: "PATCH", body: { settings: { return_days: 0 } } },
    pointer: "/settings/return_days",
    detail: /^Must be a whole number from 1 to 3650\. Got a number\.$/,
  },
  {
    what: "a text that may also be null, and is too long",
    path: "/catalog/settings",
    asked: { method: "PATCH", body: { settings: { seller_name: "x".repeat(3_000) } } },
    pointer: "/settings/seller_name",
    detail: /^Is too long: 3000 characters\. Enter at most 2000\.$/,
  },
  {
    what: "a time that cannot be read",
    path: "/keys",
    asked: { method: "POST", body: { name: "a", scopes: ["read"], expires_at: "tomorrow" } },
    pointer: "/expires_at",
    detail: /^Must be a time, such as .*\. Got "tomorrow"\.$/,
  },
  {
    what: "an empty list",
    path: "/webhooks",
    asked: { method: "POST", body: { url: "https://shop.example/hooks", events: [] } },
    pointer: "/events",
    detail: /^Is empty\. Choose at least 1 of: sync\.completed, feeds\.rendered, .*\.$/,
  },
  {
    what: "a list with an entry twice",
    path: "/keys",
    asked: { method: "POST", body: { name: "a", scopes: ["read", "read"] } },
    pointer: "/scopes",
    detail: /^Has an entry more than once\. Send each entry once\.$/,
  },
  {
    what: "an invalid ratio",
    path: "/catalog?max_removed_ratio=50%25",
    asked: { method: "PUT", body: { products: [] } },
    pointer: "/max_removed_ratio",
    detail: /^Must be a number from 0 to 1, .*\. Got "50%"\.$/,
  },
  {
    what: "a word that neither the value nor a list of values may be",
    path: "/rules",
    asked: {
      method: "PUT",
      body: { rules: [{ name: "a", channel: "bing", action: { type: "exclude" } }] },
    },
    pointer: "/rules/0/channel",
    detail: /^Must be one of: google, openai, schema_org or a list\. Got "bing"\.$/,
  },
  {
    what: "a wrong entry of a value that may be a list",
    path: "/rules",
    asked: {
      method: "PUT",
      body: { rules: [{ name: "a", channel: ["bing"], action: { type: "exclude" } }] },
    },
    pointer: "/rules/0/channel/0",
    detail: /^Must be one of: google, openai, schema_org\. Got "bing"\.$/,
  },
  {
    what: "an object in place of a value or a list",
    path: "/rules",
    asked: {
      method: "PUT",
      body: { rules: [{ name: "a", action: { type: "set", field: "brand", value: {} } }] },
    },
    pointer: "/rules/0/action/value",
    detail: /^Must be text up to \d+ characters, a number, true or false or a list\. Got an object\.$/,
  },
  {
    what: "an address in place of a host",
    path: "/publish-guard",
    asked: { method: "PATCH", body: { expected_hosts: ["https://shop.example/new"] } },
    pointer: "/expected_hosts/0",
    detail: /^Must be a host name such as www\.shop\.example, .*\. Got "https:\/\/shop\.example\/new"\.$/,
  },
  {
    what: "a number outside the range of a value that may also be a word",
    path: "/publish-guard",
    asked: { method: "PATCH", body: { limits: { items_removed: -1 } } },
    pointer: "/limits/items_removed",
    detail: /^Must be a number from 0 to \d+, "off" or null\. Got -1\.$/,
  },
  {
    what: "a list in place of an object",
    path: "/sources",
    asked: { method: "POST", body: [] },
    pointer: "",
    detail: /^Must be a JSON object\. Got a list\.$/,
  },
];

describe("an invalid request", () => {
  for (const { what, path, asked, pointer, detail } of REFUSED) {
    test(`${what} is named, with its value and what is allowed`, async () => {
      const problem = assertProblem(
        await shop.call(`/api/v1${path}`, { ...asked, headers: { authorization: `Bearer ${key}` } }),
        400,
        "invalid_request",
      );

      assert.deepEqual(
        problem.errors?.map((error) => error.pointer),
        [pointer],
      );
      assert.match(problem.errors?.[0]?.detail ?? "", detail);
      assert.ok(problem.detail.includes(problem.errors?.[0]?.detail ?? "-"), problem.detail);
    });
  }

  test("all missing and all unknown fields are listed at once", async () => {
    const answer = await shop.call("/api/v1/sources", { method: "POST", body: { Kind: "x", name: 7 } });

    const { errors = [] } = assertProblem(answer, 400, "invalid_request");
    assert.deepEqual(errors.map(({ pointer }) => pointer).sort(), ["/Kind", "/kind", "/name", "/settings"]);
  });

  test("a setting's value is not repeated: it may be a secret", async () => {
    const secret = "hunter2\u0000";
    const asked: Asked = { method: "POST", body: { ...feed, settings: { url: "x", password: secret } } };

    const answer = await shop.call("/api/v1/sources", asked);

    const { errors } = assertProblem(answer, 400, "invalid_request");
    assert.equal(errors?.[0]?.pointer, "/settings/password");
    assert.ok(!answer.text.includes("hunter2"), answer.text);
  });

  test("a body with tens of thousands of problems gets a short answer", async () => {
    const settings = Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`s${i}`, 1]));

    const answer = await shop.call("/api/v1/sources", { method: "POST", body: { ...feed, settings } });

    assertProblem(answer, 400, "invalid_request");
    assert.ok(answer.bytes.length < 10_000, String(answer.bytes.length));
  });
});

describe("a source's settings", () => {
  for (const name of ["Upgrade", "Keep-Alive", "Proxy-Connection", "Expect", "Host"]) {
    test(`the request header ${name} is refused, not a failure of the server`, async () => {
      const settings = { ...feed.settings, headers: `${name}: x` };
      for (const [path, body] of [
        ["/api/v1/sources", { ...feed, settings }],
        ["/api/v1/sources/test", { ...feed, settings }],
      ] as const) {
        const answer = await shop.call(path, { method: "POST", body });

        const { errors } = assertProblem(answer, 422, "source_settings_invalid");
        assert.deepEqual(errors, [
          { pointer: "/settings/headers", detail: `${name} cannot be set: the program sets it itself.` },
        ]);
      }
    });
  }

  const INWARD = ["http://10.0.0.1/feed.csv", "http://169.254.169.254/", "http://[::1]/", "http://0x7f.2/"];

  test("an address that is private is refused when it is stored, and nothing is stored", async () => {
    const listed = async () => (await shop.call("/api/v1/sources")).text;
    const before = await listed();
    for (const url of INWARD) {
      const added = await shop.call("/api/v1/sources", {
        method: "POST",
        body: { kind: "feed_url", settings: { url } },
      });
      const changed = await shop.call("/api/v1/sources", {
        method: "PATCH",
        body: { id: shop.sourceId, settings: { url } },
      });

      for (const answer of [added, changed]) {
        const { errors } = assertProblem(answer, 422, "target_forbidden");
        assert.equal(errors?.[0]?.pointer, "/settings/url");
      }
    }
    assert.equal(await listed(), before);
  });

  test("a name that resolves to a private address is refused too", async () => {
    const app = await buildApp({ ...api.parts, lookup: async () => ["192.168.0.7"] });
    try {
      const { statusCode, body } = await app.inject({
        method: "POST",
        url: "/api/v1/sources",
        headers: { authorization: `Bearer ${shop.key}` },
        payload: feed,
      });

      assert.equal(statusCode, 422);
      assert.match(body, /target_forbidden/);
    } finally {
      await app.close();
    }
  });
});

test("a name of 60,000 characters with a NUL is refused by its length", async () => {
  const name = `${"a".repeat(60_000)}\0`;

  const answer = await shop.call("/api/v1/sources", { method: "POST", body: { ...feed, name } });

  const { errors } = assertProblem(answer, 400, "invalid_request");
  assert.match(errors?.[0]?.detail ?? "", /^Is too long: 60001 characters\. Enter at most 200\.$/);
});
