/** The laws of a store of files. Each implementation is tested with all of them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { closeAfterTests } from "../../test/close-after.ts";
import { tempDir } from "../../test/fresh.ts";
import { newId } from "../lib/id.ts";
import type { FileName, FileStore, OpenedFile } from "./file-store.ts";
import { openStore } from "./open-store.ts";

const temp = closeAfterTests(await tempDir());

/** The locations of empty stores, one of each kind. */
const LOCATIONS = { local: temp.path };

const newName = (): FileName => ({ catalogId: newId(), folder: newId(), file: "a.csv" });

for (const [kind, location] of Object.entries(LOCATIONS)) {
  const store = openStore(location);

  /** Writes the pieces as one file, in a folder of its own. */
  async function put(name: FileName, pieces: readonly Uint8Array[]): Promise<void> {
    const folder = await store.create(name);
    const file = store.blocking.append(name);
    for (const piece of pieces) file.write(Buffer.from(piece));
    await file.finish();
    await folder.commit();
  }

  test(`${kind}: a file has the bytes that were written, in pieces or at once, for every way of reading`, async () => {
    const anyPieces = fc.array(fc.uint8Array({ maxLength: 2_000 }), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(anyPieces, fc.nat(), fc.nat(3_000), async (pieces, from, length) => {
        const name = newName();
        const whole = { ...name, file: "whole" };
        const expected = Buffer.concat(pieces);
        const folder = await store.create(name);
        const file = store.blocking.append(name);
        for (const [index, piece] of pieces.entries()) {
          file.write(Buffer.from(piece));
          if (index % 2 === 0) file.flush();
        }
        assert.equal(file.bytes, expected.length);
        await file.finish();
        await folder.write(whole.file, expected);
        await folder.commit();

        const other = openStore(store.location);
        for (const one of [name, whole]) {
          assert.deepEqual(await store.read(one), expected);
          assert.deepEqual(other.blocking.read(one), expected);
          assert.equal(await other.bytesOf(one), expected.length);
          const start = from % (expected.length + 1);
          const range = expected.subarray(start, start + length);
          assert.deepEqual(await readRange(store, one, { start, length }), range);
          assert.deepEqual(readBlocking(other, one, { start, length }), range);
        }
      }),
      { numRuns: 20 },
    );
  });

  test(`${kind}: the files of a folder can be read when it is complete, and not before`, async () => {
    const name = newName();
    const folder = await store.create(name);
    const file = store.blocking.append(name);
    file.write(Buffer.from("text"));
    await file.finish();
    const seen = async () => [
      await store.read(name),
      await store.open(name),
      await store.bytesOf(name),
      store.blocking.read(name),
      store.blocking.open(name),
      (await store.files(name)).length,
    ];
    assert.deepEqual(await seen(), [undefined, undefined, undefined, undefined, undefined, 0]);

    await folder.commit();

    assert.deepEqual(await store.files(name), [{ file: name.file, bytes: 4 }]);
    assert.equal((await store.read(name))?.toString(), "text");
  });

  test(`${kind}: a discarded folder leaves nothing`, async () => {
    const name = newName();
    const folder = await store.create(name);
    await folder.write(name.file, "text");

    await folder.discard();

    assert.deepEqual(await store.folders(name.catalogId), []);
    assert.equal(await store.read(name), undefined);
  });

  test(`${kind}: folders are listed and removed one by one, complete or not`, async () => {
    const [first, other] = [newName(), newName()];
    const second = { ...first, folder: newId() };
    const open = { ...first, folder: newId() };
    for (const name of [first, second, other]) await put(name, [Buffer.from("text")]);
    await store.create(open);
    const folders = async () => (await store.folders(first.catalogId)).toSorted();
    assert.deepEqual(await folders(), [first, second, open].map(({ folder }) => folder).toSorted());

    for (const name of [first, open]) await store.remove(name);
    await store.remove(newName());

    assert.deepEqual(await folders(), [second.folder]);
    assert.equal((await store.read(second))?.toString(), "text");
    assert.ok((await store.catalogs()).includes(other.catalogId));
    await store.remove(second);
    assert.ok(!(await store.catalogs()).includes(first.catalogId));
    assert.deepEqual(await store.folders(newId()), []);
  });

  test(`${kind}: an open file stays readable when its folder is removed`, async () => {
    const name = newName();
    await put(name, [Buffer.from("0123456789")]);
    const opened = await store.open(name);
    assert.ok(opened);

    await store.remove(name);

    assert.equal((await filled(opened, 4, 3)).toString(), "3456");
    await opened.close();
  });

  test(`${kind}: an empty file is there`, async () => {
    const name = newName();
    await put(name, []);

    assert.equal(await store.bytesOf(name), 0);
    assert.deepEqual(await readRange(store, name, { start: 0, length: 5 }), Buffer.alloc(0));
  });
}

type Range = { readonly start: number; readonly length: number };

async function readRange(store: FileStore, name: FileName, { start, length }: Range): Promise<Buffer> {
  const opened = await store.open(name);
  assert.ok(opened);
  const bytes = await filled(opened, length, start);
  await opened.close();
  return bytes;
}

/** As many bytes as there are, up to `length`. */
async function filled(opened: OpenedFile, length: number, start: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  let end = 0;
  for (let count = -1; count !== 0 && end < length; end += count)
    count = await opened.read(buffer.subarray(end), start + end);
  return buffer.subarray(0, end);
}

function readBlocking(store: FileStore, name: FileName, { start, length }: Range): Buffer {
  const opened = store.blocking.open(name);
  assert.ok(opened);
  const buffer = Buffer.alloc(length);
  let end = 0;
  for (let count = -1; count !== 0 && end < length; end += count)
    count = opened.read(buffer.subarray(end), start + end);
  opened.close();
  return buffer.subarray(0, end);
}
