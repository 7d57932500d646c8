/** A file that is written by keeping parts of an earlier one has exactly the bytes that it has when it is written anew. */
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
import { localFeedFolders } from "./local-files.ts";
import { SegmentList } from "./segments.ts";
import { DamagedFile } from "./stored-files.ts";
import { cases } from "../../test/long.ts";

const temp = closeAfterTests(await tempDir());
const folders = localFeedFolders(temp.path);
const FILE = "acp.csv";

type Part = { readonly key: number; readonly text: string };

/** Writes the parts, keeping those that the previous file has. */
async function write(
  catalogId: string,
  parts: readonly Part[],
  previous?: { folder: string; parts: readonly Part[] },
) {
  const folder = newId();
  const target = await folders.create(catalogId, folder, previous?.folder);
  const sink = target.sink(FILE, { isFeed: true });
  sink.head("head\n");
  const earlier = previous?.parts ?? [];
  let at = 0;
  for (const { key, text } of parts) {
    sink.start(key % 4 === 0);
    while (at < earlier.length && (earlier[at]?.key ?? 0) < key)
      sink.skip(Buffer.byteLength(earlier[at++]?.text ?? ""));
    const same = earlier[at];
    if (same?.key === key && same.text === text) {
      sink.keep(Buffer.byteLength(text));
      at += 1;
    } else sink.write(text);
    await sink.busy();
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
  { weight: 9, arbitrary: fc.constantFrom(3, 5_000, 20_000) },
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
      .map(({ key, length, mark }): Part => ({ key, text: `${key}${mark.repeat(length)}\n` })),
  );

test("after any edits, plain bytes and compressed bytes are those of a new file, and any range can be read", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyParts, { minLength: 1, maxLength: 4 }),
      fc.nat(),
      fc.nat(),
      async (edits, from, length) => {
        const catalogId = newId();
        let previous: { folder: string; parts: readonly Part[] } | undefined;
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
    const { folders: used } = await SegmentList.load(`${place}.segments`);
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
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.uint8Array({ maxLength: 300 }), (a, b) => {
      assert.equal(combineCrc32(crc32(a), crc32(b), b.length), crc32(Buffer.concat([a, b])));
    }),
  );
});
