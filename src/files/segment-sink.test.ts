/**
 * A file that is written by keeping parts of an earlier one has exactly the bytes that it has when it is written anew.
 */
import assert from "node:assert/strict";
import { mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { crc32, gunzipSync } from "node:zlib";
import fc from "fast-check";
import { closeAfterTests } from "../../test/close-after.ts";
import { tempDir } from "../../test/fresh.ts";
import { newId } from "../lib/id.ts";
import { combineCrc32 } from "./gzip-segments.ts";
import { feedFolders } from "./feed-folders.ts";
import type { SegmentSink } from "./segment-sink.ts";
import { SegmentList } from "./segments.ts";
import { DamagedFile } from "./stored-files.ts";
import { cases } from "../../test/long.ts";

const temp = closeAfterTests(await tempDir());
const folders = feedFolders(temp.path);
const FILE = "acp.csv";

type Part = { readonly key: number; readonly text: string };

type Previous = { readonly folder: string; readonly parts: readonly Part[] };

const bytesOf = ({ text }: Part): number => Buffer.byteLength(text);

/**
 * How many of the next parts are kept as one run: those that are the same in both files, up to `longest`, if the sink
 * can.
 */
function runLength(
  sink: SegmentSink,
  own: readonly Part[],
  earlier: readonly Part[],
  longest: number,
): number {
  const isSame = (at: number): boolean =>
    own[at]?.key === earlier[at]?.key && own[at]?.text === earlier[at]?.text;
  let length = 0;
  while (length < Math.min(longest, own.length) && isSame(length)) length += 1;
  return sink.canKeepRun(own.slice(0, length).reduce((sum, part) => sum + bytesOf(part), 0)) ? length : 0;
}

/** Writes the parts, keeping those that the previous file has: one by one, or also as runs of so many parts. */
async function write(
  catalogId: string,
  parts: readonly Part[],
  { longestRun = 0, ...previous }: Partial<Previous> & { readonly longestRun?: number } = {},
) {
  const folder = newId();
  const target = await folders.create(catalogId, folder, previous.folder);
  const sink = target.sink(FILE, { isFeed: true });
  sink.head("head\n");
  const earlier = previous.parts ?? [];
  let at = 0;
  for (let next = 0; next < parts.length; ) {
    const { key, text } = parts[next] as Part;
    for (let old = earlier[at]; old && old.key < key; old = earlier[++at]) sink.skip(bytesOf(old));
    const run = runLength(sink, parts.slice(next), earlier.slice(at), longestRun);
    if (run > 0) {
      sink.keepRun(parts.slice(next, next + run).reduce((sum, part) => sum + bytesOf(part), 0));
      at += run;
      next += run;
      continue;
    }
    sink.start(key % 4 === 0);
    const same = earlier[at];
    if (same?.key === key && same.text === text) {
      sink.keep(Buffer.byteLength(text));
      at += 1;
    } else sink.write(text);
    await sink.busy();
    next += 1;
  }
  const written = await sink.finish("tail\n");
  await target.commit();
  return { folder, written };
}

async function read(
  catalogId: string,
  folder: string,
  encoding: "identity" | "gzip",
  range?: { start: number; end: number },
) {
  const stream = await folders.open({ catalogId, folder, file: FILE, encoding }, range);
  return Buffer.concat(await Array.fromAsync(stream as AsyncIterable<Buffer>));
}

/** Some texts are longer than the longest segment. Not many: they make most of the bytes, so of the time. */
const anyLength = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom(0, 3, 5_000, 20_000) },
  { weight: 1, arbitrary: fc.constant(300_000) },
);
const anyParts = fc
  .array(
    fc.record({
      key: fc.nat(60),
      length: anyLength,
      mark: fc.constantFrom("é", "b"),
    }),
    {
      maxLength: 30,
    },
  )
  .map((parts) =>
    [...new Map(parts.map((part) => [part.key, part])).values()]
      .sort((a, b) => a.key - b.key)
      .map(
        ({ key, length, mark }): Part => ({
          key,
          text: length === 0 ? "" : `${key}${mark.repeat(length)}\n`,
        }),
      ),
  );

