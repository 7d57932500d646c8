/**
 * The example of a document: its code blocks whose first line is the path of a file, `// src/…/file.ts`, written to a
 * temporary folder as a reader would write them into the project. Imports of other files lead into the project.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { tempDir } from "./fresh.ts";

const ROOT = resolve(import.meta.dirname, "..");
const run = promisify(execFile);

export type DocExample = AsyncDisposable & {
  readonly paths: readonly string[];
  readonly import: (path: string) => Promise<unknown>;
};

/** Fails if the example has a wrong type, or another format than the project. */
export async function docExample(document: string): Promise<DocExample> {
  const page = await readFile(join(ROOT, document), "utf8");
  const files = new Map(
    [...page.matchAll(/^( *)```ts\n *\/\/ (\S+\.ts)\n(.*?)^\1```/gms)].map(
      ([, indent = "", path = "", code = ""]) => [path, code.replaceAll(new RegExp(`^${indent}`, "gm"), "")],
    ),
  );
  assert.ok(files.size > 0, `${document} has no example`);
  const dir = await tempDir();
  for (const [path, code] of files) {
    const place = join(dir.path, path);
    await mkdir(dirname(place), { recursive: true });
    const within = (specifier: string): string => {
      const target = join(dirname(path), specifier);
      return join(files.has(target) ? dir.path : ROOT, target);
    };
    await writeFile(place, code);
    await run(tool("biome"), ["format", `--config-path=${ROOT}`, place]);
    await writeFile(place, code.replaceAll(/(?<= from ")\.[^"]+/g, within));
  }
  await checkTypes(dir.path, [...files.keys()]);
  return {
    paths: [...files.keys()],
    import: (path) => import(join(dir.path, path)) as Promise<unknown>,
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}

const tool = (name: string): string => join(ROOT, "node_modules/.bin", name);

async function checkTypes(dir: string, files: readonly string[]): Promise<void> {
  const config = {
    extends: join(ROOT, "tsconfig.json"),
    compilerOptions: {
      rewriteRelativeImportExtensions: false,
      typeRoots: [join(ROOT, "node_modules/@types")],
    },
    include: [],
    files,
  };
  await writeFile(join(dir, "package.json"), '{ "type": "module" }');
  await writeFile(join(dir, "tsconfig.json"), JSON.stringify(config));
  await run(tool("tsc"), ["-p", dir]).catch(({ stdout }: { stdout: string }) => assert.fail(stdout));
}
