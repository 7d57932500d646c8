import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { delimitedReader } from "./delimited.ts";
import { FormatError } from "./format-error.ts";
import { cut, describeTextReader, readPieces } from "./text-reader.contract.ts";

const LIMITS = { maxFieldChars: 10_000, maxRowChars: 40_000 };

function cellsOf(text: string, delimiter = ","): readonly (readonly string[])[] {
  const reader = delimitedReader({ delimiter, ...LIMITS });
  return [...reader.push(text), ...reader.end()].map(({ cells }) => cells);
}

function failureOf(act: () => unknown): FormatError {
  try {
    act();
  } catch (error) {
    if (error instanceof FormatError) return error;
    throw error;
  }
  return assert.fail("expected a FormatError");
}

describe("delimitedReader", () => {
  test("padded cells may have a quote after their spaces, in chunks of any size", () => {
    const text = 'name  , about        , sku\n"A, b" , "say ""hi"", " , 7\n      ,              , 8\n';
    for (let size = 1; size < 12; size += 1) {
      const reader = delimitedReader({ delimiter: ",", isPadded: true, ...LIMITS });
      const pieces = text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
      const rows = [...pieces.flatMap((piece) => reader.push(piece)), ...reader.end()];
      assert.deepEqual(
        rows.map(({ cells }) => cells.map((cell) => cell.trim())),
        [
          ["name", "about", "sku"],
          ["A, b", 'say "hi",', "7"],
          ["", "", "8"],
        ],
      );
    }
  });

  test("rows end with LF, CRLF or CR, and the last one needs no end", () => {
    for (const end of ["\n", "\r\n", "\r"]) {
      assert.deepEqual(
        cellsOf(`a,b${end}1,2${end}3,4`),
        [
          ["a", "b"],
          ["1", "2"],
          ["3", "4"],
        ],
        JSON.stringify(end),
      );
    }
  });

  test("a CR inside a cell of an LF file is a character", () => {
    assert.deepEqual(cellsOf("a,b\n1\rx,2\n"), [
      ["a", "b"],
      ["1\rx", "2"],
    ]);
  });

  test("a quoted cell may hold delimiters, row ends and doubled quotes", () => {
    assert.deepEqual(cellsOf('a,"x, ""y""\nz",c\n'), [["a", 'x, "y"\nz', "c"]]);
  });

  test("a quoted cell in the first row does not decide how rows end", () => {
    assert.deepEqual(cellsOf('"a\nb",c\r\n1,2\r\n'), [
      ["a\nb", "c"],
      ["1", "2"],
    ]);
  });

  test("spaces between a closing quote and the delimiter are ignored", () => {
    assert.deepEqual(cellsOf('"a" ,"b"  \n'), [["a", "b"]]);
  });

  test("a quote inside an unquoted cell is a character", () => {
    assert.deepEqual(cellsOf('12" pan,5\n'), [['12" pan', "5"]]);
  });

  test("a stray quote inside a quoted cell stays in the cell", () => {
    assert.deepEqual(cellsOf('"12" pan, black",5\n'), [['12" pan, black', "5"]]);
  });

  test("in tab-separated text, a cell that only begins with a quote is kept unchanged", () => {
    assert.deepEqual(cellsOf('1\t"Best" mug\t5\n2\tcup\t6\n', "\t"), [
      ["1", '"Best" mug', "5"],
      ["2", "cup", "6"],
    ]);
  });

  test("empty cells and a trailing delimiter count", () => {
    assert.deepEqual(cellsOf(",a,\n,,\n"), [
      ["", "a", ""],
      ["", "", ""],
    ]);
  });

  test("each row has the number of its first line", () => {
    const reader = delimitedReader({ delimiter: ",", ...LIMITS });

    const rows = [...reader.push('a\n"b\nb\nb"\n\nc'), ...reader.end()];

    assert.deepEqual(
      rows.map(({ line }) => line),
      [1, 2, 5, 6],
    );
  });

  test("an open quote at the end of the text is a truncated file", () => {
    const error = failureOf(() => cellsOf('a,b\n1,"never closed\n2,3\n'));

    assert.equal(error.kind, "truncated");
    assert.equal(error.line, 2);
  });

  test("a cell beyond its limit is refused", () => {
    const reader = delimitedReader({ delimiter: ",", maxFieldChars: 5, maxRowChars: 100 });

    assert.equal(failureOf(() => reader.push("12345,123456\n")).kind, "too_large");
  });

  test("an endless row is refused at its limit, in chunks of any size", () => {
    const reader = delimitedReader({ delimiter: ",", maxFieldChars: 1_000, maxRowChars: 2_000 });
    let pushed = 0;

    const error = failureOf(() => {
      for (; pushed < 10_000; pushed += 10) reader.push("0123456789");
    });

    assert.equal(error.kind, "too_large");
    assert.ok(pushed <= 2_010, `refused after ${pushed} characters`);
  });

  test("an unclosed quote is refused at the limit", () => {
    const reader = delimitedReader({ delimiter: ",", maxFieldChars: 1_000, maxRowChars: 2_000 });

    assert.equal(failureOf(() => reader.push(`"${"x\n".repeat(2_000)}`)).kind, "too_large");
  });
});

