import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { unpackFile, type UnpackLimits } from "./decompress.ts";
import { FormatError } from "./format-error.ts";
import { zipOf } from "../../../test/fakes/zip.ts";

const LIMITS: UnpackLimits = { maxBytes: 10_000_000, maxRatio: 200, ratioFromBytes: 10_000_000 };
const text = `id,title\n${"1,Größe\n".repeat(500)}`;

let folder = "";
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "unpack-"));
});
after(() => rm(folder, { recursive: true }));

let files = 0;
async function unpack(
  bytes: Uint8Array,
  { limits = LIMITS, coding = null }: { limits?: UnpackLimits; coding?: string | null } = {},
): Promise<string> {
  files += 1;
  const path = join(folder, String(files));
  await writeFile(path, bytes);
  const chunks: Uint8Array[] = [];
  for await (const chunk of unpackFile(path, { limits, coding })) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

async function kindOf(promise: Promise<unknown>): Promise<string> {
  const error: unknown = await promise.then(
    () => assert.fail("expected a FormatError"),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof FormatError, String(error));
  return error.kind;
}

describe("unpackFile", () => {
  test("an uncompressed file is read unchanged, however short", async () => {
    for (const plain of [text, "P", ""]) assert.equal(await unpack(Buffer.from(plain)), plain);
  });

  test("gzip, zstd and zip are decompressed, also inside one another", async () => {
    const gz = gzipSync(text);
    const packed = {
      gzip: gz,
      "gzip in two members": Buffer.concat([gzipSync(text.slice(0, 99)), gzipSync(text.slice(99))]),
      "double gzip": gzipSync(gz),
      zstd: zstdCompressSync(text),
      "zstd in gzip": gzipSync(zstdCompressSync(text)),
      zip: zipOf({ "feed.csv": text }),
      "stored zip": zipOf({ "feed.csv": text }, { isStored: true }),
      "gzip in zip": zipOf({ "feed.csv.gz": gz }),
      "zip in gzip": gzipSync(zipOf({ "feed.csv": text })),
    };
    for (const [how, bytes] of Object.entries(packed)) assert.equal(await unpack(bytes), text, how);
  });

  test("codings without a magic number are decoded if the transport names them", async () => {
    assert.equal(await unpack(brotliCompressSync(text), { coding: "br" }), text);
    assert.equal(await unpack(deflateSync(text), { coding: "deflate" }), text);
    assert.equal(await unpack(Buffer.from(text), { coding: "constructor" }), text);
  });

  test("a gzip coding that the transport announces but does not send is ignored", async () => {
    assert.equal(await unpack(Buffer.from(text), { coding: "gzip" }), text);
  });

  test("too many layers are refused", async () => {
    const four = gzipSync(gzipSync(gzipSync(gzipSync(text))));

    assert.equal(await kindOf(unpack(four)), "unsupported");
  });

  test("data that ends early is truncated", async () => {
    const random = Buffer.from(Array.from({ length: 5_000 }, (_, i) => (i * 7_919) % 251));
    for (const packed of [gzipSync(random), zstdCompressSync(random), gzipSync(gzipSync(random))]) {
      assert.equal(await kindOf(unpack(packed.subarray(0, -5))), "truncated");
    }
    assert.equal(await kindOf(unpack(zipOf({ "feed.csv": text }).subarray(0, -5))), "truncated");
  });

  test("data that is damaged is malformed", async () => {
    const gz = gzipSync(text);
    gz.fill(0xff, 20, 40);

    assert.equal(await kindOf(unpack(gz)), "malformed");
    assert.equal(await kindOf(unpack(Buffer.from("not packed at all"), { coding: "br" })), "malformed");
  });

  test("a zip entry that is damaged is malformed", async () => {
    const zip = zipOf({ "feed.csv": text }, { isStored: true });
    zip.write("XXXX", 100);

    assert.equal(await kindOf(unpack(zip)), "malformed");
  });

  test("a decompression bomb is refused by its ratio after a number of free bytes", async () => {
    const limits: UnpackLimits = { maxBytes: 50_000_000, maxRatio: 200, ratioFromBytes: 100_000 };
    const zeros = Buffer.alloc(2_000_000);
    for (const bomb of [
      gzipSync(zeros),
      zstdCompressSync(zeros),
      zipOf({ "feed.csv": zeros }),
      gzipSync(gzipSync(zeros)),
    ]) {
      assert.equal(await kindOf(unpack(bomb, { limits })), "too_large");
    }
  });

  test("a file that decompresses to more than the limit is refused at the limit", async () => {
    const limits: UnpackLimits = { maxBytes: 100_000, maxRatio: 1_000_000, ratioFromBytes: 100_000 };
    files += 1;
    const path = join(folder, String(files));
    await writeFile(path, gzipSync(Buffer.alloc(2_000_000)));
    let out = 0;

    const read = async (): Promise<void> => {
      for await (const chunk of unpackFile(path, { limits, coding: null })) out += chunk.length;
    };

    assert.equal(await kindOf(read()), "too_large");
    assert.ok(out <= 100_000, `${out} bytes came out`);
  });

  test("an inner layer has the same limit as an outer one", async () => {
    const limits: UnpackLimits = { maxBytes: 100_000, maxRatio: 1_000_000, ratioFromBytes: 100_000 };
    const wide = gzipSync(gzipSync(Buffer.alloc(200_000), { level: 0 }));

    assert.equal(await kindOf(unpack(wide, { limits })), "too_large");
  });

  test("known formats that are not supported are named", async () => {
    const refused = {
      bzip2: Buffer.from("BZh91AY&SY"),
      xz: Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0]),
      PDF: Buffer.from("%PDF-1.7 …"),
      Parquet: Buffer.from("PAR1…"),
      workbook: zipOf({ "[Content_Types].xml": "<x/>", "xl/workbook.xml": "<x/>" }),
    };
    for (const [name, bytes] of Object.entries(refused)) {
      const error: unknown = await unpack(bytes).catch((thrown: unknown) => thrown);

      assert.ok(error instanceof FormatError && error.kind === "unsupported", name);
      assert.ok(error.message.includes(name), error.message);
    }
  });
});

