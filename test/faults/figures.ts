/** The figures of a run, and the page that shows those of the last recorded one. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

export type Figures = Readonly<Record<string, number | string>>;

const PAGE = join(import.meta.dirname, "../../docs/reliability.md");

/** Replaces the text between `<!-- name -->` and `<!-- /name -->` in docs/reliability.md by tables. */
export async function recordFigures(
  name: string,
  tables: readonly (readonly [head: string, figures: Figures])[],
): Promise<void> {
  const text = tables.map(([head, figures]) => tableOf(head, figures)).join("\n\n");
  const page = await readFile(PAGE, "utf8");
  const block = new RegExp(`<!-- ${name} -->[^]*<!-- /${name} -->`);
  if (!block.test(page)) throw new Error(`docs/reliability.md has no place for ${name}`);
  await writeFile(
    PAGE,
    page.replace(block, () => `<!-- ${name} -->\n${text}\n<!-- /${name} -->`),
  );
}

function tableOf(head: string, figures: Figures): string {
  const rows = Object.entries(figures).map(
    ([name, value]) => `| ${name} | ${typeof value === "number" ? value.toLocaleString("en") : value} |`,
  );
  return [`| ${head} |`, "| --- | --- |", ...rows].join("\n");
}
