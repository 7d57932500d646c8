/**
 * Builds what is published: `dist/esm` and `dist/cjs`, each with its own declarations, from the same sources. The
 * `package.json` in `dist/cjs` marks its files as CommonJS. Files are written after both have compiled, so a type error
 * leaves the previous build.
 */
import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import ts from "typescript";

const SOURCES = join(import.meta.dirname, "src");
const ENTRY_POINTS = ["index.ts", "web.ts"].map((file) => join(SOURCES, file));

const SHARED: ts.CompilerOptions = {
  // What Node 18 runs as it is.
  target: ts.ScriptTarget.ES2022,
  lib: ["lib.es2022.d.ts"],
  types: ["node"],
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  moduleDetection: ts.ModuleDetectionKind.Force,
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  allowImportingTsExtensions: true,
  rewriteRelativeImportExtensions: true,
  declaration: true,
  skipLibCheck: true,
  rootDir: SOURCES,
};

const FORMATS = [
  { folder: "esm", module: ts.ModuleKind.ES2022, type: "module" },
  { folder: "cjs", module: ts.ModuleKind.CommonJS, type: "commonjs" },
] as const;

export async function buildReceiver(outDir: string): Promise<void> {
  const files = FORMATS.flatMap(({ folder, module, type }) => [
    ...compile({ ...SHARED, module, outDir: join(outDir, folder) }),
    [join(outDir, folder, "package.json"), `${JSON.stringify({ type })}\n`] as const,
  ]);
  await rm(outDir, { recursive: true, force: true });
  for (const [path, text] of files) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
}

/**
 * Both formats are compiled from the same parsed files: most of them are declarations of the language and of Node.js.
 */
const READER = ts.createCompilerHost(SHARED);
const parsed = new Map<string, ts.SourceFile | undefined>();
const HOST: ts.CompilerHost = {
  ...READER,
  getSourceFile: (path, ...settings) => {
    if (!parsed.has(path)) parsed.set(path, READER.getSourceFile(path, ...settings));
    return parsed.get(path);
  },
};

/** Path to text of all that was emitted; nothing is written here. */
function compile(options: ts.CompilerOptions): Map<string, string> {
  const program = ts.createProgram(ENTRY_POINTS, options, HOST);
  const files = new Map<string, string>();
  const { diagnostics } = program.emit(undefined, (path, text) => {
    files.set(path, path.endsWith(".d.ts") ? withJsEndings(text) : text);
  });
  const problems = [...ts.getPreEmitDiagnostics(program), ...diagnostics];
  if (problems.length > 0) {
    throw new Error(`The receiver does not compile:\n${ts.formatDiagnostics(problems, FORMAT_HOST)}`);
  }
  return files;
}

/**
 * The compiler rewrites `./x.ts` in code but not in declarations, where older versions of it would not find the file.
 */
function withJsEndings(declarations: string): string {
  return declarations.replaceAll(/(from "\.\/[^"]+)\.ts"/g, '$1.js"');
}

const FORMAT_HOST: ts.FormatDiagnosticsHost = {
  getCanonicalFileName: (path) => path,
  getCurrentDirectory: () => import.meta.dirname,
  getNewLine: () => "\n",
};

if (import.meta.main) await buildReceiver(join(import.meta.dirname, "dist"));
