import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { anyCharacter } from "./any-character.fixture.ts";
import { decodeCursor, encodeCursor } from "./cursor.ts";

test("a cursor is decoded to its keys, and needs no escaping in a URL", () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), fc.integer(), (text, number) => {
      const cursor = encodeCursor([text.toWellFormed().replaceAll("\0", ""), number]);

      assert.match(cursor, /^[\w-]+$/);
      assert.deepEqual(decodeCursor(cursor, ["string", "number"]), [
        text.toWellFormed().replaceAll("\0", ""),
        number,
      ]);
    }),
  );
});

test("any other text is a bad request", () => {
  const others = ["", "x", "null", "{}", encodeCursor([]), encodeCursor(["a"]), encodeCursor([1, "a"])];
  for (const cursor of [...others, encodeCursor(["a", 1, 2])]) {
    assert.throws(() => decodeCursor(cursor, ["string", "number"]), { code: "invalid_request" }, cursor);
  }
});