const anyCell = fc.string({
  unit: fc.constantFrom("a", "b", " ", '"', ",", ";", "\t", "\n", "\r", "é", "😀"),
  maxLength: 8,
});
const anyRows = fc.array(fc.array(anyCell, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 5 });

function write(rows: readonly (readonly string[])[], delimiter: string, end: string): string {
  return rows
    .map((row) => row.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(delimiter) + end)
    .join("");
}

describe("delimitedReader laws", () => {
  test("valid text is read back unchanged, with any delimiter, row end and chunk size", () => {
    fc.assert(
      fc.property(
        anyRows,
        fc.constantFrom(",", ";", "\t", "|"),
        fc.constantFrom("\n", "\r\n", "\r"),
        fc.array(fc.nat(), { maxLength: 5 }),
        (rows, delimiter, end, cuts) => {
          const reader = delimitedReader({ delimiter, ...LIMITS });

          const read = cut(write(rows, delimiter, end), cuts).flatMap((piece) => reader.push(piece));

          assert.deepEqual(
            [...read, ...reader.end()].map(({ cells }) => cells),
            rows,
          );
        },
      ),
    );
  });

  test("well-formed text is read as another parser reads it", () => {
    const anyField = fc.oneof(
      anyCell.map((cell) => `"${cell.replaceAll('"', '""')}"`),
      fc.string({ unit: fc.constantFrom("a", "b", " ", "1", "é"), maxLength: 5 }),
    );
    const anyText = fc
      .array(fc.array(anyField, { minLength: 2, maxLength: 2 }), { minLength: 1, maxLength: 5 })
      .map((rows) => rows.map((row) => row.join(",")).join("\n"));
    fc.assert(
      fc.property(anyText, (text) => {
        const expected: unknown = parse(text, { skip_empty_lines: false, record_delimiter: "\n" });

        assert.deepEqual(cellsOf(text), expected);
      }),
    );
  });

  const anyMess = fc.string({
    unit: fc.constantFrom("a", '"', ",", "\t", "\n", "\r", " ", "bc"),
    maxLength: 60,
  });
  for (const delimiter of [",", "\t"]) {
    describeTextReader(
      `text separated by ${JSON.stringify(delimiter)}`,
      () => delimitedReader({ delimiter, maxFieldChars: 20, maxRowChars: 30 }),
      anyMess,
    );
  }

  test("misplaced quotes lose no character that is not syntax", () => {
    fc.assert(
      fc.property(anyMess, (text) => {
        const read = readPieces(delimitedReader({ delimiter: ",", ...LIMITS }), [text]);
        if (!Array.isArray(read)) return;
        const letters = read.flatMap(({ cells }: { cells: readonly string[] }) => cells).join("");

        assert.equal(letters.replace(/[^abc]/g, ""), text.replace(/[^abc]/g, ""));
      }),
    );
  });
});
