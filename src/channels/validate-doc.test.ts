import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { checkSection, table } from "../../test/doc-sections.ts";
import { shownNumber } from "./kit/field-table.ts";
import {
  MAX_ELEMENT_CHARS,
  MAX_GROUP_ROWS,
  MAX_IDS,
  MAX_ROW_CHARS,
  MAX_ROW_LINES,
} from "./kit/validate/limits.ts";
import type { FindingRule, RuleTable } from "./kit/validate/findings.ts";
import { VALIDATORS } from "./registry.ts";

const PAGE = new URL("../../docs/validate.md", import.meta.url);

/** A rule by its id, where a check reports it. */
const REPORTED = /\badd\(\s*"([a-z]+\.[a-z_.]+|[A-Z][A-Z0-9-]+)"/g;

function severities({ severity, mild }: FindingRule): string {
  return mild === undefined ? severity : `${severity}; ${mild.severity} ${mild.when}`;
}

function ruleTable(rules: RuleTable): string {
  const rows = Object.entries(rules).map(([id, rule]) => [`\`${id}\``, severities(rule), rule.sentence]);
  return table(["Rule", "Severity", "Meaning"], rows);
}

function ruleChapters(): string {
  const byRules = Map.groupBy(VALIDATORS, ([, { rules }]) => rules);
  return [...byRules]
    .map(([rules, all]) => {
      const files = all.map(([file]) => `\`${file}\``).join(" and ");
      return `## Rules for ${files}\n\n${ruleTable(rules)}`;
    })
    .join("\n\n");
}

const readers = () => [...VALIDATORS].map(([file, { reads }]) => `- \`${file}\`: ${reads}`).join("\n");

const limits =
  () => `- ${shownNumber(MAX_IDS)} ids of each kind are remembered, exactly, to find duplicates; later ones are not compared.
- Rows of a group are compared with one another while they follow one another, up to ${shownNumber(MAX_GROUP_ROWS)} of them. Rows of a group
  that are further apart are not compared.
- A row has at most ${shownNumber(MAX_ROW_CHARS)} characters and ${shownNumber(MAX_ROW_LINES)} lines, a JSON element at most ${shownNumber(MAX_ELEMENT_CHARS)} characters.`;

for (const [name, text] of Object.entries({ readers, limits, rules: ruleChapters }))
  test(`docs/validate.md has the ${name} of the code`, () => checkSection("docs/validate.md", name, text()));

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
