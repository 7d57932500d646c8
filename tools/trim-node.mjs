/**
 * Deletes the C++ headers and manuals of the Node.js among the packages (67 of 211 MB): nothing here compiles native
 * code, and the program stays where it is. Runs after an installation (`postinstall`), both of a checkout and of the
 * published package, on whatever Node.js the machine has. A package that another dependency brings in another version
 * is left alone.
 */
import { readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const require = createRequire(import.meta.url);
const { optionalDependencies } = require("../package.json");

for (const [name, version] of Object.entries(optionalDependencies)) {
  if (!name.startsWith("node-")) continue;
  const folder = installedFolder(name, version);
  if (folder === null) continue;
  for (const part of ["include", "share", "CHANGELOG.md"]) {
    await rm(join(folder, part), { recursive: true, force: true }).catch((error) => {
      process.stderr.write(`${join(folder, part)} is not needed and was not deleted: ${error.message}\n`);
    });
  }
}

/** Null where npm did not install it: it is for another platform, or optional packages were left out. */
function installedFolder(name, version) {
  try {
    const manifest = require.resolve(`${name}/package.json`);
    return JSON.parse(readFileSync(manifest, "utf8")).version === version ? dirname(manifest) : null;
  } catch {
    return null;
  }
}
