/**
 * Law: reading a feed of any bytes succeeds or fails with its own code, never with an unexpected error. Valid small
 * files of every format and compression are cut, flipped, spliced and filled at random.
 */
import fc from "fast-check";
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { zipOf } from "../../../test/fakes/zip.ts";
import { type AppError, toAppError } from "../../errors.ts";
import { failureOf } from "../events.contract.ts";
import { type FeedFixture, feedFixture } from "./feed-fixture.contract.ts";

const csv =
  'id,title,price,link\n1,"A ""good"" mug",5.00 USD,https://shop.example/1\n2,Cup,6,https://shop.example/2\n';
const items = [
  { id: "1", title: "Mug é", price: "5.00 USD", link: "https://shop.example/1" },
  { id: "2", title: "Cup", price: "6.00 USD", link: "https://shop.example/2" },
];
const rss =
  '<?xml version="1.0" encoding="utf-8"?><rss xmlns:g="http://base.google.com/ns/1.0"><channel>' +
  "<item><g:id>1</g:id><title><![CDATA[Mug]]></title><g:price>5 USD</g:price></item>" +
  "<item><g:id>2</g:id><title>Cup &amp; saucer</title></item></channel></rss>";

const TEXTS: Readonly<Record<string, Uint8Array>> = {
  csv: Buffer.from(csv),
  tsv: Buffer.from(csv.replaceAll(",", "\t")),
  semicolons: Buffer.from(csv.replaceAll(",", ";"), "latin1"),
  "utf-16": Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(csv, "utf16le")]),
  json: Buffer.from(JSON.stringify(items)),
  "nested json": Buffer.from(JSON.stringify({ products: items, total: 2 })),
  "json lines": Buffer.from(items.map((item) => `${JSON.stringify(item)}\n`).join("")),
  rss: Buffer.from(rss),
};

/** The transport's Content-Encoding for the bytes, for the codings without a magic number. */
type Packed = { readonly bytes: Uint8Array; readonly coding?: string };
const PACKINGS: Readonly<Record<string, (bytes: Uint8Array) => Packed>> = {
  plain: (bytes) => ({ bytes }),
  gzip: (bytes) => ({ bytes: gzipSync(bytes) }),
  "double gzip": (bytes) => ({ bytes: gzipSync(gzipSync(bytes)) }),
  zstd: (bytes) => ({ bytes: zstdCompressSync(bytes) }),
  zip: (bytes) => ({ bytes: zipOf({ "feed.csv": Buffer.from(bytes) }) }),
  "gzip of zip": (bytes) => ({ bytes: gzipSync(zipOf({ "feed.csv": Buffer.from(bytes) })) }),
  brotli: (bytes) => ({ bytes: brotliCompressSync(bytes), coding: "br" }),
  deflate: (bytes) => ({ bytes: deflateSync(bytes), coding: "deflate" }),
};

/** One change to a file. Positions are shares of its length, so that a change fits every file. */
const share = fc.double({ min: 0, max: 1, noNaN: true });
const change = fc.oneof(
  fc.record({ kind: fc.constant("cut" as const), at: share }),
  fc.record({ kind: fc.constant("behead" as const), at: share }),
  fc.record({ kind: fc.constant("flip" as const), at: share, bit: fc.nat(7) }),
  fc.record({ kind: fc.constant("insert" as const), at: share, bytes: fc.uint8Array({ maxLength: 8 }) }),
  fc.record({ kind: fc.constant("fill" as const), at: share, byte: fc.nat(255), length: fc.nat(40) }),
  fc.record({ kind: fc.constant("repeat" as const), at: share, length: fc.nat(60) }),
);
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

function changed(bytes: Uint8Array, by: Change): Uint8Array {
  const at = Math.floor(by.at * bytes.length);
  const [head, tail] = [bytes.subarray(0, at), bytes.subarray(at)];
  switch (by.kind) {
    case "cut":
      return head;
    case "behead":
      return tail;
    case "flip":
      return Buffer.concat([head, Buffer.from([(tail[0] ?? 0) ^ (1 << by.bit)]), tail.subarray(1)]);
    case "insert":
      return Buffer.concat([head, by.bytes, tail]);
    case "fill":
      return Buffer.concat([head, Buffer.alloc(by.length, by.byte), tail.subarray(by.length)]);
    case "repeat":
      return Buffer.concat([head, tail.subarray(0, by.length), tail]);
    default:
      return by satisfies never;
  }
}

/** The code a read ends with; undefined if it ends well. */
async function endOf(world: FeedFixture, { bytes, coding }: Packed): Promise<AppError | undefined> {
  const headers = coding === undefined ? {} : { "content-encoding": coding };
  try {
    await world.readPage({ kind: "file", body: bytes, headers });
    return undefined;
  } catch (error) {
    return toAppError(error);
  }
}

function assertClear(failure: AppError | undefined): void {
  if (failure === undefined) return;
  assert.match(
    failure.code,
    /^source_/,
    `${failure.code}: ${failure.cause instanceof Error ? failure.cause.stack : failure.message}`,
  );
  assert.ok(failure.message.length > 20, failure.message);
}

/** `FUZZ_FACTOR=28 FUZZ_SEED=7` reads 9,000 files that are the same each time; without a seed they differ. */
const { FUZZ_FACTOR: factor = "1", FUZZ_SEED: seed } = process.env;
const runs = (count: number) => ({
  numRuns: count * Number(factor),
  ...(seed !== undefined && { seed: Number(seed) }),
});

describe("any bytes give items or a known failure", { concurrency: false }, () => {
  for (const [packing, pack] of Object.entries(PACKINGS))
    test(`changed files, ${packing}`, async () => {
      await using world = await feedFixture();
      const anyFile = fc.record({
        text: fc.constantFrom(...Object.values(TEXTS)),
        inside: fc.array(change, { maxLength: 2 }),
        outside: fc.array(change, { maxLength: 3 }),
      });
      await fc.assert(
        fc.asyncProperty(anyFile, async ({ text, inside, outside }) => {
          const { bytes, ...how } = pack(inside.reduce(changed, text));
          assertClear(await endOf(world, { bytes: outside.reduce(changed, bytes), ...how }));
        }),
        runs(30),
      );
    });

  test("random bytes after every magic number", async () => {
    await using world = await feedFixture();
    const magic = fc.constantFrom(
      "",
      "1f8b",
      "1f8b08",
      "504b0304",
      "504b0506",
      "28b52ffd",
      "efbbbf",
      "fffe",
      "3c",
      "5b",
      "7b",
    );
    await fc.assert(
      fc.asyncProperty(magic, fc.uint8Array({ maxLength: 64 }), async (head, rest) => {
        assertClear(await endOf(world, { bytes: Buffer.concat([Buffer.from(head, "hex"), rest]) }));
      }),
      runs(75),
    );
  });

  for (const [packing, pack] of Object.entries(PACKINGS))
    test(`cut at every byte, ${packing}`, async () => {
      await using world = await feedFixture();
      const { bytes, ...how } = pack(Buffer.from("id,title,price\n1,Mug,5\n"));
      for (let length = 0; length <= bytes.length; length += 1)
        assertClear(await endOf(world, { bytes: bytes.subarray(0, length), ...how }));
    });
});

test("a gzip file that is cut anywhere is incomplete, also within its header", async () => {
  await using world = await feedFixture();
  const whole = gzipSync(csv);
  for (let length = 2; length < whole.length; length += 1)
    assert.equal(
      (await failureOf(world.readPage(whole.subarray(0, length)))).code,
      "source_incomplete",
      `${length}`,
    );
});
