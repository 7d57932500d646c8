/**
 * The page `docs/audit-rules.md`, made from the rules, so that it cannot say anything else than they do. A test
 * compares the two; `UPDATE_DOCS=1` writes the page.
 */
import { DIMENSIONS, type Dimension, FORMATS, type RuleInfo, SEVERITIES, type Scope } from "./rule.ts";
import { ALL_RULES, REJECTED_RULE, RULESET } from "./ruleset.ts";
import { MAX_SHARED_KEYS } from "./key-tables.ts";
import { BANDS, CEILINGS } from "./grades.ts";
import { MAX_EXAMPLES } from "./counters.ts";

const OPENING = `# How a catalog is audited

For those who want to check a score: every rule, its points, and how points become the score. How to ask for an audit is
in [audit.md](audit.md).

Every render is audited in the same pass. The audit reads the catalog, its settings and the results of its syncs: no page
is fetched and no model is asked. The same catalog under the same rules has the same score on any machine. This page is
made from the rules: version ${RULESET.version}, hash \`${RULESET.hash}\`, ${ALL_RULES.length} rules.

## The score

A rule looks at an item and says: it does not apply; it cannot tell (*unknown*); or how many twelfths of its points
the item earns. The points of the rules that applied and could tell are the item's **stake**. What it misses of them,
out of 100, is its loss:

    loss(item, rule) = 100 × points × twelfths missed ÷ (12 × stake)        score(item) = 100 − all its losses

The catalog's raw score is the mean over its items, so what a rule costs the catalog is the mean of its losses. A row
that was rejected and never became an item has score 0. All losses together are exactly what is missing from 100.
Everything is computed in whole numbers and fractions; shown numbers with decimals are cut in such a way that they
still add up.

The score is the raw score, held under the ceiling and **cut** to a whole number: a shown 90 is always an A, and 100
means that not a point was lost. An empty catalog has score 0 and grade F, and says why.

What a fix brings is computed in the same way: the losses of the rule and the items that it alone refuses are taken
away, and raw score, ceiling and cut are computed again. Advice is sorted by that number.
`;

const afterRules = () => `## What looks at more than one item

All of it happens in the one pass, in bounded memory, and not in SQL: items are stored as text, so a query would have
to read every one of them again, and files can be audited without a database. Groups come one after another, so what
concerns siblings needs one group at a time (the first 5,000 items of it). GTINs and the openings of descriptions are
remembered as eight bytes each, a million of either; an item that could only be compared with what was no longer
remembered is counted as unknown. Images and links take twelve bytes each, for the first ${MAX_SHARED_KEYS.toLocaleString("en")}
products. Of several items that clash, the first in the catalog's order is in the right and every later one is at fault.

Rules that look at the group: ${rulesWithScope("group")}. Rules that look at the whole catalog: ${rulesWithScope("catalog")}.

## What is kept of an audit

The report: the score, its ceiling, every dimension and format, and for every rule the points lost, how many items it
concerns, and up to ${MAX_EXAMPLES} of them. And for every item with findings its verdict in a few bytes: the stake, then two bytes
for each rule that was not met in full. The item's score can be told from these bytes alone. Rules are named in them
by number; a number is never given to another rule.

## Why a score moved

Between two audits under the same rules the difference is split, with no remainder, into what changed on the items
that stayed (by rule), what newcomers and leavers did to the mean, what rejected rows did to it, what the ceiling did,
and what cutting to whole numbers did. Audits under different rules are not compared: other rules are a new baseline, not
progress.
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
    "However good the rest is, items that a channel refuses and rows that were rejected hold the score down:\n",
    table(["Refused by at least one channel, or rejected", "Highest score"], ceilings),
  ].join("\n");
}

function severities(): string {
  const rows = Object.entries(SEVERITIES).map(([name, meaning]) => [name, meaning]);
  return [
    `### Severities\n\n${table(["Severity", "Meaning"], rows)}`,
    "A critical rule keeps an item out of the channels it blocks only when it fails outright. Met in part, it counts as major.\n",
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
    "Each has a count of items that are ready, those that no rule keeps out, and a score of its own: the same formula over the rules that concern it, with 0 for an item that is not ready and for a rejected row. All files are always rendered, so all channels count.\n",
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
  const heads = ["Rule", "No.", "Points", "Severity", "Channels", "What is asked", "What to do"];
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
    "## The rules\n\nChannels that refuse the item when the rule fails outright are in bold.\n",
    ...(Object.keys(DIMENSIONS) as Dimension[]).map(chapter),
    rejectedChapter(),
    afterRules(),
  ].join("\n");
}
