/** Unit tests of the readers, compared with other parsers. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { anyCharacter } from "../../../lib/any-character.fixture.ts";
import { decodeStrictly } from "./decode.ts";
import { inPieces } from "../../validate.fixture.ts";
import type { CellKind } from "../../google/validate/attributes.ts";
import { scanTsv } from "../../google/validate/scan-tsv.ts";
import { type JsonEvent, JsonRecords } from "./json-records.ts";
import { type RecordEvent, recordReader } from "./records.ts";
import { SeenTexts } from "./seen-texts.ts";
import { type Scanned, scanCsv } from "./delimited.ts";

const cell = fc
  .array(fc.constantFrom('"', ",", "\n", "\r", "a", " ", "é"), { maxLength: 6 })
  .map((parts) => parts.join(""));

function recordsIn(text: string, size: number): Scanned<string>[] {
  const events: RecordEvent<Scanned<string>>[] = [];
  const reader = recordReader(
    (record) => scanCsv(record, ","),
    (event) => events.push(event),
  );
  for (let at = 0; at < text.length; at += size) reader.push(text.slice(at, at + size));
  reader.end();
  return events.flatMap((event) => (event.kind === "record" ? [event.cells] : []));
}

describe("the CSV reader", () => {
  test("reads text written by RFC 4180, in chunks of any size", () => {
    const rows = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(rows, fc.integer({ min: 1, max: 9 }), (given, size) => {
        const text = given
          .map((row) => `${row.map((value) => `"${value.replaceAll('"', '""')}"`).join(",")}\n`)
          .join("");
        const found = recordsIn(text, size);

        // A line break inside a cell is read as LF, like the ones between the rows.
        const expected = given.map((row) => row.map((value) => value.replaceAll("\r\n", "\n")));
        assert.deepEqual(
          found.map(({ cells }) => cells),
          expected,
        );
        assert.ok(found.every(({ strayIn }) => strayIn.length === 0));
      }),
    );
  });

  test("agrees with another parser on every text that the other accepts", () => {
    const text = fc
      .array(fc.constantFrom('"', '""', ",", "\n", "a", " ", '","', '"\n"'), { minLength: 1, maxLength: 14 })
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(text, (given) => {
        let expected: string[][] | null = null;
        try {
          expected = parse(given, {
            record_delimiter: "\n",
            relax_column_count: true,
            skip_empty_lines: true,
          });
        } catch {
          expected = null;
        }
        const found = recordsIn(given, given.length);
        const isSound = found.every(({ strayIn }) => strayIn.length === 0);
        if (expected !== null && isSound)
          assert.deepEqual(
            found.map(({ cells }) => cells),
            expected,
          );
      }),
      { numRuns: 200 },
    );
  });
});

describe("Google's reader", () => {
  const read = (text: string, ...kinds: CellKind[]) => scanTsv(text, kinds);

  test("accepts quotes around cells, entries and sub-values", () => {
    assert.deepEqual(read('"12"" Teflon Frying Pan"', "text")?.cells, ['12" Teflon Frying Pan']);
    assert.deepEqual(read('Home > Kitchen,"Gifts, Cards > Mugs"', "list")?.cells, [
      [["Home > Kitchen"], ["Gifts, Cards > Mugs"]],
    ]);
    assert.deepEqual(
      read('General:Product Type:Digital player,Display:Diagonal Size:"2.5"""', "groups")?.cells,
      [
        [
          ["General", "Product Type", "Digital player"],
          ["Display", "Diagonal Size", '2.5"'],
        ],
      ],
    );
    assert.deepEqual(read('"Q one?":"A: one.", "Q two?":"A, two."', "groups")?.cells, [
      [
        ["Q one?", "A: one."],
        ["Q two?", "A, two."],
      ],
    ]);
    assert.deepEqual(read("US:::9.99 USD", "groups")?.cells, [[["US", "", "", "9.99 USD"]]]);
  });

  test("keeps commas and colons in plain cells", () => {
    assert.deepEqual(read("a, b: c\td", "text", "text"), { cells: ["a, b: c", "d"], strayIn: [] });
  });

  test("reads a tab or a line break inside quotes as part of the cell", () => {
    assert.deepEqual(read('"a\tb\nc"\td', "text", "text")?.cells, ["a\tb\nc", "d"]);
    assert.equal(read('"a\tb', "text", "text"), null);
  });

  test("reports the column of a misplaced quote", () => {
    assert.deepEqual(read('"a" b\tc', "text", "text")?.strayIn, [{ column: 0, isInside: false }]);
    assert.deepEqual(read('a\t"a","b"', "text", "text")?.strayIn, [{ column: 1, isInside: false }]);
    assert.deepEqual(read('a"b,"c" d', "list")?.strayIn, [{ column: 0, isInside: false }]);
  });

  test("distinguishes a quote inside a value from one that breaks the row", () => {
    assert.deepEqual(read('a\t12" pan', "text", "text")?.strayIn, [{ column: 1, isInside: true }]);
    assert.deepEqual(read('a,b"c', "list")?.strayIn, [{ column: 0, isInside: true }]);
    assert.deepEqual(scanCsv('a,22" TV,"b" c', ",")?.strayIn, [
      { column: 1, isInside: true },
      { column: 2, isInside: false },
    ]);
  });

  test("reads a row with quotes as it reads one without", () => {
    const kinds: readonly CellKind[] = ["text", "list", "groups", "text"];
    const plain = fc.stringMatching(/^[a-z:, ]{0,12}$/).filter((text) => text === text.trim());
    fc.assert(
      fc.property(fc.tuple(plain, plain, plain, plain), (cells) => {
        const [, ...others] = cells;
        const quoted = scanTsv(['"x"', ...others].join("\t"), kinds)?.cells;
        const bare = scanTsv(["x", ...others].join("\t"), kinds)?.cells;

        assert.deepEqual(quoted, bare);
      }),
    );
  });
});

describe("the JSON reader", () => {
  function eventsIn(text: string, size: number): JsonEvent[] {
    const events: JsonEvent[] = [];
    const records = new JsonRecords(
      (key) => key === "list",
      (event) => events.push(event),
    );
    for (let at = 0; at < text.length; at += size) records.push(text.slice(at, at + size));
    records.end();
    return events;
  }

  test("finds the elements of any document, with their lines, in chunks of any size", () => {
    fc.assert(
      fc.property(
        fc.array(fc.jsonValue()),
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.constantFrom(undefined, 1),
        fc.integer({ min: 1, max: 11 }),
        (list, others, indent, size) => {
          const { list: _, ...members } = others;
          const text = JSON.stringify({ ...members, list }, null, indent);
          const events = eventsIn(text, size);
          const elements = events.flatMap((event) => (event.kind === "element" ? [event] : []));

          assert.deepEqual(
            elements.map(({ value }) => JSON.stringify(value)),
            list.map((value) => JSON.stringify(value)),
          );
          assert.equal(
            events.some(({ kind }) => kind === "broken"),
            false,
          );
          const lines = text.split("\n");
          for (const { line, text: own } of elements)
            assert.ok(lines[line - 1]?.includes(own.split("\n", 1)[0] ?? ""), `line ${line} has not ${own}`);
        },
      ),
    );
  });

  test("accepts what JSON.parse accepts, and reports everything else", () => {
    const text = fc
      .array(fc.constantFrom("[", "]", "{", "}", ",", ":", '"list"', '"a"', "1", "null", "x", " ", '"'), {
        minLength: 1,
        maxLength: 9,
      })
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(text, (given) => {
        const isBroken = eventsIn(given, 3).some(({ kind }) => kind === "broken");
        let value: unknown;
        try {
          value = JSON.parse(given);
        } catch {
          value = undefined;
        }
        const isSound = typeof value === "object" && value !== null;
        assert.equal(isBroken, !isSound && given.trim() !== "", given);
      }),
      { numRuns: 800 },
    );
  });
});

describe("the strict decoder", () => {
  async function decoded(bytes: Uint8Array, size: number): Promise<{ text: string; reports: string[] }> {
    const reports: string[] = [];
    let text = "";
    for await (const piece of decodeStrictly(inPieces(bytes, size), (what, line) =>
      reports.push(`${what} ${line}`),
    ))
      text += piece;
    return { text, reports };
  }

  test("decodes every valid text in chunks of any size, without a report", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: "grapheme" }),
        fc.integer({ min: 1, max: 7 }),
        async (text, size) => {
          fc.pre(!text.startsWith("\uFEFF"));
          assert.deepEqual(await decoded(Buffer.from(text), size), { text, reports: [] });
        },
      ),
    );
  });

  test("reports the line of the first invalid byte once, and continues", async () => {
    const bytes = Buffer.from("one\ntwo\ncaf\xe9\nfour\n\xff", "latin1");
    for (const size of [1, 2, 5, 100]) {
      const { text, reports } = await decoded(bytes, size);

      assert.deepEqual(reports, ["bytes 3"]);
      assert.equal(text, "one\ntwo\ncaf\uFFFD\nfour\n\uFFFD");
    }
  });

  test("removes the byte order mark, and detects UTF-16 by it", async () => {
    assert.deepEqual(await decoded(Buffer.from("\uFEFFid"), 1), { text: "id", reports: ["mark 1"] });
    assert.deepEqual(await decoded(Buffer.from("\uFEFFid\té", "utf16le"), 3), {
      text: "id\té",
      reports: ["utf-16 1"],
    });
  });
});

describe("the set of seen ids", () => {
  test("gives the same answers as a Map", () => {
    const texts = fc.array(
      fc.oneof(fc.string({ maxLength: 3 }), fc.string({ unit: anyCharacter, maxLength: 3 })),
      {
        maxLength: 2_000,
      },
    );
    fc.assert(
      fc.property(texts, (given) => {
        const seen = new SeenTexts(1_000_000);
        const map = new Map<string, number>();
        for (const [line, text] of given.entries()) {
          assert.equal(seen.lineOf(text), map.get(text));
          assert.equal(seen.add(text, line), map.get(text));
          if (!map.has(text)) map.set(text, line);
        }
        for (const [text, line] of map) assert.equal(seen.lineOf(text), line);
      }),
      { numRuns: 20 },
    );
  });

  test("reports that it is full, and still finds earlier texts", () => {
    const seen = new SeenTexts(3);
    for (const [line, text] of ["a", "b", "c"].entries()) seen.add(text, line);

    assert.equal(seen.isFull, false);
    assert.equal(seen.add("d", 4), undefined);
    assert.equal(seen.isFull, true);
    assert.deepEqual([seen.lineOf("b"), seen.lineOf("d")], [1, undefined]);
  });
});