describe("the file taken from a zip archive", () => {
  test("it is the one with a data extension, not a folder, a readme or a hidden file", async () => {
    const zip = zipOf({
      "data/": "",
      "__MACOSX/._feed.csv": "x".repeat(9_000),
      "manual.pdf": "x".repeat(9_000),
      "readme.txt": "made by us",
      "data/feed.csv": text,
    });

    assert.equal(await unpack(zip), text);
  });

  test("a file without a known extension is used if it is the only one", async () => {
    assert.equal(await unpack(zipOf({ export: text })), text);
  });

  test("two data files are refused and named, because one would be lost", async () => {
    const error: unknown = await unpack(zipOf({ "a.csv": text, "b.csv": text })).catch(
      (thrown: unknown) => thrown,
    );

    assert.ok(error instanceof FormatError && error.kind === "unsupported");
    assert.match(error.message, /a\.csv and b\.csv/);
  });

  test("an empty archive and an encrypted file are refused", async () => {
    assert.equal(await kindOf(unpack(zipOf({}))), "unsupported");
    assert.equal(await kindOf(unpack(zipOf({ "feed.csv": text }, { isEncrypted: true }))), "unsupported");
  });

  test("an entry that is longer than it claims is malformed", async () => {
    assert.equal(await kindOf(unpack(zipOf({ "feed.csv": text }, { claimedSize: 100 }))), "malformed");
  });
});

describe("a reader that stops early", () => {
  test("closes its source, so that nothing is left running", async () => {
    files += 1;
    const path = join(folder, String(files));
    await writeFile(path, gzipSync(gzipSync(Buffer.alloc(5_000_000, text))));
    for await (const chunk of unpackFile(path, { limits: { ...LIMITS, maxRatio: 1e9 }, coding: null })) {
      assert.ok(chunk.length > 0);
      break;
    }

    assert.deepEqual(
      process.getActiveResourcesInfo().filter((name) => /FS|Zlib/i.test(name)),
      [],
    );
  });
});
