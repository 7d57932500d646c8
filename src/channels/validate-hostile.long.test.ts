/** Hostile and damaged files always give a report, never a crash. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, test } from "node:test";
import fc from "fast-check";
import {
  csv,
  document,
  jsonLines,
  MUG as ACP_MUG,
  TRAY as ACP_TRAY,
} from "./openai/validate/rows.fixture.ts";
import { type FileContent, foundIn, reportOn } from "./validate.fixture.ts";
import { type ChannelFile, VALIDATORS } from "./registry.ts";
import { MUG as GMC_MUG, TRAY as GMC_TRAY, tsv } from "./google/validate/rows.fixture.ts";
import { goldenFeeds } from "./golden.fixture.ts";

const PRODUCT = `{"@type":"Product","@id":"urn:mug","name":"Mug","image":"https://cdn.example/1.jpg","sku":"MUG","offers":{"@type":"Offer","price":"1.00","priceCurrency":"USD"}}`;

/** Without shipping, which is not written like the others. */
function xml(rows: readonly Readonly<Record<string, string>>[]): string {
  const items = rows.map((row) => {
    const attributes = Object.entries(row).filter(([name]) => !name.includes("("));
    const elements = attributes.map(
      ([name, value]) => `<g:${name}>${value.replaceAll("&", "&amp;")}</g:${name}>`,
    );
    return `<item>\n${elements.join("\n")}\n</item>\n`;
  });
  return `<rss version="2.0" xmlns:g="http://base.google.com/ns/1.0">\n<channel>\n${items.join("")}</channel>\n</rss>\n`;
}

/** A file of each format without errors. */
const SOUND = {
  "acp.csv": csv([ACP_MUG, ACP_TRAY]),
  "acp.json": document([ACP_MUG, ACP_TRAY]),
  "gmc.tsv": tsv([GMC_MUG, GMC_TRAY]),
  "gmc.xml": xml([GMC_MUG, GMC_TRAY]),
  "jsonld.json": `{"@context":"https://schema.org","@graph":[\n${PRODUCT}\n]}\n`,
} as const satisfies Partial<Record<ChannelFile, string>>;

const SOUND_FILES = Object.entries(SOUND) as readonly (readonly [keyof typeof SOUND, string])[];

async function errorsIn(file: ChannelFile, content: FileContent): Promise<string[]> {
  return foundIn(await reportOn(file, content), "error");
}

test("the valid files have no errors", async () => {
  assert.deepEqual(Object.keys(SOUND).sort(), [...VALIDATORS.keys()].sort());
  for (const [file, sound] of SOUND_FILES) assert.deepEqual(await errorsIn(file, sound), [], file);
});

