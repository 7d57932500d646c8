/**
 * Recreates package-lock.json (`npm run lock`), in an empty folder: next to an existing node_modules npm drops the
 * binaries of other platforms. Versions that the old lock file has stay as they are.
 *
 * `engines` is dropped from the entries of packages: npm would compare it with the Node.js of the machine and warn, but
 * everything here runs on the Node.js that is one of the packages. The command `node` is dropped from the packages with
 * Node.js, so that it is the one of `tools/node` with every version of npm.
 */
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "shelfwire-lock-"));
try {
  const { workspaces } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const manifests = workspaces.map((name) => join(name, "package.json"));
  for (const file of ["package.json", "package-lock.json", ".npmrc", ...manifests]) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    copyFileSync(join(root, file), join(folder, file));
  }
  const { status } = spawnSync(
    "npm",
    ["install", "--package-lock-only", "--ignore-scripts", "--no-audit", "--no-fund"],
    {
      cwd: folder,
      stdio: "inherit",
    },
  );
  if (status !== 0) throw new Error(`npm ended with status ${status}.`);
  const lock = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8"));
  for (const [path, entry] of Object.entries(lock.packages)) {
    if (path !== "") delete entry.engines;
    if (/^node_modules\/node-(bin-)?(linux|darwin)-/.test(path)) delete entry.bin;
  }
  writeFileSync(join(root, "package-lock.json"), `${JSON.stringify(lock, null, 2)}\n`);
} finally {
  rmSync(folder, { recursive: true });
}
