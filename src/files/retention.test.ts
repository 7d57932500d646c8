/** Which folders of renders stay on disk. */
import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { tempDir } from "../../test/fresh.ts";
import { feedFolders } from "./feed-folders.ts";
import { SegmentList } from "./segments.ts";

/** A folder with a file of so many bytes, which refers to other folders. */
async function folder(root: string, name: string, bytes: number, ...references: string[]): Promise<void> {
  await mkdir(join(root, "c", name), { recursive: true });
  await writeFile(join(root, "c", name, "f"), Buffer.alloc(bytes));
  const list = new SegmentList();
  for (const other of [name, ...references])
    list.push({ folder: other, at: 0, bytes, gzipAt: 0, gzipBytes: 0, crc: 0, hash: Buffer.alloc(16) });
  await writeFile(join(root, "c", name, "f.segments"), Buffer.concat(list.encode()));
}

test("earlier renders are kept from the newest on as long as what they add fits, and the newest one in any case", async () => {
  await using temp = await tempDir();
  const { keepWithin } = feedFolders(temp.path);
  // The served one, its predecessor of which it has parts, a large one, and a small one.
  await folder(temp.path, "served", 100_000, "base");
  await folder(temp.path, "base", 900_000);
  await folder(temp.path, "large", 500_000);
  await folder(temp.path, "small", 1_000, "base");
  const kept = async (earlier: readonly string[], maxBytes: number) =>
    [...(await keepWithin("c", { needed: new Set(["served"]), earlier, maxBytes }))].toSorted();

  const newestFirst = ["served", "base", "large", "small"];
  assert.deepEqual(await kept(newestFirst, 2_000_000), ["base", "large", "served", "small"]);
  // What the served one needs anyway costs nothing.
  assert.deepEqual(await kept(newestFirst, 0), ["base", "served"]);
  assert.deepEqual(await kept(["served", "large", "small", "base"], 0), ["large", "served"]);
  assert.deepEqual(await kept(["served", "base", "small", "large"], 10_000), ["base", "served", "small"]);
  assert.deepEqual(await kept(["served", "gone"], 0), ["gone", "served"]);
});

test("a list of segments that refers to very many folders is read to the end of its first line", async () => {
  await using temp = await tempDir();
  const { sweep, keepWithin } = feedFolders(temp.path);
  const names = Array.from({ length: 500 }, (_, at) => `${at}-${"x".repeat(30)}`);
  await folder(temp.path, "one", 10, ...names);
  await folder(temp.path, names[499] ?? "", 10);
  await folder(temp.path, "other", 10);
  const kept = await keepWithin("c", { needed: new Set(["one"]), earlier: [], maxBytes: 0 });
  assert.equal(await sweep("c", () => Promise.resolve(undefined)), 0);
  assert.equal(await sweep("c", () => Promise.resolve(kept)), 1);
});
