/**
 * Deletes what no program reads: the C++ headers and manuals of the Node.js among the packages (67 of 211 MB; nothing here
 * compiles native code), and source maps, sources, tests and documents of the packages that the program depends on. Runs after an
 * installation (`postinstall`), both of a checkout and of the published package, on whatever Node.js the machine has. A
 * Node.js that another dependency brings in another version is left alone.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const require = createRequire(import.meta.url);
const { optionalDependencies } = require("../package.json");

for (const [name, version] of Object.entries(optionalDependencies)) {
  if (!name.startsWith("node-")) continue;
  const folder = installedFolder(name, version);
  if (folder === null) continue;
  for (const part of ["include", "share", "CHANGELOG.md"]) await remove(join(folder, part));
}

/** Source maps, the types of CommonJS, and what only the authors of a package need. */
const UNUSED = [/\.map$/, /\.d\.cts$/, /^(tests?|docs|examples|benchmarks?)[\\/]/];
/** Sources, and the same code for programs in CommonJS. */
const UNUSED_IN = { "@modelcontextprotocol/server": /\.cjs$/, zod: /^src[\\/]|\.cjs$/ };
for (const [folder, name] of dependencyFolders())
  for (const file of filesIn(folder, ...UNUSED, UNUSED_IN[name])) await remove(file);

async function remove(path) {
  await rm(path, { recursive: true, force: true }).catch((error) => {
    process.stderr.write(`${path} is not needed and was not deleted: ${error.message}\n`);
  });
}

/** A folder of packages above the one that asks; null where it is not installed. */
function packageFolder(name, asking) {
  for (const packages of asking.resolve.paths(name) ?? []) {
    const folder = join(packages, name);
    if (existsSync(join(folder, "package.json"))) return folder;
  }
  return null;
}

function filesIn(folder, ...patterns) {
  if (folder === null) return [];
  return readdirSync(folder, { recursive: true })
    .filter((path) => !path.includes("node_modules") && patterns.some((pattern) => pattern?.test(path)))
    .map((path) => join(folder, path));
}

/** The packages that the program depends on, and those that these depend on. */
function dependencyFolders(from = fileURLToPath(new URL("..", import.meta.url)), known = new Map()) {
  const manifest = join(from, "package.json");
  const { dependencies = {} } = JSON.parse(readFileSync(manifest, "utf8"));
  for (const name of Object.keys(dependencies)) {
    const folder = packageFolder(name, createRequire(manifest));
    if (folder === null || known.has(folder)) continue;
    known.set(folder, name);
    dependencyFolders(folder, known);
  }
  return known;
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
