import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { anyCharacter } from "../lib/any-character.fixture.ts";
import { freshDb } from "../../test/fresh.ts";
import { storableJson } from "./json.ts";

test("any text can be stored, and what PostgreSQL can hold comes back as it was", async () => {
  await using db = await freshDb();
  const anyText = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.constantFrom("\0", "\ud83d", "a\udc00b", "😀"),
  );

  await fc.assert(
    fc.asyncProperty(fc.array(anyText, { maxLength: 5 }), async (texts) => {
      const [row] = await db.query<{ value: { texts: string[] } }>({
        text: "select $1::jsonb as value",
        values: [storableJson({ texts })],
      });

      const expected = texts.map((text) => text.toWellFormed().replaceAll("\0", "\uFFFD"));
      assert.deepEqual(row?.value.texts, expected);
    }),
    { numRuns: 50 },
  );
});
