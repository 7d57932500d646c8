import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { jsonElements, type JsonElementReader } from "./json-elements.ts";
import { describeTextReader, failureKind, readPieces } from "./text-reader.contract.ts";

const LIMITS = { maxElementChars: 10_000, maxDepth: 64 };
const anyList = (): JsonElementReader => jsonElements({ isList: () => true, ...LIMITS });

function valuesOf(text: string, reader = anyList()): unknown[] {
  return [...reader.push(text), ...reader.end()].map(({ value }) => value);
}

describe("jsonElements", () => {
  test("an array that is the whole document is read", () => {
    assert.deepEqual(valuesOf(' [ {"a": 1}, "b]", [2, 3], null, -1.5e3 ] \n'), [
      { a: 1 },
      "b]",
      [2, 3],
      null,
      -1500,
    ]);
  });

  test("an array inside objects is found by its name, and the rest is skipped", () => {
    const reader = jsonElements({ isList: (path) => path.join(".") === "feed.entry", ...LIMITS });

    const values = valuesOf(
      '{"meta": [{"x": "]}"}], "feed": {"n": 2, "entry": [1, 2], "more": {}}, "end": true}',
      reader,
    );

    assert.deepEqual(values, [1, 2]);
    assert.deepEqual(reader.listPath(), ["feed", "entry"]);
    assert.deepEqual(reader.otherLists()[0]?.path, ["meta"]);
  });

  test("only the first list is read", () => {
    assert.deepEqual(valuesOf('{"a": [1], "b": [2]}'), [1]);
  });

  test("a list inside a list belongs to its element", () => {
    assert.deepEqual(valuesOf('[{"a": [1, 2]}]'), [{ a: [1, 2] }]);
  });

  test("a document without a list has none", () => {
    for (const text of ["{}", '{"a": 1}', "5", '"x"', "null"]) {
      const reader = anyList();

      assert.deepEqual(valuesOf(text, reader), []);
      assert.equal(reader.listPath(), null);
    }
  });

  test("backslashes before a quote are counted", () => {
    assert.deepEqual(valuesOf(String.raw`["a\"]", "b\\", "c\\\"", "\\\\"]`), ['a"]', "b\\", 'c\\"', "\\\\"]);
  });

  test("an invalid document is malformed", () => {
    const broken = [
      "[1 2]",
      "[1,]",
      "[,1]",
      "{'a': [1]}",
      '{"a" [1]}',
      "[1]]",
      '[{"a": }]',
      "[1}",
      "x",
      '{"a":[1],}',
    ];
    for (const text of broken)
      assert.equal(
        failureKind(() => valuesOf(text)),
        "malformed",
        text,
      );
  });

  test("a document that ends early is truncated", () => {
    for (const text of ["", "[", "[1", "[1,", '[{"a": 1', '["a', '{"a": [1]', '{"a"', '{"a": {"b": [1]}']) {
      assert.equal(
        failureKind(() => valuesOf(text)),
        "truncated",
        text,
      );
    }
  });

  test("an element beyond its limit is refused, even an endless one", () => {
    const reader = jsonElements({ isList: () => true, maxElementChars: 100, maxDepth: 8 });
    reader.push('["');

    assert.equal(
      failureKind(() => {
        for (let i = 0; i < 20; i += 1) reader.push("0123456789");
      }),
      "too_large",
    );
  });

  test("a failure names the element in or after which it occurs", () => {
    const messageOf = (text: string): string => {
      try {
        valuesOf(text, jsonElements({ isList: () => true, maxElementChars: 5, maxDepth: 8 }));
        return "";
      } catch (error) {
        return error instanceof Error ? error.message : "";
      }
    };

    assert.match(messageOf("[1, 2, }"), /in or after element 3/);
    assert.match(messageOf("[1, 2"), /after element 1/);
    assert.match(messageOf('[1, 2, "longer"]'), /element 3 has more than 5/);
  });

  test("skipped values have no limit, because they are not kept", () => {
    const reader = jsonElements({ isList: ([key]) => key === "list", maxElementChars: 100, maxDepth: 8 });

    assert.deepEqual(valuesOf(`{"blob": "${"x".repeat(5_000)}", "list": [1]}`, reader), [1]);
  });

  test("nesting beyond its limit is refused, inside and outside of elements", () => {
    const deep = "[".repeat(9) + "]".repeat(9);
    for (const text of [`[${deep}]`, `{"a": {"b": ${deep}}}`]) {
      const reader = jsonElements({ isList: () => false, maxElementChars: 100, maxDepth: 8 });

      assert.equal(
        failureKind(() => valuesOf(text, reader)),
        "too_large",
        text,
      );
    }
  });
});

describe("jsonElements laws", () => {
  test("it reads the elements that JSON.parse reads, however the document is written", () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue(), { maxLength: 5 }), fc.constantFrom(0, 2, "\t"), (list, indent) => {
        assert.deepEqual(valuesOf(JSON.stringify(list, null, indent)), JSON.parse(JSON.stringify(list)));
      }),
    );
  });

  test("a list between other keys is read as JSON.parse reads it", () => {
    const anyOther = fc.jsonValue().filter((value) => typeof value !== "object" || value === null);
    fc.assert(
      fc.property(
        anyOther,
        fc.array(fc.jsonValue(), { maxLength: 4 }),
        fc.jsonValue(),
        (before, list, after) => {
          const text = JSON.stringify({ before, inner: { list, after } });

          assert.deepEqual(valuesOf(text), (JSON.parse(text) as { inner: { list: unknown } }).inner.list);
        },
      ),
    );
  });

  test("it accepts exactly the arrays that JSON.parse accepts", () => {
    const anyMess = fc.string({
      unit: fc.constantFrom("{", "}", "[", "]", '"', ",", ":", "1", "\\", " ", "null"),
      maxLength: 12,
    });
    fc.assert(
      fc.property(anyMess, (mess) => {
        const text = `[${mess}]`;
        let expected: unknown;
        try {
          expected = JSON.parse(text);
        } catch {
          expected = null;
        }
        const read = readPieces(anyList(), [text]);

        assert.deepEqual(
          Array.isArray(read) ? read.map(({ value }: { value: unknown }) => value) : null,
          expected,
        );
      }),
      { numRuns: 2_000 },
    );
  });

  const anyMess = fc.oneof(
    fc.jsonValue().map((value) => JSON.stringify([value, { list: [value] }])),
    fc.jsonValue().map((value) => JSON.stringify({ value, list: [value, value] })),
    fc.string({
      unit: fc.constantFrom("{", "}", "[", "]", '"a"', ",", ":", "1", "\\", " ", '"'),
      maxLength: 20,
    }),
  );
  describeTextReader("JSON elements", anyList, anyMess);
});
