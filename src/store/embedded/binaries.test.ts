import assert from "node:assert/strict";
import { mkdir, readlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { tempDir } from "../../../test/fresh.ts";
import { createLinks, findBinaries } from "./binaries.ts";

test("this platform has a PostgreSQL 18", async () => {
  const { major, version } = await findBinaries(process.platform, process.arch);

  assert.equal(major, 18);
  assert.match(version, /^18\./);
});

test("on a platform without one the error says to set DATABASE_URL", async () => {
  const finding = findBinaries("plan9", "mips");

  await assert.rejects(finding, { code: "embedded_database_failed", message: /plan9-mips.*DATABASE_URL/s });
});

test("the links that the package lists are created where it is installed, by several processes at once", async () => {
  await using folder = await tempDir();
  await mkdir(join(folder.path, "lib"));
  const links = [{ source: "native/lib/libz.so.1.2", target: "native/lib/libz.so.1" }];
  await writeFile(join(folder.path, "pg-symlinks.json"), JSON.stringify(links));
  await writeFile(join(folder.path, "lib/libz.so.1.2"), "");

  const created = await Promise.all([createLinks(folder.path), createLinks(folder.path)]);

  assert.deepEqual(created, [true, true]);
  assert.equal(await readlink(join(folder.path, "lib/libz.so.1")), "libz.so.1.2");
});

test("a folder that cannot hold the links is not used in place", async () => {
  await using folder = await tempDir();
  const links = [{ source: "native/lib/libz.so.1.2", target: "native/lib/libz.so.1" }];
  await writeFile(join(folder.path, "pg-symlinks.json"), JSON.stringify(links));

  assert.equal(await createLinks(folder.path), false);
});
