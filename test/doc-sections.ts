/**
 * Sections of the documents that are written from the code, between `<!-- name -->` and `<!-- /name -->`.
 * `UPDATE_DOCS=1 npm test` writes them; a plain run fails if they differ.
 */
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..");

export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(heads), line(heads.map(() => "---")), ...rows.map(line)].join("\n");
}

export async function checkSection(file: string, name: string, text: string): Promise<void> {
  const path = join(ROOT, file);
  const document = await readFile(path, "utf8");
  const [open, close] = [`<!-- ${name} -->\n`, `\n<!-- /${name} -->`];
  const start = document.indexOf(open) + open.length;
  const end = document.indexOf(close);
  assert.ok(start >= open.length && end >= 0, `${file} has no section ${name}`);
  if (process.env["UPDATE_DOCS"] === "1")
    await writeFile(path, document.slice(0, start) + text + document.slice(end));
  else assert.equal(document.slice(start, end), text);
}
