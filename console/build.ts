/**
 * Builds the console into `console/dist`: `node console/build.ts [--if-changed]`. Names of files contain a hash of
 * their content. With `--if-changed` nothing is built while the sources are those of the last build.
 */
import { createHash } from "node:crypto";
import { glob, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { BuildOptions } from "esbuild";

const FOLDER = import.meta.dirname;
const OUT = join(FOLDER, "dist");
const STAMP = join(OUT, "sources.sha256");

/** A hash of everything that the result depends on. */
async function sourceHash(): Promise<string> {
  const paths: string[] = [];
  for await (const path of glob(
    ["src/**/*", "*.html", "build.ts", "../src/{contract,lib/formats}/*.ts", "../package-lock.json"],
    {
      cwd: FOLDER,
      withFileTypes: true,
    },
  ))
    if (path.isFile()) paths.push(join(path.parentPath, path.name));
  const hash = createHash("sha256");
  // Relative paths: the result is packed, and must not depend on the folder of the checkout.
  for (const path of paths.sort()) hash.update(relative(FOLDER, path)).update(await readFile(path));
  return hash.digest("hex");
}

const OPTIONS = {
  outdir: OUT,
  entryNames: "[name]-[hash]",
  chunkNames: "[name]-[hash]",
  bundle: true,
  splitting: true,
  format: "esm",
  target: ["chrome123", "firefox125", "safari17.5"],
  jsx: "automatic",
  jsxImportSource: "preact",
  minify: true,
  metafile: true,
  legalComments: "none",
  logLevel: "warning",
} as const satisfies BuildOptions;

/** A page, its script and its styles. Pages share no code, so that the first page of the console stays small. */
const PAGES = [
  { html: "index.html", entries: ["main.tsx", "styles.css"], licenses: async () => "" },
  { html: "docs.html", entries: ["docs.ts", "docs.css"], licenses: docsLicenses },
] as const;

async function build(): Promise<void> {
  const { build: bundle } = await import("esbuild");
  await mkdir(OUT, { recursive: true });
  const written = new Set([basename(STAMP)]);
  for (const { html, entries, licenses } of PAGES) {
    const { metafile } = await bundle({
      ...OPTIONS,
      entryPoints: entries.map((name) => join(FOLDER, "src", name)),
      banner: { js: await licenses() },
    });
    const outputs = Object.entries(metafile.outputs).flatMap(([path, { entryPoint }]) =>
      entryPoint === undefined ? [] : [{ entry: basename(entryPoint), file: basename(path) }],
    );
    let page = await readFile(join(FOLDER, html), "utf8");
    for (const { entry, file } of outputs) page = page.replace(`/assets/${entry}`, `/assets/${file}`);
    await writeFile(join(OUT, html), page);
    for (const path of [html, ...Object.keys(metafile.outputs)]) written.add(basename(path));
  }
  // Only now: of two builds at once, neither may take away what the other one or a server uses.
  for (const name of await readdir(OUT)) if (!written.has(name)) await rm(join(OUT, name), { force: true });
  await writeFile(STAMP, await sourceHash());
}

/** The licenses of Swagger UI and of what its bundle contains, as a comment. */
async function docsLicenses(): Promise<string> {
  const folder = dirname(fileURLToPath(import.meta.resolve("swagger-ui-dist/swagger-ui-es-bundle.js")));
  const names = ["NOTICE", "LICENSE", "swagger-ui-es-bundle.js.LICENSE.txt"];
  const texts = await Promise.all(names.map(async (name) => readFile(join(folder, name), "utf8")));
  return `/*!\n${texts.join("\n\n").replaceAll("*/", "")}\n*/`;
}

const NOT_WRITABLE =
  "its folder cannot be written to. Run `npm run build:console` once, as the owner of the folder.";
/** Failures that do not prevent a start. */
const REASONS: Readonly<Record<string, string>> = {
  ERR_MODULE_NOT_FOUND:
    "its packages are not installed. Run `npm ci --omit=dev`, with workspaces and optional packages.",
  EACCES: NOT_WRITABLE,
  EROFS: NOT_WRITABLE,
};

const isUnchanged = async (): Promise<boolean> =>
  (await readFile(STAMP, "utf8").catch(() => "")) === (await sourceHash());

if (!process.argv.includes("--if-changed") || !(await isUnchanged())) {
  try {
    await build();
  } catch (error) {
    // Feeds and API work without the console. The summary of the start says that it is not built.
    if (!(error instanceof Error)) throw error;
    // esbuild reports a missing package with its binary, which is optional, by a message only.
    const isPackageMissing = error.message.includes("@esbuild/");
    const code = "code" in error ? String(error.code) : isPackageMissing ? "ERR_MODULE_NOT_FOUND" : "";
    const reason = REASONS[code];
    if (reason === undefined) throw error;
    process.stderr.write(`The console is not built: ${reason}\n`);
  }
}
