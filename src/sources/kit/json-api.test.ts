import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { feedHost, type Page } from "../../../test/fakes/feed-host.ts";
import { AppError } from "../../errors.ts";
import { httpClient } from "../../lib/outbound/http-client.ts";
import { type ApiAnswer, jsonApi, type Judge } from "./json-api.ts";
import { BRIEF_RETRIES } from "../source.contract.ts";

const json = (body: unknown, status = 200): Page => ({ kind: "file", body: JSON.stringify(body), status });

async function call(pages: readonly Page[], judge?: Judge, headers = {}) {
  const host = await feedHost();
  const http = httpClient({ allowPrivate: ["127.0.0.1/32"], userAgent: "test" });
  const { signal } = new AbortController();
  const url = host.serve("/api?key=hidden", ...pages);
  const api = jsonApi({ http, signal, retries: BRIEF_RETRIES });
  const outcome = await api.call({ url, headers }, judge).catch((error: unknown) => error);
  await http.close();
  await host[Symbol.asyncDispose]();
  return { outcome, requests: host.requests.length };
}

describe("a shop's API", () => {
  test("answers with parsed data", async () => {
    const { outcome } = await call([json({ products: [1] })]);

    assert.deepEqual((outcome as ApiAnswer).body, { products: [1] });
  });

  test("is called again after a broken connection, a server error and a web page", async () => {
    const page: Page = { kind: "file", body: "<html>One moment", headers: { "content-type": "text/html" } };

    const { outcome, requests } = await call([
      { kind: "cut", body: '{"a"', announced: 99 },
      json({}, 502),
      page,
      json([7]),
    ]);

    assert.deepEqual((outcome as ApiAnswer).body, [7]);
    assert.equal(requests, 4);
  });

  test("that always answers with a web page fails with possible causes", async () => {
    const { outcome } = await call([
      { kind: "file", body: "<html>", headers: { "content-type": "text/html" } },
    ]);

    assert.ok(outcome instanceof AppError);
    assert.equal(outcome.code, "source_unavailable");
    assert.match(outcome.message, /text\/html.*security plugin/);
    assert.doesNotMatch(outcome.message, /hidden/);
  });

  test("may have warnings before its JSON, which are returned separately", async () => {
    const { outcome } = await call([{ kind: "file", body: '<b>Warning</b>: text\n[{"id":1}]' }]);

    assert.deepEqual((outcome as ApiAnswer).body, [{ id: 1 }]);
    assert.equal((outcome as ApiAnswer).leadingText, "<b>Warning</b>: text");
  });

  const leadingTexts: readonly [string, string][] = [
    [
      "names a key",
      "<b>Notice</b>: Undefined index: options[color] in {closure}() on line <b>12</b><br />\n",
    ],
    ["is on the line of the data", "Deprecated: $x[0] in a.php on line 3<br />"],
    ["is a log line", "[15-Nov-2026 10:00:00 UTC] PHP Notice:  Undefined {x} in a.php on line 3\n"],
    ["is a dump", 'array(2) {\n  ["a"]=>\n  int(1)\n}\nArray\n(\n    [0] => x\n)\n'],
    ["quotes data", 'Warning: cannot use {"a":1} here in a.php on line 3\n\n  '],
    ["is nothing but a second byte order mark", "\uFEFF\uFEFF"],
  ];
  for (const [title, leadingText] of leadingTexts) {
    test(`may have a warning that ${title}`, async () => {
      const { outcome, requests } = await call([{ kind: "file", body: `${leadingText}[{"id":1},{"id":2}]` }]);

      assert.deepEqual((outcome as ApiAnswer).body, [{ id: 1 }, { id: 2 }]);
      assert.equal(requests, 1);
    });
  }

  test("may print any text before its data that does not look like data", async () => {
    const line = fc.string({ maxLength: 30 }).map((text) => text.replaceAll('"', "'"));
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 4 }), async (lines) => {
        const body = `${[...lines, ""].map((text) => `${text}\n`).join("")}[{"id":1}]`;

        assert.deepEqual(((await call([{ kind: "file", body }])).outcome as ApiAnswer).body, [{ id: 1 }]);
      }),
      { numRuns: 20 },
    );
  });

  test("fails if its data is broken, although a part of it is JSON", async () => {
    for (const body of ['[\n{"id":1},\n{"id":2}', 'Notice: text\n[\n  {"id":1},\n{"id":2}', '{"a":\n[1]']) {
      const { outcome } = await call([{ kind: "file", body }]);

      assert.ok(outcome instanceof AppError, body);
    }
  });

  test("that sends no JSON with a JSON content type is quoted, without possible secrets", async () => {
    const headers = { "content-type": "application/json; charset=UTF-8" };
    const body = "<p>Fatal   error for /wc?consumer_key=ck_0123456789abcdef and cs_fedcba9876543210</p>";

    const { outcome } = await call([{ kind: "file", body, headers }]);

    assert.ok(outcome instanceof AppError);
    assert.match(
      outcome.message,
      /application\/json that is not JSON: it begins with "Fatal error for \/wc\?… and …"\./,
    );
    assert.match(outcome.message, /PHP itself/);
  });

  test("that sends nothing fails with a message that says so", async () => {
    const { outcome } = await call([{ kind: "file", body: "" }]);

    assert.match((outcome as AppError).message, /nothing to read/);
  });

  test("has its answers judged by the connector before the status", async () => {
    const denied = new AppError("source_unauthorized", "The token lacks a scope.");

    const { outcome, requests } = await call([json({ errors: ["ACCESS_DENIED"] })], () => ({
      error: denied,
      retry: "never",
    }));

    assert.equal(outcome, denied);
    assert.equal(requests, 1);
  });

  test("that throttles is waited for beyond the usual number of retries", async () => {
    const busy = { error: new AppError("source_unavailable", "Slow down."), retry: "throttled" } as const;
    const judge: Judge = ({ body }) => (body === "busy" ? busy : "usable");

    const { outcome, requests } = await call(
      [...Array.from({ length: 9 }, () => json("busy")), json("at last")],
      judge,
    );

    assert.equal((outcome as ApiAnswer).body, "at last");
    assert.equal(requests, 10);
  });

  test("may not throttle for ever", async () => {
    const busy = {
      error: new AppError("source_unavailable", "Slow down.", { retryAfterS: 3_600 }),
      retry: "throttled",
    } as const;

    const { outcome, requests } = await call([json("busy")], () => busy);

    assert.equal(outcome, busy.error);
    assert.equal(requests, 1);
  });
});
