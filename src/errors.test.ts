import assert from "node:assert/strict";
import { test } from "node:test";
import { AppError, ERRORS, isErrorCode, toAppError } from "./errors.ts";

test("an AppError is returned unchanged", () => {
  const error = new AppError("conflict", "There is one already.", { retryAfterS: 3, runId: "r" });

  assert.equal(toAppError(error), error);
  assert.deepEqual([error.code, error.retryAfterS, error.runId, error.fields], ["conflict", 3, "r", []]);
});

test("any other error becomes an internal error that keeps the cause and does not show it", () => {
  for (const thrown of [new TypeError("password=hunter2"), "password=hunter2", undefined, null, 7]) {
    const error = toAppError(thrown);

    assert.equal(error.code, "internal");
    assert.equal(error.message, ERRORS.internal.title);
    assert.equal(error.cause, thrown);
  }
});

test("only the codes in the list are codes", () => {
  for (const code of Object.keys(ERRORS)) assert.equal(isErrorCode(code), true);
  for (const other of [undefined, "", "toString", "__proto__", "Internal"])
    assert.equal(isErrorCode(other), false);
});

test("every code is a stable word with a sentence for people", () => {
  for (const [code, { title }] of Object.entries(ERRORS)) {
    assert.match(code, /^[a-z]+(_[a-z]+)*$/);
    assert.match(title, /^[A-Z].*\.$/);
  }
});
