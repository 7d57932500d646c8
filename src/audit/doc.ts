/** The page `docs/audit-rules.md`, generated from the rules. A test compares the two; `UPDATE_DOCS=1` writes the page. */
import { DIMENSIONS, type Dimension, FORMATS, type RuleInfo, SEVERITIES, type Scope } from "./rule.ts";
import { ALL_RULES, REJECTED_RULE, RULESET } from "./ruleset.ts";
import { MAX_SHARED_KEYS } from "./key-tables.ts";
import { BANDS, CEILINGS } from "./grades.ts";
import { MAX_EXAMPLES } from "./counters.ts";

const OPENING = `# How a catalog is audited

For merchants and developers who want to check a score: every rule, its points, and how points become the score. How to
read an audit is in [audit.md](audit.md).

Every render includes an audit, in the same pass. The audit reads the catalog, its settings and the results of its syncs;
it fetches no pages and calls no model. The same catalog under the same rules has the same score on any machine. This page
is generated from the rules: version ${RULESET.version}, hash \`${RULESET.hash}\`, ${ALL_RULES.length} rules.

## The score

The outcome of a rule for an item is *not applicable*, *unknown* (data is missing), or the number of twelfths of its points
that the item earns. The points of the rules with such a number are the item's **stake**. Its losses are a share of the
stake, out of 100:

    loss(item, rule) = 100 × points × twelfths missed ÷ (12 × stake)        score(item) = 100 − all its losses

The raw score of the catalog is the mean over its items, so a rule costs the catalog the mean of its losses. A rejected
row, which never became an item, has score 0. The raw score and all losses add up to exactly 100. Everything is computed in
whole numbers and fractions; shown numbers have two decimals and still add up.

The score is the raw score, limited by the ceiling and **cut** to a whole number: a shown 90 is always an A, and 100
means that no point was lost. An empty catalog has score 0 and grade F.

What a fix brings is computed in the same way: without the losses of the rule and without the items that only this rule
makes a channel refuse, raw score, ceiling and cut are computed again. Rules are sorted by that number.
`;

const afterRules = () => `## Rules that compare items

Items are compared in the same pass, in bounded memory, and not in SQL: items are stored as text, so a query would have to
parse each of them again, and files can be audited without a database. Groups come one after another, so siblings are
compared within one group at a time (its first 5,000 items). For GTINs and the beginnings of descriptions, tables of one
million hashes each are kept; an item that does not fit and repeats none of them is unknown. For images and links, the
tables have the first ${MAX_SHARED_KEYS.toLocaleString("en")} products. Of several items with the same value, the first in catalog order passes and
every later one fails.

Rules that compare with the group: ${rulesWithScope("group")}. Rules that compare with the whole catalog: ${rulesWithScope("catalog")}.

## What is stored of an audit

The report: the score, its ceiling, every dimension and format, and for every rule the points lost, the number of items
with the finding, and up to ${MAX_EXAMPLES} examples. For every item with findings, its verdict in a few bytes: the stake, then two bytes
for each rule that did not pass. The item's score follows from these bytes alone. They refer to rules by number, and a
number is never reused.

## Why a score changed

The difference between two audits under the same rules is split, with no remainder, into changes on the items that stayed
(by rule), the effect of added and removed items on the mean, of rejected rows, of the ceiling, and of the cut to whole
numbers. Audits under different rules are not compared.
`;

function rulesWithScope(scope: Scope): string {
  return ALL_RULES.filter((rule) => rule.scope === scope)
    .map(({ id }) => `\`${id}\``)
    .join(", ");
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |\n`;
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  return `${row(heads)}${row(heads.map(() => "---"))}${rows.map(row).join("")}`;
}

function pointsOf(dimension: Dimension): number {
  return ALL_RULES.reduce((sum, rule) => (rule.dimension === dimension ? sum + rule.points : sum), 0);
}

function grades(): string {
  const bands = BANDS.map(({ grade, from }) => [grade, `${from} and more`]);
  const ceilings = CEILINGS.toReversed().map(({ overPercent, limit }) => [
    `more than ${overPercent} %`,
    String(limit),
  ]);
  return [
    `### Grades\n\n${table(["Grade", "Score"], bands)}`,
    "### The ceiling\n",
    "Items that a channel refuses and rows that were rejected limit the score, however good the rest is:\n",
    table(["Refused by at least one channel, or rejected", "Highest score"], ceilings),
  ].join("\n");
}

function severities(): string {
  const rows = Object.entries(SEVERITIES).map(([name, meaning]) => [name, meaning]);
  return [
    `### Severities\n\n${table(["Severity", "Meaning"], rows)}`,
    "A channel refuses an item only when it earns no points of a critical rule. With some of the points, the finding counts as major.\n",
  ].join("\n");
}

function formats(): string {
  const rows = Object.entries(FORMATS).map(([name, { title, files }]) => [
    `\`${name}\``,
    title,
    files.map((file) => `\`${file}\``).join(", "),
  ]);
  return [
    `### Channels\n\n${table(["Name", "Reader", "Files"], rows)}`,
    "Each has a number of ready items, which no rule makes it refuse, and a score of its own: the same formula over its rules, with 0 for refused items and rejected rows. All files are always rendered, so all channels count.\n",
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
  return `### Rejected rows\n\n\`${id}\`: ${title}. Applies ${when}. ${expects} What to do: ${advice}\n`;
}

export function auditRulesDoc(): string {
  return [
    OPENING,
    grades(),
    severities(),
    formats(),
    dimensions(),
    "## The rules\n\nChannels that refuse the item when it earns no points are in bold.\n",
    ...(Object.keys(DIMENSIONS) as Dimension[]).map(chapter),
    rejectedChapter(),
    afterRules(),
  ].join("\n");
}
