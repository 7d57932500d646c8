import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { VALIDATORS } from "./registry.ts";
import { validateDoc } from "./validate-doc.ts";

const PAGE = new URL("../../docs/validate.md", import.meta.url);

/** A rule by its id, where a check reports it. */
const REPORTED = /\bsay\(\s*"([a-z]+\.[a-z_.]+|[A-Z][A-Z0-9-]+)"/g;

if (process.env["UPDATE_DOCS"] === "1") writeFileSync(PAGE, validateDoc());

test("docs/validate.md says what the rule tables say", () => {
  assert.equal(readFileSync(PAGE, "utf8"), validateDoc());
});

/** The rows of the page's tables, read from the file without the code that writes them. */
function rowsOfPage(): { readonly id: string; readonly severity: string; readonly sentence: string }[] {
  const rows = readFileSync(PAGE, "utf8").matchAll(/^\| `([A-Za-z][^`]+)` \| ([^|]+) \| (.+) \|$/gm);
  return Array.from(rows, ([, id = "", severity = "", sentence = ""]) => ({ id, severity, sentence }));
}

test("the page has one row for every rule, with its severity and its sentence, and no other row", () => {
  const rules = new Map([...VALIDATORS.values()].flatMap((validator) => Object.entries(validator.rules)));
  const rows = rowsOfPage();

  assert.deepEqual(new Set(rows.map(({ id }) => id)), new Set(rules.keys()));
  assert.equal(rows.length, rules.size);
  for (const { id, severity, sentence } of rows) {
    const rule = rules.get(id);
    const mild = rule?.mild === undefined ? [] : [`${rule.mild.severity} ${rule.mild.when}`];
    assert.equal(severity, [rule?.severity, ...mild].join("; "), id);
    assert.equal(sentence, rule?.sentence, id);
    assert.match(sentence, /^(?:[A-Z]|`).*\.$|^schema\.org .*\.$/, id);
  }
});

test("the page names all formats and options, and every rule that the validators can report", () => {
  const page = readFileSync(PAGE, "utf8");
  const described = new Set(rowsOfPage().map(({ id }) => id));
  const folder = new URL(".", import.meta.url);
  const sources = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
    (name) => name.endsWith(".ts") && !/\.(?:test|fixture)\.ts$/.test(name),
  );
  const reported = sources.flatMap((name) =>
    Array.from(readFileSync(new URL(name, folder), "utf8").matchAll(REPORTED), ([, id = ""]) => id),
  );

  assert.ok(reported.length > 100, `${reported.length} rules found in the code`);
  assert.deepEqual(
    reported.filter((id) => !described.has(id)),
    [],
  );
  for (const word of [...VALIDATORS.keys(), "gmc.xml", "--format", "--max", "--fail-on", "--json"])
    assert.ok(page.includes(word), word);
});
