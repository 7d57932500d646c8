import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { FormatError } from "./format-error.ts";
import { jsonLines } from "./json-lines.ts";
import { describeTextReader } from "./text-reader.contract.ts";

const read = (text: string) => {
  const reader = jsonLines({ maxLineChars: 1_000 });
  return [...reader.push(text), ...reader.end()];
};

const isKind = (kind: string) => (error: unknown) => error instanceof FormatError && error.kind === kind;

describe("jsonLines", () => {
  test("every line is a value, with its number; blank lines are left out", () => {
    const lines = read('{"a":1}\r\n\n  [2]\n3');

    assert.deepEqual(
      lines.map((line) => ("value" in line ? [line.line, line.value] : null)),
      [
        [1, { a: 1 }],
        [3, [2]],
        [4, 3],
      ],
    );
  });

  test("a broken line is reported and the next one read", () => {
    const lines = read('{"a":1}\n{"a":\n{"a":3}\n');

    assert.deepEqual(
      lines.map((line) => ["value" in line, line.line]),
      [
        [true, 1],
        [false, 2],
        [true, 3],
      ],
    );
  });

  test("an unfinished last line is a truncated file", () => {
    assert.throws(() => read('{"a":1}\n{"a":'), isKind("truncated"));
  });

  test("a line beyond its limit is refused with its number, also before its end", () => {
    const reader = jsonLines({ maxLineChars: 10 });
    reader.push("1\n2\n");

    assert.throws(() => reader.push('"0123456789012345'), { kind: "too_large", line: 3 });
    assert.throws(() => jsonLines({ maxLineChars: 10 }).push('"0123456789"\n'), isKind("too_large"));
  });

  const anyLines = fc.oneof(
    fc.array(fc.jsonValue()).map((values) => values.map((value) => JSON.stringify(value)).join("\n")),
    fc.string({ unit: fc.constantFrom("{", "}", '"', "1", "\n", "\r", " "), maxLength: 20 }),
  );
  describeTextReader("JSON Lines", () => jsonLines({ maxLineChars: 200 }), anyLines);
});
