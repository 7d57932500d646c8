/** Every failure as the client sees it: status, message, and nothing that is only for the log. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import fastify from "fastify";
import { memoryLog } from "../../test/installation.ts";
import { AppError, ERRORS, isErrorCode } from "../errors.ts";
import type { ErrorCode } from "../errors.ts";
import { newId } from "../lib/id.ts";
import { errorHandler } from "./errors.ts";

/** The answer to a request whose handler throws this. */
async function thrown(error: unknown) {
  const log = memoryLog();
  const app = fastify({ genReqId: () => "the-request" });
  app.setErrorHandler(errorHandler(log));
  app.get("/api/v1/thing", async () => {
    throw error;
  });
  const { statusCode, headers, body } = await app.inject({ url: "/api/v1/thing?secret=1" });
  await app.close();
  return {
    status: statusCode,
    headers,
    text: body,
    problem: JSON.parse(body) as Record<string, unknown>,
    log,
  };
}

const logged = ({ lines }: ReturnType<typeof memoryLog>) => inspect(lines, { depth: Infinity });

/** As our design decides, and section 7 of the interface before it. */
const DECIDED: Readonly<Partial<Record<ErrorCode, number>>> = {
  invalid_request: 400,
  unauthorized: 401,
  insufficient_scope: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  body_too_large: 413,
  unsupported_media_type: 415,
  unknown_source: 422,
  catalog_collapsed: 422,
  ledger_mismatch: 422,
  interrupted: 422,
  render_failed: 422,
  render_held: 422,
  rate_limited: 429,
  internal: 500,
  stopping: 503,
  database_unavailable: 503,
};

for (const code of Object.keys(ERRORS).filter(isErrorCode)) {
  test(`${code} is answered with its status and as a problem of its own type`, async () => {
    const { status, headers, problem } = await thrown(new AppError(code, "Something happened."));

    assert.equal(status, DECIDED[code] ?? ERRORS[code].status);
    if (code.startsWith("source_") || code === "target_forbidden") assert.equal(status, 422);
    assert.match(String(headers["content-type"]), /^application\/problem\+json/);
    assert.deepEqual(problem, {
      type: `urn:shelfwire:problem:${code}`,
      title: ERRORS[code].title,
      status,
      detail: code === "internal" ? ERRORS.internal.title : "Something happened.",
      instance: "/api/v1/thing",
      code,
      request_id: "the-request",
    });
    assert.equal(headers["x-request-id"], "the-request");
    assert.equal(headers["cache-control"], "no-store");
  });

  test(`a run that failed with ${code} is answered with 422, not with a server error`, async () => {
    const runId = newId();

    const { status, problem, log } = await thrown(new AppError(code, "The run failed.", { runId }));

    assert.equal(status, ERRORS[code].status >= 500 ? 422 : ERRORS[code].status);
    assert.equal(problem["run_id"], runId);
    assert.equal(problem["code"], code);
    assert.deepEqual(log.lines, [], "the worker has logged it already");
  });
}

test("any other error is internal, and its cause is only in the log", async () => {
  for (const error of [
    new Error("password is hunter2"),
    new TypeError("hunter2"),
    "hunter2",
    { code: "hunter2" },
  ]) {
    const { status, text, problem, log } = await thrown(error);

    assert.equal(status, 500);
    assert.equal(problem["code"], "internal");
    assert.ok(!text.includes("hunter2"), text);
    assert.equal(log.lines[0]?.level, "error");
    assert.match(logged(log), /hunter2/);
    assert.match(logged(log), /request_id: 'the-request'/);
  }
});

test("the message of an internal AppError is only in the log, too", async () => {
  const { text, log } = await thrown(new AppError("internal", "An aggregate returned no row."));

  assert.ok(!text.includes("aggregate"));
  assert.match(logged(log), /aggregate/);
});

test("no answer contains a cause, for any code", async () => {
  const cause = new Error("connect ECONNREFUSED 10.1.2.3:5432");

  const { text, log } = await thrown(new AppError("database_unavailable", "Not now.", { cause }));

  assert.ok(!text.includes("10.1.2.3"));
  assert.match(logged(log), /10\.1\.2\.3/);
});

test("client errors and a server that stops are not logged as errors", async () => {
  for (const code of [
    "invalid_request",
    "unauthorized",
    "rate_limited",
    "unknown_source",
    "stopping",
  ] as const) {
    assert.deepEqual((await thrown(new AppError(code, "No."))).log.lines, []);
  }
});

test("an answer has the retry time and the invalid fields if they are known", async () => {
  const fields = [{ pointer: "/settings/url", detail: "Is required." }];

  const busy = await thrown(new AppError("stopping", "Not now.", { retryAfterS: 10 }));
  const wrong = await thrown(new AppError("invalid_request", "No.", { fields }));

  assert.equal(busy.headers["retry-after"], "10");
  assert.equal(wrong.headers["retry-after"], undefined);
  assert.deepEqual(wrong.problem["errors"], fields);
  assert.equal("errors" in busy.problem, false);
});

test("only a 401 has a WWW-Authenticate header", async () => {
  assert.match(
    String((await thrown(new AppError("unauthorized", "Who?"))).headers["www-authenticate"]),
    /^Bearer /,
  );
  assert.equal(
    (await thrown(new AppError("insufficient_scope", "No."))).headers["www-authenticate"],
    undefined,
  );
});