describe("every format", () => {
  for (const [file, sound] of SOUND_FILES) {
    test(`${file}: an empty file has an error`, async () => {
      for (const content of ["", "\n", "\n\n\n", " ", "\uFEFF"])
        assert.notDeepEqual(await errorsIn(file, content), [], JSON.stringify(content));
    });

    test(`${file}: random bytes have an error`, async () => {
      for (let n = 0; n < 20; n += 1) assert.notDeepEqual(await errorsIn(file, randomBytes(5_000)), []);
    });

    test(`${file}: null characters are reported wherever they are`, async () => {
      const text = sound;
      const middle =
        text.lastIndexOf("Mug") === -1 ? text.lastIndexOf("ellgarn") : text.lastIndexOf("Mug") + 1;

      assert.notDeepEqual(await errorsIn(file, `${text.slice(0, middle)}\0${text.slice(middle)}`), []);
      assert.notDeepEqual(await errorsIn(file, "\0".repeat(10_000)), []);
    });

    test(`${file}: another format's file has an error`, async () => {
      for (const [other, content] of SOUND_FILES)
        if (other !== file) assert.notDeepEqual(await errorsIn(file, content), [], other);
    });

    test(`${file}: a web page has an error`, async () => {
      const page = "<!doctype html>\n<html><head><title>Log in</title></head><body>…</body></html>\n";
      assert.notDeepEqual(await errorsIn(file, page), []);
    });

    test(`${file}: CRLF line ends and a byte order mark make no error`, async () => {
      const windows = `\uFEFF${SOUND[file].replaceAll("\n", "\r\n")}`;

      const report = await reportOn(file, windows);

      assert.deepEqual(foundIn(report, "error"), []);
      assert.equal(report.rows, (await reportOn(file, SOUND[file])).rows);
    });

    test(`${file}: splitting the file into chunks changes nothing`, async () => {
      const golden = goldenFeeds()
        .filter((feed) => feed.file === file)
        .filter((_, place) => place % 60 === 0);
      for (const { text } of [...golden, { text: SOUND[file].replace('"', "") }]) {
        const whole = await reportOn(file, text);
        for (const size of [1, 7, 100]) assert.deepEqual(await reportOn(file, text, size), whole);
      }
    });

    test(`${file}: any change to a valid file gives a report`, async () => {
      const bytes = Buffer.from(SOUND[file]);
      await fc.assert(
        fc.asyncProperty(
          fc.nat(bytes.length - 1),
          fc.nat(20),
          fc.uint8Array({ maxLength: 20 }),
          async (at, gone, put) => {
            const damaged = Buffer.concat([bytes.subarray(0, at), put, bytes.subarray(at + gone)]);
            const report = await reportOn(file, damaged);

            const listed = report.problems.length;
            assert.equal(report.counts.error + report.counts.warning + report.counts.info, listed);
          },
        ),
        { numRuns: 30 },
      );
    });
  }
});

describe("something very long", () => {
  const MEGABYTES = (count: number) => "word ".repeat(count * 200_000);

  test("a line of 10 MB is reported, and the rows around it are still read", async () => {
    for (const [file, rule] of [
      ["acp.csv", "FILE-LONG"],
      ["gmc.tsv", "gmc.file.long"],
    ] as const) {
      const text = SOUND[file];
      const last = text.trimEnd().lastIndexOf("\n") + 1;

      const report = await reportOn(file, `${text.slice(0, last)}${MEGABYTES(10)}\n${text.slice(last)}`);

      assert.deepEqual(
        report.problems.map((problem) => [problem.rule, problem.line, problem.value?.length]),
        [[rule, 3, 80]],
      );
      assert.equal(report.rows, 3);
    }
  });

  test("an element of 10 MB is checked like any other", async () => {
    const rows = [{ ...ACP_MUG, description: MEGABYTES(10) }, ACP_TRAY];

    for (const text of [document(rows), jsonLines(rows)]) {
      const report = await reportOn("acp.json", text);
      assert.deepEqual(foundIn(report), ["warning DESC-LEN description"]);
      assert.equal(report.rows, 2);
    }
  });

  test("an element beyond the limit is reported and skipped", async () => {
    const rows = [{ ...ACP_MUG, description: MEGABYTES(34) }, ACP_TRAY];

    const inDocument = await reportOn("acp.json", document(rows));
    const inLines = await reportOn("acp.json", jsonLines(rows));

    assert.deepEqual(foundIn(inDocument), ["error FILE-JSON"]);
    assert.deepEqual(foundIn(inLines), ["error FILE-LONG"]);
    assert.deepEqual([inDocument.rows, inLines.rows], [2, 2]);
  });

  test("values that make regular expressions backtrack are checked in linear time", async () => {
    const long = 100_000;
    const nasty = ["a@", "<a", "{{", "a.", "  ", "&amp", "1", ";https", "%2", "/../", "aA", "é", "&#", "0,"];
    for (const pattern of nasty) {
      const value = pattern.repeat(long / pattern.length);
      const acp = Object.fromEntries(Object.keys(ACP_MUG).map((name) => [name, value]));
      const gmc = Object.fromEntries(Object.keys(GMC_MUG).map((name) => [name, value.slice(0, long / 2)]));
      const node = `{"@type":["Product"],"name":${JSON.stringify(value)},"url":${JSON.stringify(value)},"image":${JSON.stringify(value)},"sku":${JSON.stringify(value)},"gtin":${JSON.stringify(value)}}`;

      assert.notDeepEqual(await errorsIn("acp.json", document([acp])), []);
      assert.notDeepEqual(await errorsIn("gmc.tsv", tsv([gmc])), []);
      assert.notDeepEqual(await errorsIn("jsonld.json", `[${node}]`), []);
    }
  });
});

