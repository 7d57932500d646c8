import assert from "node:assert/strict";
import { readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { tempDir } from "../../test/fresh.ts";
import { secretKeyOf } from "./secret-key.ts";

test("the key is generated once, is strong, and readable by its owner only", async () => {
  await using folder = await tempDir();

  const made = await secretKeyOf(folder.path);
  const kept = await secretKeyOf(folder.path);

  assert.equal(kept, made);
  assert.equal(Buffer.from(made, "base64url").length, 32);
  assert.equal((await stat(join(folder.path, "secret.key"))).mode & 0o077, 0);
});

test("of several processes that generate it at once, all use the same key", async () => {
  await using folder = await tempDir();

  const keys = await Promise.all(Array.from({ length: 8 }, async () => secretKeyOf(folder.path)));

  assert.equal(new Set(keys).size, 1);
  assert.deepEqual(await readdir(folder.path), ["secret.key"]);
});

test("an existing key file is used unchanged", async () => {
  await using folder = await tempDir();
  await writeFile(join(folder.path, "secret.key"), "a key of my own, long enough to be one\n");

  assert.equal(await secretKeyOf(folder.path), "a key of my own, long enough to be one");
});
