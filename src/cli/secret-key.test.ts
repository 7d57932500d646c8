import assert from "node:assert/strict";
import { readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { tempDir } from "../../test/fresh.ts";
import { secretKeyOf } from "./secret-key.ts";

test("the key is made once, strong, and for its owner's eyes only", async () => {
  await using folder = await tempDir();

  const made = await secretKeyOf(folder.path);
  const kept = await secretKeyOf(folder.path);

  assert.equal(kept, made);
  assert.equal(Buffer.from(made, "base64url").length, 32);
  assert.equal((await stat(join(folder.path, "secret.key"))).mode & 0o077, 0);
});

test("of several who make it at once one wins, and all use its key", async () => {
  await using folder = await tempDir();

  const keys = await Promise.all(Array.from({ length: 8 }, async () => secretKeyOf(folder.path)));

  assert.equal(new Set(keys).size, 1);
  assert.deepEqual(await readdir(folder.path), ["secret.key"]);
});

test("a key that someone put there is used as it is", async () => {
  await using folder = await tempDir();
  await writeFile(join(folder.path, "secret.key"), "a key of my own, long enough to be one\n");

  assert.equal(await secretKeyOf(folder.path), "a key of my own, long enough to be one");
});
