import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { withParameters } from "./links.ts";

const UTM = new Map([
  ["utm_source", "google"],
  ["utm_content", "MUG 1&2"],
]);

test("parameters are added before the fragment, and the rest of the address stays", () => {
  assert.equal(
    withParameters("https://shop.example/p/a%20b", UTM),
    "https://shop.example/p/a%20b?utm_source=google&utm_content=MUG%201%262",
  );
  assert.equal(
    withParameters("https://shop.example/p?a=1&b=%2F;c#top?x", UTM),
    "https://shop.example/p?a=1&b=%2F;c&utm_source=google&utm_content=MUG%201%262#top?x",
  );
  assert.equal(
    withParameters("https://shop.example/p?", new Map([["a", "1"]])),
    "https://shop.example/p?a=1",
  );
});

test("a parameter that is there gets the new value in its place, and repetitions are removed", () => {
  assert.equal(
    withParameters(
      "https://s.example/?utm%5Fsource=old&a=1&utm_source=older&%",
      new Map([["utm_source", "new"]]),
    ),
    "https://s.example/?utm_source=new&a=1&%",
  );
});

test("adding parameters twice is the same as once, and other parameters keep their values", () => {
  const name = fc.stringMatching(/^[a-z]{1,3}$/);
  fc.assert(
    fc.property(
      fc.array(fc.tuple(name, fc.string())),
      fc.dictionary(name, fc.string({ minLength: 1, unit: "grapheme" }), { minKeys: 1 }),
      (pairs, added) => {
        const query = new URLSearchParams(pairs);
        const url = `https://shop.example/p?${query.toString()}`;
        const parameters = new Map(
          Object.entries(added).map(([key, value]) => [key, value.toWellFormed()] as const),
        );

        const result = withParameters(url, parameters);

        assert.equal(withParameters(result, parameters), result);
        const read = new URL(result).searchParams;
        for (const [key, value] of parameters) assert.deepEqual(read.getAll(key), [value]);
        for (const key of query.keys())
          if (!parameters.has(key)) assert.deepEqual(read.getAll(key), query.getAll(key));
      },
    ),
    { numRuns: 50 },
  );
});
