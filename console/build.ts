/**
 * Builds the console into `console/dist`: `node console/build.ts [--if-changed]`. Names of files contain a hash of
 * their content. With `--if-changed` nothing is built while the sources are those of the last build.
 */
import { createHash } from "node:crypto";
import { glob, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";

const FOLDER = import.meta.dirname;
const OUT = join(FOLDER, "dist");
const STAMP = join(OUT, "sources.sha256");

/** A hash of everything that the result depends on. */
async function sourceHash(): Promise<string> {
  const paths: string[] = [];
  for await (const path of glob(
    ["src/**/*", "index.html", "build.ts", "../src/contract/*.ts", "../package-lock.json"],
    {
      cwd: FOLDER,
      withFileTypes: true,
    },
  ))
    if (path.isFile()) paths.push(join(path.parentPath, path.name));
  const hash = createHash("sha256");
  for (const path of paths.sort()) hash.update(path).update(await readFile(path));
  return hash.digest("hex");
}

async function build(): Promise<void> {
  const { build: bundle } = await import("esbuild");
  await rm(OUT, { recursive: true, force: true });
  await mkdir(OUT, { recursive: true });
  const { metafile } = await bundle({
    entryPoints: [join(FOLDER, "src/main.tsx"), join(FOLDER, "src/styles.css")],
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
  });
  const outputs = Object.entries(metafile.outputs).flatMap(([path, { entryPoint }]) =>
    entryPoint === undefined ? [] : [{ entry: basename(entryPoint), file: basename(path) }],
  );
  let page = await readFile(join(FOLDER, "index.html"), "utf8");
  for (const { entry, file } of outputs) page = page.replace(`/assets/${entry}`, `/assets/${file}`);
  await writeFile(join(OUT, "index.html"), page);
  await writeFile(STAMP, await sourceHash());
}

const isUnchanged = async (): Promise<boolean> =>
  (await readFile(STAMP, "utf8").catch(() => "")) === (await sourceHash());

if (!process.argv.includes("--if-changed") || !(await isUnchanged())) {
  try {
    await build();
  } catch (error) {
    // An installation without the development packages has no bundler. The server says so at `/`.
    if (!(error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND")) throw error;
    process.stderr.write(
      "The console is not built: esbuild is not installed. Run `npm ci` without --omit=dev.\n",
    );
  }
}