/** Files of several segments, with parts that have no text. */
const anyLongParts = fc
  .array(fc.constantFrom(0, 0, 3, 9_000, 12_000, 40_000), { minLength: 10, maxLength: 60 })
  .map((lengths) => lengths.map((length, at): Part => ({ key: 2 * at, text: "a".repeat(length) })));
/** Changes the part with a key, adds it, or removes it. */
const anyEdit = fc.record({ key: fc.nat(125), length: fc.constantFrom(null, 0, 3, 9_000, 40_000) });

function edited(
  parts: readonly Part[],
  { key, length }: { key: number; length: number | null },
): readonly Part[] {
  const others = parts.filter((part) => part.key !== key);
  const own = length === null ? [] : [{ key, text: "b".repeat(length) }];
  return [...others, ...own].toSorted((a, b) => a.key - b.key);
}

test("parts that are kept as runs give the segments of a complete file, and no more new bytes than parts kept one by one", async () => {
  const sizeOf = async (catalogId: string, folder: string): Promise<number> =>
    (await stat(join(temp.path, catalogId, folder, FILE))).size;
  await fc.assert(
    fc.asyncProperty(
      anyLongParts,
      fc.array(anyEdit, { minLength: 1, maxLength: 4 }),
      fc.constantFrom(1, 3, 1_000),
      async (original, edits, longestRun) => {
        const catalogId = newId();
        let parts: readonly Part[] = original;
        let previous: Previous = { folder: (await write(catalogId, parts)).folder, parts };
        for (const edit of edits) {
          parts = edited(parts, edit);
          const byRuns = await write(catalogId, parts, { ...previous, longestRun });
          const oneByOne = await write(catalogId, parts, previous);
          const { written } = await write(catalogId, parts);
          assert.deepEqual(byRuns.written, written);
          assert.deepEqual(oneByOne.written, written);
          assert.equal(await sizeOf(catalogId, byRuns.folder), await sizeOf(catalogId, oneByOne.folder));
          previous = { folder: byRuns.folder, parts };
        }
        assert.equal(
          (await read(catalogId, previous.folder, "identity")).toString(),
          `head\n${parts.map(({ text }) => text).join("")}tail\n`,
        );
        await rm(join(temp.path, catalogId), { recursive: true });
      },
    ),
    { numRuns: cases(60) },
  );
});

test("after any edits, plain bytes and compressed bytes are those of a new file, and any range can be read", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyParts, { minLength: 1, maxLength: 4 }),
      fc.nat(),
      fc.nat(),
      async (edits, from, length) => {
        const catalogId = newId();
        let previous: Previous | undefined;
        for (const parts of edits) {
          const { folder, written } = await write(catalogId, parts, previous);
          const fresh = await write(catalogId, parts);
          assert.deepEqual(written, fresh.written);
          previous = { folder, parts };
          const plain = await read(catalogId, folder, "identity");
          const gzip = await read(catalogId, folder, "gzip");
          assert.equal(plain.toString(), `head\n${parts.map(({ text }) => text).join("")}tail\n`);
          assert.ok(gunzipSync(gzip).equals(plain));
          assert.ok(gzip.equals(await read(catalogId, fresh.folder, "gzip")));
          const start = from % plain.length;
          const end = Math.min(plain.length - 1, start + (length % plain.length));
          assert.ok(
            (await read(catalogId, folder, "identity", { start, end })).equals(
              plain.subarray(start, end + 1),
            ),
          );
        }
      },
    ),
    { numRuns: cases(40) },
  );
});

/** Long enough to be written on a thread. */
const longParts: readonly Part[] = Array.from({ length: 40 }, (_, key) => ({
  key,
  text: "é".repeat(20_000),
}));

test("a long file is not continued from a file that is too short or missing", async () => {
  const catalogId = newId();
  const { folder } = await write(catalogId, longParts);
  const path = join(temp.path, catalogId, folder, FILE);
  const changed = { key: 100, text: "changed" };
  await writeFile(path, (await readFile(path)).subarray(0, 500_000));
  await assert.rejects(write(catalogId, [...longParts, changed], { folder, parts: longParts }), DamagedFile);
  await rm(path);
  await assert.rejects(write(catalogId, longParts, { folder, parts: longParts }), DamagedFile);
});

