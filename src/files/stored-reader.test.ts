/** Parts of rendered files, also of files that are scattered over the folders of several renders. */
import assert from "node:assert/strict";
import { rm, truncate } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { tempDir } from "../../test/fresh.ts";
import { feedFolders } from "./feed-folders.ts";
import type { StoredReader } from "./stored-reader.ts";

const CATALOG = "c";
const FILE = "f.txt";
/** Each is a segment of its own. */
const SEGMENT = 40 * 1024;

/** Writes a file of a head, these segments and a tail. `null` keeps the segment of the previous render. */
async function write(
  folders: ReturnType<typeof feedFolders>,
  name: string,
  segments: readonly (string | null)[],
  previous?: string,
): Promise<void> {
  const folder = await folders.create(CATALOG, name, previous);
  const sink = folder.sink(FILE, { isFeed: true });
  sink.head("head\n");
  for (const letter of segments) {
    sink.start(true);
    if (letter === null) sink.keep(SEGMENT);
    else {
      sink.write(letter.repeat(SEGMENT));
      if (previous !== undefined) sink.skip(SEGMENT);
    }
  }
  await sink.finish("tail\n");
  await folder.commit();
}

const textOf = (letters: string): string =>
  `head\n${letters
    .split("")
    .map((letter) => letter.repeat(SEGMENT))
    .join("")}tail\n`;

async function opened(): Promise<{
  root: string;
  readers: readonly [StoredReader, StoredReader];
  [Symbol.asyncDispose]: () => Promise<void>;
}> {
  const temp = await tempDir();
  const folders = feedFolders(temp.path);
  await write(folders, "one", ["a", "b", "c"]);
  await write(folders, "two", [null, "x", null], "one");
  const readers = await Promise.all(
    ["one", "two"].map(async (folder) => folders.openReader({ catalogId: CATALOG, folder, file: FILE })),
  );
  const [first, second] = readers;
  assert.ok(first && second);
  return {
    root: temp.path,
    readers: [first, second],
    [Symbol.asyncDispose]: async () => {
      for (const reader of [first, second]) await reader.close();
      await temp[Symbol.asyncDispose]();
    },
  };
}

test("any part of a file is read, in any order, across the folders of several renders", async () => {
  await using files = await opened();
  for (const [reader, text] of [
    [files.readers[0], textOf("abc")],
    [files.readers[1], textOf("axc")],
  ] as const) {
    assert.equal(reader.bytes, text.length);
    const places = [0, 3, 5, SEGMENT - 1, SEGMENT + 5, 2 * SEGMENT + 3, text.length - 7, 11, 0];
    for (const start of places)
      for (const bytes of [1, 9, SEGMENT, text.length].map((some) => Math.min(some, text.length - start)))
        assert.ok((await reader.read({ start, bytes })).toString() === text.slice(start, start + bytes));
  }
});

test("parts that a render kept are the same bytes on disk, and others are not", async () => {
  await using files = await opened();
  const [one, two] = files.readers;
  const isShared = (start: number, bytes: number) => one.isShared({ start, bytes }, two, { start, bytes });
  assert.equal(isShared(5, SEGMENT), true);
  assert.equal(isShared(105, 50), true);
  assert.equal(isShared(5 + SEGMENT, SEGMENT), false);
  assert.equal(isShared(SEGMENT, SEGMENT), false);
  assert.equal(isShared(5 + 2 * SEGMENT, SEGMENT), true);
  assert.equal(one.isShared({ start: 5, bytes: 50 }, two, { start: 6, bytes: 50 }), false);
  assert.equal(one.isShared({ start: 5, bytes: 50 }, two, { start: 5, bytes: 51 }), false);
});

test("a file that was removed stays readable; one that is too short is reported", async () => {
  await using files = await opened();
  const [one, two] = files.readers;
  await truncate(join(files.root, CATALOG, "two", FILE), 100);
  await assert.rejects(two.read({ start: 5 + SEGMENT, bytes: SEGMENT }), { message: /too short/ });
  await rm(join(files.root, CATALOG, "one"), { recursive: true });
  assert.equal((await one.read({ start: 0, bytes: 6 })).toString(), "head\na");
});
