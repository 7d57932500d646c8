/** The parts of `docs/audit-rules.md` that are written from the rules. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { checkSection, table } from "../../test/doc-sections.ts";
import { MAX_EXAMPLES } from "./counters.ts";
import { BANDS } from "./grades.ts";
import { MAX_SHARED_KEYS } from "./key-tables.ts";
import {
  ALL_WEIGHTS,
  DIMENSIONS,
  type Dimension,
  FORMATS,
  type RuleInfo,
  SEVERITIES,
  type RuleScope,
} from "./rule.ts";
import { ALL_RULES, REJECTED_RULE, RULESET } from "./ruleset.ts";

function rulesWithScope(scope: RuleScope): string {
  return ALL_RULES.filter((rule) => rule.scope === scope)
    .map(({ id }) => `\`${id}\``)
    .join(", ");
}

function pointsOf(dimension: Dimension): number {
  return ALL_RULES.reduce((sum, rule) => (rule.dimension === dimension ? sum + rule.points : sum), 0);
}

function grades(): string {
  const bands = BANDS.map(({ grade, from }) => [grade, `${from} and more`]);
  return `### Grades\n\n${table(["Grade", "Score"], bands)}`;
}

function severities(): string {
  const rows = Object.entries(SEVERITIES).map(([name, meaning]) => [name, meaning]);
  return [
    `### Severities\n\n${table(["Severity", "Meaning"], rows)}\n`,
    "A channel refuses an item only when it earns no points of a critical rule. With some of the points, the finding counts as major.",
  ].join("\n");
}

function formats(): string {
  const rows = Object.entries(FORMATS).map(([name, { title, files, weight }]) => [
    `\`${name}\``,
    title,
    files.map((file) => `\`${file}\``).join(", "),
    `${(100 * weight) / ALL_WEIGHTS} %`,
  ]);
  return [
    `### Channels\n\n${table(["Name", "Reader", "Files", "Share of an item"], rows)}\n`,
    "Each has a number of ready items, which no rule makes it refuse, and a score of its own: the same formula over its rules, with 0 for refused items and rejected rows. All files are always rendered, so all channels count.",
  ].join("\n");
}

function dimensions(): string {
  const rows = Object.entries(DIMENSIONS).map(([name, { title, question }]) => [
    title,
    String(pointsOf(name as Dimension)),
    question,
  ]);
  return `### Dimensions\n\n${table(["Dimension", "Points", "Question"], rows)}`;
}

function channelsOf({ formats: concerned, blocks }: RuleInfo): string {
  return concerned.map((name) => (blocks.includes(name) ? `**${name}**` : name)).join(", ");
}

function chapter(name: Dimension): string {
  const rows = ALL_RULES.filter(({ dimension }) => dimension === name)
    .toSorted((a, b) => b.points - a.points || a.number - b.number)
    .map((rule) => [
      `\`${rule.id}\`<br>${rule.title}`,
      String(rule.number),
      String(rule.points),
      rule.severity,
      channelsOf(rule),
      `Applies ${rule.when}. ${rule.expects}`,
      `${rule.advice} [Reference](${rule.reference})`,
    ]);
  const heads = ["Rule", "No.", "Points", "Severity", "Channels", "Requirement", "What to do"];
  return `### ${DIMENSIONS[name].title}\n\n${table(heads, rows)}`;
}

function rejectedChapter(): string {
  const { id, title, when, expects, advice } = REJECTED_RULE;
  return `### Rejected rows\n\n\`${id}\`: ${title}. Applies ${when}. ${expects} What to do: ${advice}`;
}

const SECTIONS = {
  ruleset: `Version ${RULESET.version} of the rules, hash \`${RULESET.hash}\`, ${ALL_RULES.length} rules.`,
  rules: [
    grades(),
    severities(),
    formats(),
    dimensions(),
    "## The rules\n\nChannels that refuse the item when it earns no points are in bold.",
    ...(Object.keys(DIMENSIONS) as Dimension[]).map(chapter),
    rejectedChapter(),
  ].join("\n\n"),
  scopes: `Rules that compare with the group: ${rulesWithScope("group")}. Rules that compare with the whole catalog: ${rulesWithScope("catalog")}.`,
};

for (const [name, text] of Object.entries(SECTIONS))
  test(`docs/audit-rules.md has the ${name} of the code`, () =>
    checkSection("docs/audit-rules.md", name, text));

test("the page has one row for every rule", () => {
  const rows = SECTIONS.rules.matchAll(/^\| `([a-z_.]+)`<br>/gm);

  const ids = Array.from(rows, ([, id]) => id);
  assert.equal(ids.length, ALL_RULES.length);
  assert.deepEqual(new Set(ids), new Set(ALL_RULES.map(({ id }) => id)));
});

test("the page has the limits of the code", () => {
  const page = readFileSync(new URL("../../docs/audit-rules.md", import.meta.url), "utf8");

  for (const text of [
    `up to ${MAX_EXAMPLES} examples`,
    `first ${MAX_SHARED_KEYS.toLocaleString("en")} products`,
  ])
    assert.ok(page.includes(text), text);
});
