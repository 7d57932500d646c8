import assert from "node:assert/strict";
import { test } from "node:test";
import { spanWords } from "./span-words.ts";

test("a length of time is written in the largest unit that fits", () => {
  const seconds = [-5, 0, 59, 60, 119, 3_599, 3_600, 86_399, 86_400, 3 * 86_400];

  assert.deepEqual(
    seconds.map((s) => spanWords(1_000 * s)),
    [
      "less than a minute",
      "less than a minute",
      "less than a minute",
      "1 minute",
      "1 minute",
      "59 minutes",
      "1 hour",
      "23 hours",
      "1 day",
      "3 days",
    ],
  );
});
