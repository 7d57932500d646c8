/**
 * Measures category suggestions by judged paths: `node bench/categories.ts judged.json`. The file is a list of
 * catalogs, `{ "catalog", "language", "paths": [{ "path", "titles", "right" }] }`, where `right` are the ids of the
 * categories that a person calls right. All paths of a catalog say what the shop sells; those without `right` are not
 * counted, and listed with `--unjudged`. docs/enrichment.md has the results.
 */
import { readFileSync } from "node:fs";
import { categoryById, categoryPath } from "../src/catalog/google-taxonomy.ts";
import type { TaxonomyLanguage } from "../src/catalog/google-taxonomy.ts";
import { departmentsOf, suggestCategories } from "../src/enrich/categories/suggest.ts";

type Judged = {
  readonly catalog: string;
  readonly language: TaxonomyLanguage;
  readonly paths: readonly {
    readonly path: string;
    readonly titles?: readonly string[];
    readonly right?: readonly number[];
  }[];
};

const BANDS = [0.9, 0.8, 0.65, 0.5];
const [file = "", option] = process.argv.slice(2);
const results = new Map<string, { paths: number; bands: { right: number; total: number }[] }>();

for (const { catalog, language, paths } of JSON.parse(readFileSync(file, "utf8")) as readonly Judged[]) {
  const languages: TaxonomyLanguage[] = language === "en" ? ["en"] : [language, "en"];
  const departments = departmentsOf(
    paths.map(({ path, titles = [] }) => suggestCategories(path.split(" > "), titles, languages)),
  );
  const result = results.get(language) ?? { paths: 0, bands: BANDS.map(() => ({ right: 0, total: 0 })) };
  results.set(language, result);
  for (const { path, titles = [], right } of paths) {
    const [best] = suggestCategories(path.split(" > "), titles, languages, departments);
    const category = best && categoryById(best.id);
    const line =
      category && [catalog, language, best.confidence, path, best.id, categoryPath(category)].join("\t");
    if (right === undefined) {
      if (option === "--unjudged" && line) console.log(line);
      continue;
    }
    result.paths += 1;
    const band = result.bands[BANDS.findIndex((least) => (best?.confidence ?? 0) >= least)];
    if (!best || !band) continue;
    const isRight = right.includes(best.id);
    band.total += 1;
    if (isRight) band.right += 1;
    else if (best.confidence >= 0.8) console.error(`wrong: ${line}`);
  }
}

console.log(`| Language | Paths | ${BANDS.map((least) => `from ${least}`).join(" | ")} |`);
console.log(`| --- | --- |${BANDS.map(() => " --- |").join("")}`);
for (const [language, { paths, bands }] of results)
  console.log(
    `| ${language} | ${paths} | ${bands.map(({ right, total }) => (total === 0 ? "–" : `${right} of ${total}`)).join(" | ")} |`,
  );
