import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isTooLarge } from "../kit/pages.ts";
import { RULES, wooFailure } from "./failures.ts";

const failureOf = (status: number, code: string | null, headers: Record<string, string> = {}) =>
  wooFailure(
    {
      status,
      headers,
      body: code === null ? null : { code, message: "", data: { status } },
      leadingText: "",
    },
    "shop.example",
  );

describe("an answer with an error status", () => {
  const table: readonly [number, string | null, string, string][] = [
    [401, "woocommerce_rest_authentication_error", "source_unauthorized", "never"],
    [401, "woocommerce_rest_cannot_view", "source_unauthorized", "never"],
    [403, "woocommerce_rest_cannot_view", "source_unauthorized", "never"],
    [401, "rest_not_logged_in", "source_unauthorized", "never"],
    [403, "rest_forbidden", "source_unauthorized", "never"],
    [404, "rest_no_route", "source_not_found", "never"],
    [400, "rest_invalid_param", "source_unavailable", "later"],
    [400, "rest_invalid_json", "source_unavailable", "later"],
    [401, null, "source_unauthorized", "never"],
    [403, null, "source_unavailable", "later"],
    [404, null, "source_not_found", "never"],
    [405, null, "source_unavailable", "later"],
    [406, null, "source_unavailable", "later"],
    [410, null, "source_not_found", "never"],
    [429, null, "source_unavailable", "throttled"],
    [429, "woocommerce_rest_rate_limited", "source_unavailable", "throttled"],
    [500, "internal_server_error", "source_unavailable", "now"],
  ];
  const broken = [500, 502, 503, 504, 508, 520, 521, 522, 523, 524].map(
    (status) => [status, null, "source_unavailable", "now"] as const,
  );
  for (const [status, code, expected, retry] of [...table, ...broken]) {
    test(`${status} with ${code ?? "no WordPress error"} is ${expected}, retry: ${retry}`, () => {
      const failure = failureOf(status, code);

      assert.deepEqual([failure?.error.code, failure?.retry], [expected, retry]);
      assert.match(failure?.error.message ?? "", new RegExp(`^shop\\.example .*\\(status ${status}\\)\\.$`));
    });
  }

  test("that needs no special message is left to the kit", () => {
    assert.equal(failureOf(418, null), null);
    assert.equal(failureOf(404, "woocommerce_rest_product_invalid_id"), null);
    assert.equal(failureOf(200, null), null);
  });

  test("states how long to wait, in the usual header or the Store API's own", () => {
    assert.equal(failureOf(429, null, { "retry-after": "7" })?.error.retryAfterS, 7);
    assert.equal(failureOf(429, null, { "ratelimit-retry-after": "9" })?.error.retryAfterS, 9);
    assert.equal(failureOf(429, null, { "retry-after": "soon" })?.error.retryAfterS, undefined);
    assert.equal(failureOf(503, null, { "retry-after": "7" })?.retry, "throttled");
  });

  test("allows a smaller page if PHP ran out of memory or time", () => {
    for (const status of [500, 502, 504, 524])
      assert.ok(isTooLarge(failureOf(status, null)?.error), String(status));
    assert.ok(!isTooLarge(failureOf(503, null)?.error));
  });
});

test("every failure is one sentence that says what is wrong and one that says what to do", () => {
  for (const { message } of Object.values(RULES)) assert.equal(message.split(". ").length, 2, message);
});

test("every failure says what to do, without the full stop that is added later", () => {
  for (const { message } of Object.values(RULES)) {
    assert.doesNotMatch(message, /\.$/);
    assert.match(message, /[.:]/, message);
  }
});
