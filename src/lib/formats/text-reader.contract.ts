/** The law for every streaming reader: splitting the text into chunks does not change the result. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { FormatError } from "./format-error.ts";
import type { TextReader } from "./text-reader.ts";

export function describeTextReader<Thing>(
  name: string,
  makeReader: () => TextReader<Thing>,
  anyText: fc.Arbitrary<string>,
): void {
  test(`${name}: splitting the text into chunks does not change the result`, () => {
    fc.assert(
      fc.property(anyText, fc.array(fc.nat(), { maxLength: 8 }), (text, cuts) => {
        const whole = readPieces(makeReader(), [text]);

        assert.deepEqual(readPieces(makeReader(), cut(text, cuts)), whole);
        assert.deepEqual(readPieces(makeReader(), text.split("")), whole);
      }),
      { numRuns: 300 },
    );
  });
}

/** All that a reader makes of the pieces, or the kind of its failure. */
export function readPieces<Thing>(
  reader: TextReader<Thing>,
  pieces: readonly string[],
): readonly Thing[] | { readonly failed: string } {
  try {
    return [...pieces.flatMap((piece) => reader.push(piece)), ...reader.end()];
  } catch (error) {
    if (error instanceof FormatError) return { failed: error.kind };
    throw error;
  }
}

/** The text in pieces, cut at any places; empty pieces included. */
export function cut(text: string, places: readonly number[]): string[] {
  const at = places.map((place) => place % (text.length + 1)).sort((a, b) => a - b);
  return [0, ...at].map((from, index) => text.slice(from, at[index] ?? text.length));
}

export function failureKind(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof FormatError) return error.kind;
    throw error;
  }
  return assert.fail("expected a FormatError");
}