test("kept segments are not read: changed bytes are found when the file is verified", async () => {
  const catalogId = newId();
  const { folder } = await write(catalogId, longParts);
  const path = join(temp.path, catalogId, folder, FILE);
  const bytes = await readFile(path);
  bytes[1_000_000] = 0;
  await writeFile(path, bytes);

  const changed = { key: 100, text: "changed" };
  const next = await write(catalogId, [...longParts, changed], { folder, parts: longParts });

  const verdictOf = async (isGzip: boolean): Promise<string> =>
    (
      await folders.verify(
        { catalogId, folder: next.folder, file: FILE },
        { etag: next.written.etag, isGzip },
      )
    ).verdict;
  assert.deepEqual([await verdictOf(false), await verdictOf(true)], ["different", "same"]);
});

test("a file that changes often stays in few folders, and its unchanged bytes are not copied", async () => {
  const catalogId = newId();
  let previous = { ...(await write(catalogId, longParts)), parts: longParts };
  for (let edit = 0; edit < 60; edit++) {
    const at = (edit * 7) % longParts.length;
    const parts = previous.parts.map((part, index) =>
      index === at ? { ...part, text: `${edit}`.padEnd(40_000, "é") } : part,
    );
    previous = { ...(await write(catalogId, parts, previous)), parts };
    const place = join(temp.path, catalogId, previous.folder, FILE);
    const { folders: used } = SegmentList.parse(await readFile(`${place}.segments`), FILE);
    assert.ok(used.length <= 18, `${used.length} folders`);
    assert.ok((await stat(place)).size < longParts.length * 40_000, "the file was written anew");
  }
  const fresh = await write(catalogId, previous.parts);
  assert.equal(previous.written.etag, fresh.written.etag);
});

test("a long file that cannot be written fails its own sink only, also while it is written", async () => {
  const catalogId = newId();
  const target = await folders.create(catalogId, newId());
  await mkdir(join(temp.path, catalogId, (await readdir(join(temp.path, catalogId)))[0] ?? "", "gmc.tsv"));
  const [sink, failing] = [target.sink(FILE, { isFeed: true }), target.sink("gmc.tsv", { isFeed: true })];
  const fill = async (one: typeof sink): Promise<void> => {
    for (const { text } of longParts) {
      one.write(text);
      await one.busy();
    }
  };

  await Promise.all([
    fill(sink),
    assert.rejects(async () => (await fill(failing), failing.finish()), { code: "EISDIR" }),
  ]);

  assert.equal((await sink.finish()).bytes, 40 * 40_000);
  await target.discard();
  assert.deepEqual(await readdir(join(temp.path, catalogId)), []);
});

test("the CRC-32 of two parts follows from those of the parts", () => {
  const anyBytes = fc.oneof(
    fc.uint8Array({ maxLength: 300 }),
    fc.tuple(fc.nat(600_000), fc.nat(255)).map(([length, byte]) => new Uint8Array(length).fill(byte)),
  );
  fc.assert(
    fc.property(anyBytes, anyBytes, (a, b) => {
      assert.equal(combineCrc32(crc32(a), crc32(b), b.length), crc32(Buffer.concat([a, b])));
    }),
  );
});

test("the CRC-32 of very long parts does not depend on how they are divided", () => {
  const anyPart = fc.record({ crc: fc.nat(2 ** 32 - 1), bytes: fc.nat(2 ** 30) });
  fc.assert(
    fc.property(anyPart, anyPart, anyPart, (a, b, c) => {
      const [ab, bc] = [combineCrc32(a.crc, b.crc, b.bytes), combineCrc32(b.crc, c.crc, c.bytes)];
      assert.equal(combineCrc32(ab, c.crc, c.bytes), combineCrc32(a.crc, bc, b.bytes + c.bytes));
    }),
  );
});
