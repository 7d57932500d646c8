import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { AppError } from "../../errors.ts";
import { FormatError } from "../../lib/formats/format-error.ts";
import type { HttpAnswer } from "../../lib/outbound/http-client.ts";
import { HttpFailure } from "../../lib/outbound/http-failure.ts";
import { requestFailure, retryAfterSeconds, statusFailure, toSourceError } from "./failure.ts";
import { assertCases } from "../../../test/assert-cases.ts";

const now = new Date("2026-11-15T10:00:00Z");

function answer(status: number, headers: Record<string, string> = {}): HttpAnswer {
  const body = (async function* () {})();
  return { status, headers, url: "https://shop.example/feed?key=secret", body, discard: () => undefined };
}

describe("statusFailure", () => {
  test("wrong credentials and addresses are not retried, the shop's own problems are", () => {
    const retries = [401, 403, 404, 410, 408, 429, 500, 503, 302, 418].map(
      (status) => [status, statusFailure(answer(status), now).retry] as const,
    );

    assert.deepEqual(retries, [
      [401, "never"],
      [403, "never"],
      [404, "never"],
      [410, "never"],
      [408, "now"],
      [429, "now"],
      [500, "now"],
      [503, "now"],
      [302, "later"],
      [418, "later"],
    ]);
  });

  test("the message has the host and the status, and nothing of the query", () => {
    const { error } = statusFailure(answer(403), now);

    assert.match(error.message, /^shop\.example answered with status 403\./);
    assert.ok(!error.message.includes("secret"));
  });

  test("both forms of Retry-After are read", () => {
    const seconds = (header: string): number | undefined =>
      statusFailure(answer(503, { "retry-after": header }), now).error.retryAfterS;

    assertCases(seconds, [
      ["120", 120],
      ["Sun, 15 Nov 2026 10:01:30 GMT", 90],
      ["Sun, 15 Nov 2026 09:00:00 GMT", 0],
      ["soon", undefined],
    ]);
  });
});

describe("retryAfterSeconds", () => {
  test("fractions of a second are kept, because some shops send them", () => {
    assert.equal(retryAfterSeconds("1.5", now), 1.5);
    assert.equal(retryAfterSeconds(" 2.0 ", now), 2);
  });

  test("a text that is neither a number nor a date is ignored", () => {
    for (const header of [undefined, "", "soon", "-5", "1,5", "1e3", "May 5", "Infinity"]) {
      assert.equal(retryAfterSeconds(header, now), null, String(header));
    }
  });
});

describe("requestFailure", () => {
  test("each kind has its code, and the client's message is kept", () => {
    const codes = (
      ["forbidden", "unreachable", "timeout", "too_large", "redirect", "incomplete"] as const
    ).map((kind) => {
      const { error } = requestFailure(new HttpFailure(kind, `about ${kind}`));
      assert.equal(error.message, `about ${kind}`);
      return error.code;
    });

    assert.deepEqual(codes, [
      "target_forbidden",
      "source_unreachable",
      "source_timeout",
      "source_too_large",
      "source_unavailable",
      "source_incomplete",
    ]);
  });
});

describe("toSourceError", () => {
  test("a format error becomes a failure of the source", () => {
    const codes = (["too_large", "malformed", "truncated", "unsupported"] as const).map((kind) => {
      const error = toSourceError(new FormatError(kind, "x"));
      return error instanceof AppError ? error.code : null;
    });

    assert.equal(codes.join(), "source_too_large,source_malformed,source_incomplete,source_not_a_feed");
  });

  test("an AppError and any other error stay as they are", () => {
    for (const thrown of [new AppError("internal", "x"), new TypeError("x"), "x"]) {
      assert.equal(toSourceError(thrown), thrown);
    }
  });
});
