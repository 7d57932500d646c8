import assert from "node:assert/strict";
import { test } from "node:test";
import { constants, deflateRawSync } from "node:zlib";
import fc from "fast-check";
import { compressSegment } from "./gzip-segments.ts";

const anyWord = fc.constantFrom("SKU-1", "Trail running shoe", "89.99 USD", "in_stock", "ü", "x");
const anySegment = fc
  .tuple(fc.array(anyWord, { maxLength: 40 }), fc.constantFrom(1, 40, 4_000), fc.uint8Array())
  .map(([words, times, rest]) => Buffer.concat([Buffer.from(words.join("\t").repeat(times)), rest]));

test("a segment has the same bytes whatever was compressed before it", () => {
  fc.assert(
    fc.property(fc.array(anySegment, { minLength: 2, maxLength: 5 }), (segments) => {
      for (const segment of segments) {
        const alone = deflateRawSync(segment, { level: 1, finishFlush: constants.Z_SYNC_FLUSH });
        const expected = segment.length === 0 ? segment : alone;
        assert.ok(compressSegment(segment).equals(expected), `${segment.length} bytes`);
      }
    }),
    { numRuns: 50 },
  );
});

test("the memory of a compressed segment is used for the next one", () => {
  const [first, second] = ["first", "other"].map((text) => compressSegment(Buffer.from(text)));

  assert.equal(first?.buffer, second?.buffer);
});
