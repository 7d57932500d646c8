/** All regular expressions of `src/`: literals, patterns of schemas, and those that are built from texts. */
import { execFileSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import ts from "typescript";

export type Pattern = { readonly place: string; readonly source: string; readonly flags: string };

const isProduction = (file: string): boolean => !/\.(test|fixture|corpus|contract)\.ts$/.test(file);
const FILES = globSync("src/**/*.ts").filter(isProduction);

type Found = { readonly literals: readonly Pattern[]; readonly builds: boolean };

function findIn(file: string): Found {
  const literals: Pattern[] = [];
  let builds = false;
  const text = readFileSync(file, "utf8");
  const tree = ts.createSourceFile(file, text, {
    languageVersion: ts.ScriptTarget.Latest,
    jsDocParsingMode: ts.JSDocParsingMode.ParseNone,
  });
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const { line } = tree.getLineAndCharacterOfPosition(node.getStart(tree));
      const end = node.text.lastIndexOf("/");
      const [source, flags] = [node.text.slice(1, end), node.text.slice(end + 1)];
      literals.push({ place: `${file}:${line + 1}`, source, flags });
    }
    if (ts.isNewExpression(node) || ts.isCallExpression(node))
      builds ||= ts.isIdentifier(node.expression) && node.expression.text === "RegExp";
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return { literals, builds };
}

const found = new Map(FILES.map((file) => [file, findIn(file)]));

/** One of each. */
export function literals(): readonly Pattern[] {
  const all = [...found.values()].flatMap((one) => one.literals);
  return [...new Map(all.map((one) => [`${one.source}/${one.flags}`, one])).values()];
}

/** Files that build patterns from texts. */
export const buildingFiles = (): readonly string[] => FILES.filter((file) => found.get(file)?.builds);

/** Imports the files that build patterns in a process of its own, and returns what they build meanwhile. */
export function builtAtImport(): readonly Pattern[] {
  const urls = buildingFiles().map((file) => pathToFileURL(file).href);
  const program = `
    const built = [];
    const root = ${JSON.stringify(`${pathToFileURL(process.cwd()).href}/`)};
    const note = ([source, flags = ""]) => {
      if (typeof source !== "string") return;
      const frame = new Error().stack.split("\\n").find((line) => line.includes(root + "src/"));
      const place = frame?.slice(frame.indexOf(root) + root.length).split(":")[0];
      if (place) built.push({ place, source, flags });
    };
    globalThis.RegExp = new Proxy(RegExp, {
      construct(Base, args) { note(args); return new Base(...args); },
      apply(Base, self, args) { note(args); return Base(...args); },
    });
    for (const url of ${JSON.stringify(urls)}) await import(url);
    process.stdout.write(JSON.stringify(built));
    process.exit();`;
  const args = ["--input-type=module", "--eval", program];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" })) as Pattern[];
}

/** Patterns of schemas are texts. */
export async function patternsOfSchemas(): Promise<readonly Pattern[]> {
  const schemas = new Map<string, Pattern>();
  for (const file of globSync("src/contract/*.ts").filter(isProduction)) {
    const module: unknown = await import(pathToFileURL(join(process.cwd(), file)).href);
    JSON.stringify(module, (key, value: unknown) => {
      if (key === "pattern" && typeof value === "string")
        schemas.set(value, { place: file, source: value, flags: "u" });
      return value;
    });
  }
  return [...schemas.values()];
}
