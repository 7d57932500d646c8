import assert from "node:assert/strict";
import { mkdir, readdir, readFile, readlink, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { gunzipSync, zstdDecompressSync } from "node:zlib";
import fc from "fast-check";
import { tempDir } from "../../test/fresh.ts";
import { newId } from "../lib/id.ts";
import { type Encoding, feedFolders } from "./feed-folders.ts";
import { closeAfterTests } from "../../test/close-after.ts";

const temp = closeAfterTests(await tempDir());
const root = join(temp.path, "feeds");
const folders = feedFolders(root);

/** Writes one file as a render does, waiting wherever it is asked to. */
async function put(pieces: readonly string[]) {
  const place = { catalogId: newId(), folder: newId(), file: "acp.csv" };
  const folder = await folders.create(place.catalogId, place.folder);
  const sink = folder.sink(place.file, { isFeed: true });
  sink.head("");
  for (const piece of pieces) {
    sink.start(true);
    sink.write(piece);
    await sink.busy();
  }
  const written = await sink.finish();
  await folder.commit();
  return { place, written };
}

async function bytesOf(
  place: { catalogId: string; folder: string; file: string },
  encoding: Encoding,
  range?: { start: number; end: number },
): Promise<Buffer> {
  return Buffer.concat(
    await Array.fromAsync((await folders.open({ ...place, encoding }, range)) as AsyncIterable<Buffer>),
  );
}

async function checkFile(pieces: readonly string[]): Promise<void> {
  const expected = Buffer.from(pieces.join(""));

  const { place, written } = await put(pieces);

  const [plain, gzip, zstd] = await Promise.all(
    (["identity", "gzip", "zstd"] as const).map(async (encoding) => bytesOf(place, encoding)),
  );
  assert.ok(plain && gzip && zstd);
  assert.ok(plain.equals(expected));
  assert.ok(gunzipSync(gzip).equals(expected));
  assert.ok(zstdDecompressSync(zstd).equals(expected));
  const { etag } = written;
  assert.match(etag, /^[0-9a-f]{64}$/);
  for (const isGzip of [false, true])
    assert.equal((await folders.verify(place, { etag, isGzip })).verdict, "same");
  assert.deepEqual(written, {
    etag,
    bytes: plain.length,
    gzipBytes: gzip.length,
  });
}

test("a file is read back, plain and compressed, with the hash and sizes that were returned", async () => {
  await fc.assert(fc.asyncProperty(fc.array(fc.string({ unit: "grapheme" })), checkFile), { numRuns: 25 });
});

test("files of many chunks are read back as well", async () => {
  const line = `${"x,é,😀,".repeat(40)}\n`;
  await checkFile(Array.from({ length: 6_000 }, (_, i) => `${i}${line}`));
});

test("any part of a file can be read", async () => {
  const { place } = await put(["0123456789"]);

  assert.equal((await bytesOf(place, "identity", { start: 3, end: 5 })).toString(), "345");
});

test("a folder is visible to readers only when it is complete", async () => {
  const [catalogId, name] = [newId(), newId()];
  const folder = await folders.create(catalogId, name);
  const sink = folder.sink("acp.csv", { isFeed: true });
  sink.write("item_id\n");
  await sink.finish();
  const file = { catalogId, folder: name, file: "acp.csv" };
  const before = { has: await folders.has(file), names: await readdir(join(root, catalogId)) };

  await folder.commit();

  assert.deepEqual(before, { has: false, names: [`${name}.part`] });
  assert.equal(await folders.has(file), true);
  assert.equal(await folders.has({ ...file, file: "gmc.tsv" }), false);
  assert.equal(await folders.open({ ...file, file: "gmc.tsv", encoding: "gzip" }), undefined);
  assert.deepEqual(await readdir(join(root, catalogId)), [name]);
});

test("a discarded folder leaves no files, and none open", async () => {
  const [catalogId, name] = [newId(), newId()];
  const folder = await folders.create(catalogId, name);
  for (const file of ["acp.csv", "gmc.tsv"]) {
    const sink = folder.sink(file, { isFeed: true });
    sink.head("half of ");
    if (file === "gmc.tsv") await sink.finish();
  }

  await folder.discard();

  assert.deepEqual(await readdir(join(root, catalogId)), []);
  assert.deepEqual(await openFilesUnder(join(root, catalogId)), []);
});

/** Where the system lists the open files of a process. */
async function openFilesUnder(path: string): Promise<readonly string[]> {
  const descriptors = await readdir("/proc/self/fd").catch(() => []);
  const targets = await Promise.all(
    descriptors.map(async (descriptor) => readlink(join("/proc/self/fd", descriptor)).catch(() => "")),
  );
  return targets.filter((target) => target.startsWith(path));
}

test("a file that cannot be written fails its own writer only", async () => {
  const folder = await folders.create(newId(), newId());
  const sink = folder.sink("no-such-folder/acp.csv", { isFeed: true });
  const large = "x".repeat(300_000);

  await assert.rejects(async () => {
    for (let i = 0; i < 100; i += 1) {
      sink.start(true);
      sink.write(large);
      await sink.busy();
    }
    await sink.finish();
  }, /ENOENT/);
  await folder.discard();
});

test("a folder that cannot be created is an error", async () => {
  const inTheWay = join(temp.path, "a-file");
  await writeFile(inTheWay, "");

  await assert.rejects(feedFolders(inTheWay).create(newId(), newId()), /ENOTDIR|EEXIST/);
});

test("a sweep deletes folders that are not needed, complete or not, and returns how many", async () => {
  const catalogId = newId();
  const other = newId();
  await mkdir(join(root, other, "theirs"), { recursive: true });
  for (const name of ["needed", "old", "open.part", "dead.part"]) {
    await mkdir(join(root, catalogId, name), { recursive: true });
    await writeFile(join(root, catalogId, name, "acp.csv"), "item_id\n");
  }

  const removed = await folders.sweep(catalogId, async () => new Set(["needed", "open"]));

  assert.equal(removed, 2);
  assert.deepEqual((await readdir(join(root, catalogId))).sort(), ["needed", "open.part"]);
  assert.deepEqual(await readdir(join(root, other)), ["theirs"]);
  assert.equal(await readFile(join(root, catalogId, "needed", "acp.csv"), "utf8"), "item_id\n");
});

test("a sweep keeps folders that were created after it began", async () => {
  const catalogId = newId();
  await mkdir(join(root, catalogId, "old"), { recursive: true });

  await folders.sweep(catalogId, async () => {
    // A render begins and is published just now: the answer below was too early for it.
    await mkdir(join(root, catalogId, "newborn.part"));
    await mkdir(join(root, catalogId, "published"));
    return new Set();
  });

  assert.deepEqual((await readdir(join(root, catalogId))).sort(), ["newborn.part", "published"]);
});

test("a catalog that has no folder yet has nothing to sweep", async () => {
  assert.equal(await folders.sweep(newId(), async () => new Set()), 0);
});

test("other users of the machine cannot read rendered feeds", async () => {
  await using dir = await tempDir();
  const folder = await feedFolders(dir.path).create("catalog", "render");
  const sink = folder.sink("gmc.tsv", { isFeed: true });
  sink.write("id\n");
  await sink.finish();
  await folder.commit();

  const path = join(dir.path, "catalog", "render");
  assert.equal((await stat(path)).mode & 0o077, 0);
  for (const file of await readdir(path)) assert.equal((await stat(join(path, file))).mode & 0o077, 0, file);
});
