import assert from "node:assert/strict";
import { mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { tempDir } from "../../test/fresh.ts";
import { prepareDataDir } from "./data-dir.ts";

test("a DATA_DIR is created with its parent folders, and left empty", async () => {
  await using folder = await tempDir();
  const path = join(folder.path, "a", "b");

  await Promise.all([prepareDataDir(path), prepareDataDir(path), prepareDataDir(path)]);

  assert.deepEqual(await readdir(path), []);
});

test("a DATA_DIR that is a link to a folder is that folder", async () => {
  await using folder = await tempDir();
  await mkdir(join(folder.path, "real"));
  await symlink("real", join(folder.path, "link"));

  await prepareDataDir(join(folder.path, "link"));
  await writeFile(join(folder.path, "link", "file"), "");

  assert.deepEqual(await readdir(folder.path), ["link", "real"]);
  assert.deepEqual(await readdir(join(folder.path, "real")), ["file"]);
});

test("a DATA_DIR that cannot be created is a configuration error in one sentence", async () => {
  await using folder = await tempDir();
  const file = join(folder.path, "file");
  await writeFile(file, "");
  await symlink("nowhere/at-all", join(folder.path, "dangling"));
  const impossible = [
    file,
    join(file, "below"),
    "/dev/null",
    "/dev/null/shelfwire",
    join(folder.path, "x".repeat(300)),
    join(folder.path, "dangling", "below"),
    // Where the system answers ENOENT to every mkdir.
    ...(process.platform === "linux" ? ["/proc/shelfwire", "/proc/self/a/b"] : []),
  ];

  for (const path of impossible) {
    await assert.rejects(prepareDataDir(path), (error: Error & { code?: string }) => {
      assert.equal(error.code, "config_invalid", path);
      assert.ok(error.message.startsWith(`DATA_DIR ${path} `), error.message);
      assert.doesNotMatch(error.message, /\n/);
      return true;
    });
  }
});
