/** The page `docs/validate.md`, generated from the rule tables. A test compares the two; `UPDATE_DOCS=1` writes the page. */
import {
  MOST_ELEMENT_CHARS,
  MOST_GROUP_ROWS,
  MOST_IDS,
  MOST_ROW_CHARS,
  MOST_ROW_LINES,
} from "./kit/validate/limits.ts";
import { shownNumber } from "./kit/limits.ts";
import type { Rule, RuleTable } from "./kit/validate/problem.ts";
import { VALIDATORS } from "./registry.ts";

const OPENING = `# Checking a feed

For everyone who has a feed file, made by Shelfwire or by another program, and wants to know what a channel would reject in it.

\`\`\`
shelfwire validate feed.tsv
\`\`\`

reads a finished feed file and lists what is wrong with it, with line, item, field, rule and severity. It takes files of
all formats that Shelfwire writes, and needs no server, no database and no settings. It has its own readers and does not
use the renderers that make our files; our own files go through it in every test run.

| Option | What it does |
| --- | --- |
| \`--format <format>\` | ${[...VALIDATORS.keys()].map((file) => `\`${file}\``).join(", ")}. Without it, a file with one of these names is of that format, and any other is recognized by how it begins: a header by its names, whatever separates them. |
| \`--fail-on <severity>\` | \`error\` (the default), \`warning\` or \`never\`: from which severity on the command fails. |
| \`--json\` | Prints the report as JSON: counts, rules with examples, and the problems. |
| \`--max <number>\` | How many problems \`--json\` lists, errors first; 1,000 unless given. All are counted. |

\`-\` reads standard input. Files packed by gzip or zstd are unpacked, whatever they are called.

| Exit | Means |
| --- | --- |
| 0 | Nothing at or above \`--fail-on\`. |
| 2 | The file cannot be read, or is none of the formats. |
| 6 | Problems at or above \`--fail-on\`. |
| 141 | The reader of the output has closed it, as \`head\` does. |

## Severities

- **error**: the consumer refuses the file or the item, or the file cannot be read as what it is meant to be.
- **warning**: a value is ignored, or the item reaches fewer people.
- **info**: advice.

Some rules have a lesser severity in lesser cases; the tables say which. A value that a consumer documents or is known to
read is never an error or a warning, and neither is the absence of what it only recommends: the examples in Google's and
OpenAI's documentation pass without either, as far as they are complete.

## What is read

${[...VALIDATORS].map(([file, { reads }]) => `- \`${file}\`: ${reads}`).join("\n")}

A row that cannot be split into columns is reported and not checked further: every complaint about its values might be about
the wrong column. A quote that is never closed affects its own row only.

## Limits

The file streams through, and what is remembered of it is bounded. A file with more ids than that, or a row longer than
that, is reported.

- ${shownNumber(MOST_IDS)} ids of each kind are remembered, exactly, to find duplicates; later ones are not compared.
- Rows of a group are compared with one another while they follow one another, up to ${shownNumber(MOST_GROUP_ROWS)} of them. Rows of a group
  that are further apart are not compared.
- A row has at most ${shownNumber(MOST_ROW_CHARS)} characters and ${shownNumber(MOST_ROW_LINES)} lines, a JSON element at most ${shownNumber(MOST_ELEMENT_CHARS)} characters.

## What one file cannot show

Not checked, because it needs the web, the account or an earlier file: whether pages and images answer and how large they
are; prices and stock on the page; the verified domain; ids that changed or came back; rows that vanished; prohibited goods.
Google's category numbers and English paths, US and UK, are checked against its taxonomy of 2021-09-21, which is the current
one and is part of the program (\`reference-data/\`). A path in another language is not checked, and a hint says so.

## Where other validators disagree

Adobe's \`@adobe/structured-data-validator\` (1.7.0) reports a missing price where the price to be paid is in a list of
specifications, as in \`"priceSpecification": [{ "price": … }, { "price": …, "priceType": "…/StrikethroughPrice" }]\`. Google's
documentation of merchant listings says that the price "may be nested inside a \`priceSpecification\` property" and shows such lists
itself, so this validator takes them. The other one looks for \`priceSpecification.price\`, which a list does not have.
`;

function severities({ severity, mild }: Rule): string {
  return mild === undefined ? severity : `${severity}; ${mild.severity} ${mild.when}`;
}

function table(rules: RuleTable): string {
  const rows = Object.entries(rules).map(
    ([id, rule]) => `| \`${id}\` | ${severities(rule)} | ${rule.sentence} |\n`,
  );
  return `| Rule | Severity | Meaning |\n| --- | --- | --- |\n${rows.join("")}`;
}

function chapter(title: string, rules: RuleTable): string {
  return `## ${title}\n\n${table(rules)}`;
}

export function validateDoc(): string {
  const byRules = Map.groupBy(VALIDATORS, ([, { rules }]) => rules);
  const chapters = [...byRules].map(([rules, all]) =>
    chapter(`Rules for ${all.map(([file]) => `\`${file}\``).join(" and ")}`, rules),
  );
  return [OPENING, ...chapters].join("\n");
}
