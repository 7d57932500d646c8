import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { anyCharacter } from "../any-character.fixture.ts";
import { decodeText } from "./decode-text.ts";
import { surveyEncoding } from "./encoding-survey.ts";

async function* pieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let i = 0; i < bytes.length; i += size) yield bytes.subarray(i, i + size);
}

async function decode(
  bytes: Uint8Array,
  {
    declared = null,
    set = null,
    size = 65_536,
  }: { declared?: string | null; set?: string | null; size?: number } = {},
): Promise<{ text: string; encodings: string[]; surveys: number }> {
  const encodings: string[] = [];
  let surveys = 0;
  let text = "";
  const survey = () => {
    surveys += 1;
    return surveyEncoding(pieces(bytes, size));
  };
  for await (const part of decodeText(pieces(bytes, size), {
    declared,
    survey,
    set,
    onGuess: (guess) => encodings.push(guess?.encoding ?? "utf-8 with invalid bytes"),
  })) {
    text += part;
  }
  return { text, encodings, surveys };
}

/** Windows-1252 for what these tests write. */
function windows1252(text: string): Buffer {
  return Buffer.from(text.replaceAll("€", "\u0080").replaceAll("’", "\u0092"), "latin1");
}
const utf16be = (text: string): Buffer => Buffer.from(text, "utf16le").swap16();

describe("decodeText", () => {
  test("UTF-8 is read with and without a byte order mark", async () => {
    for (const mark of ["", "\uFEFF", "\uFEFF\uFEFF"]) {
      assert.equal((await decode(Buffer.from(`${mark}id,Größe €`))).text, "id,Größe €");
    }
  });

  test("UTF-16 is detected by its byte order mark or by its zero bytes, in both byte orders", async () => {
    const text = "id,title\n1,Größe €😀\n";
    for (const mark of ["\uFEFF", ""]) {
      assert.equal((await decode(Buffer.from(mark + text, "utf16le"))).text, text);
      assert.equal((await decode(utf16be(mark + text))).text, text);
    }
  });

  test("bytes that are not UTF-8 are Windows-1252, wherever the first of them is", async () => {
    for (const padding of [0, 10, 5_000, 200_000]) {
      const text = `${"x".repeat(padding)}5 € für l’été`;

      const decoded = await decode(windows1252(text));

      assert.equal(decoded.text, text);
      assert.deepEqual(decoded.encodings, ["windows-1252"]);
      assert.equal(decoded.surveys, 1);
    }
  });

  test("one truncated character does not change the detection of UTF-8", async () => {
    const bytes = Buffer.concat([
      Buffer.from("caf"),
      Buffer.from("é").subarray(0, 1),
      Buffer.from(" größer über été"),
    ]);

    const decoded = await decode(bytes);

    assert.equal(decoded.text, "caf\uFFFD größer über été");
    assert.deepEqual(decoded.encodings, ["utf-8 with invalid bytes"]);
  });

  test("a declaration of Latin-1 does not stop UTF-8 from being read as UTF-8", async () => {
    const xml = '<?xml version="1.0" encoding="ISO-8859-1"?><a>Größe</a>';

    assert.equal((await decode(Buffer.from(xml), { declared: "iso-8859-1" })).text, xml);
    assert.equal((await decode(windows1252(xml), { declared: "utf-8" })).text, xml);
  });

  test("other declared encodings are used, that of the document before that of the transport; unknown ones are ignored", async () => {
    const latin2 = Buffer.concat([
      Buffer.from('<?xml version="1.0" encoding="iso-8859-2"?>'),
      Buffer.of(0xb1),
    ]);

    assert.ok((await decode(latin2, { declared: "shift_jis" })).text.endsWith("ą"));
    assert.equal((await decode(Buffer.of(0xb1), { declared: "iso-8859-2" })).text, "ą");
    assert.equal((await decode(Buffer.from("Größe"), { declared: "no-such-thing" })).text, "Größe");
    assert.equal((await decode(Buffer.from("id,title"), { declared: "utf-16" })).text, "id,title");
  });

  test("an encoding that a person has set is used, unless the file has a byte order mark", async () => {
    const bytes = Buffer.from("sof\u00ea", "latin1");

    assert.equal((await decode(bytes, { set: "windows-1250", declared: "shift_jis" })).text, "sofę");
    assert.equal((await decode(bytes, { set: "windows-1252" })).text, "sofê");
    assert.equal((await decode(Buffer.from("\uFEFFsofę"), { set: "windows-1250" })).text, "sofę");
    assert.equal((await decode(Buffer.from("id;sofę"), { set: "utf-8" })).text, "id;sofę");
  });

  test("half of a byte order mark is text", async () => {
    assert.equal((await decode(Buffer.from("\u00ffa", "latin1"))).text, "ÿa");
    assert.equal((await decode(Buffer.from("a\u00fe", "latin1"))).text, "aþ");
  });

  test("no bytes give no text", async () => {
    assert.equal((await decode(Buffer.alloc(0))).text, "");
  });

  test("text that ends within a character is reported at the end", async () => {
    const bytes = Buffer.from("größer €");

    assert.equal((await decode(bytes.subarray(0, -1))).text, "größer \uFFFD");
  });
});

describe("decodeText laws", () => {
  const encoders = {
    utf8: (text: string) => Buffer.from(text),
    utf16le: (text: string) => Buffer.from(`\uFEFF${text}`, "utf16le"),
  };

  test("encoded text is decoded unchanged, in chunks of any size", async () => {
    for (const encode of Object.values(encoders)) {
      await fc.assert(
        fc.asyncProperty(
          fc.string({ unit: anyCharacter }),
          fc.integer({ min: 1, max: 9 }),
          async (text, size) => {
            fc.pre(
              !text.startsWith("\uFEFF") &&
                !/[\ud800-\udfff]/.test(text.replace(/[\ud800-\udbff][\udc00-\udfff]/g, "")),
            );
            fc.pre(!text.includes("\u0000"));

            assert.equal((await decode(encode(`id,${text}`), { size })).text, `id,${text}`);
          },
        ),
      );
    }
  });

  test("splitting bytes into chunks does not change the text", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 2_500 }),
        fc.integer({ min: 1, max: 700 }),
        async (bytes, size) => {
          assert.deepEqual(await decode(bytes, { size }), await decode(bytes));
        },
      ),
    );
  });
});

describe("surveyEncoding", () => {
  test("a word that begins with ASCII at the end of a chunk is kept whole", async () => {
    const bytes = Buffer.from("id,Tisch\n1,Stühle", "latin1");

    for (const size of [1, 2, 13, 100]) {
      const { words } = await surveyEncoding(pieces(bytes, size));
      assert.equal(Buffer.from(words).toString("latin1"), "Stühle\n", `pieces of ${size}`);
    }
  });

  test("characters beyond ASCII and invalid sequences are counted across chunks", async () => {
    const bytes = Buffer.concat([Buffer.from("aé€😀"), Buffer.of(0xff, 0xc0, 0x41, 0xed, 0xa0, 0x80)]);

    for (const size of [1, 2, 3, 100]) {
      const { valid, invalid } = await surveyEncoding(pieces(bytes, size));
      assert.deepEqual([valid, invalid], [3, 3], `pieces of ${size}`);
    }
  });
});