describe("a file that was cut short", () => {
  test("has an error wherever the JSON ends early", async () => {
    for (const file of ["acp.json", "jsonld.json"] as const) {
      const text = SOUND[file].trimEnd();
      for (let end = 1; end < text.length; end += 1)
        assert.notDeepEqual(await errorsIn(file, text.slice(0, end)), [], `cut after ${end}`);
    }
  });

  test("has an error when a delimited row is incomplete", async () => {
    for (const file of ["acp.csv", "gmc.tsv"] as const) {
      const text = SOUND[file].trimEnd();
      const delimiter = file === "acp.csv" ? "," : "\t";
      const last = text.lastIndexOf("\n") + 1;
      const end = text.indexOf(delimiter, last + 60);
      assert.notDeepEqual(await errorsIn(file, text.slice(0, end)), []);
    }
  });

  test("has an error when its last JSON line is incomplete", async () => {
    const text = jsonLines([ACP_MUG, ACP_TRAY]);

    assert.deepEqual(await errorsIn("acp.json", text), []);
    assert.deepEqual(await errorsIn("acp.json", text.slice(0, -20)), ["error FILE-JSON"]);
  });
});

describe("quotes", () => {
  test("a single one affects one row, whatever follows", async () => {
    const rows = Array.from({ length: 50 }, (_, n) => ({ ...GMC_MUG, id: `M${n}`, gtin: "" }));
    const text = tsv(rows).replace("M20\t", '"M20\t');

    const report = await reportOn("gmc.tsv", text);

    assert.deepEqual(
      report.problems.filter(({ severity }) => severity === "error").map(({ rule, line }) => [rule, line]),
      [["tsv.quote.stray", 22]],
    );
    assert.equal(report.rows, 50);
  });

  test("a file of only quotes gives a report", async () => {
    for (const [file] of SOUND_FILES)
      for (const count of [1, 2, 3, 9_999, 100_000])
        assert.notDeepEqual(await errorsIn(file, '"'.repeat(count)), []);
  });

  test("a quote that opens on every line is read in linear time", async () => {
    const text = `${tsv([GMC_MUG])}${'"\t""x\n'.repeat(20_000)}`;

    assert.notDeepEqual(await errorsIn("gmc.tsv", text), []);
  });
});

describe("JSON", () => {
  test("with very deep nesting is refused", async () => {
    for (const text of [
      "[".repeat(200_000),
      `[${'{"a":'.repeat(100_000)}`,
      `{"@graph":[${"[".repeat(100_000)}`,
    ])
      for (const file of ["acp.json", "jsonld.json"] as const)
        assert.notDeepEqual(await errorsIn(file, text), []);
  });

  test("names of built-in object properties are normal names", async () => {
    const row = JSON.stringify(ACP_MUG).replace("{", '{"__proto__":{"brand":"x"},"constructor":"y",');

    assert.deepEqual(await errorsIn("acp.json", `[${row}]`), []);
    assert.deepEqual(
      await errorsIn("acp.json", '[{"__proto__":{"item_id":"x"}}]'),
      [
        "item_id",
        "title",
        "description",
        "url",
        "brand",
        "seller_name",
        "image_url",
        "availability",
        "price",
      ].map((name) => `error REQ ${name}`),
    );
  });
});
