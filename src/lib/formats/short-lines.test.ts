import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { shortLines } from "./short-lines.ts";

async function* of(...texts: readonly string[]): AsyncGenerator<Uint8Array, void, void> {
  for (const text of texts) yield Buffer.from(text);
}

test("lines within the limit pass through unchanged, however they arrive", async () => {
  const line = fc.string({ maxLength: 5 }).map((text) => `${text.replaceAll("\n", "")}\n`);

  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 10 }), async (lines) => {
      const passed = await Array.fromAsync(shortLines(of(...lines), 20));

      assert.equal(Buffer.concat(passed).toString(), lines.join(""));
    }),
    { numRuns: 50 },
  );
});

test("a line without an end is refused while it comes, and nothing after it is asked for", async () => {
  let asked = 0;
  async function* endless(): AsyncGenerator<Uint8Array, void, void> {
    yield Buffer.from("first\nsec");
    while (true) {
      asked += 1;
      yield Buffer.from("xxxxx");
    }
  }

  await assert.rejects(Array.fromAsync(shortLines(endless(), 20)), {
    name: "FormatError",
    kind: "too_large",
  });
  assert.equal(asked, 4);
});
