/** The page `docs/feeds.md`, generated from the field tables. A test compares the two; `UPDATE_DOCS=1` writes the page. */
import type { ExclusionRule, Field, FieldTable, Limit } from "./kit/field-table.ts";
import { shownNumber } from "./kit/limits.ts";
import { CHANNEL_FILES, CHANNELS, type ChannelFile } from "./registry.ts";

const OPENING = `# The feeds

For merchants who want to know what is in each file, and for developers who read or write one: every field, where its value
comes from, and which items are left out.

Every catalog is rendered into four hosted files from one snapshot. Other files can be written on request:
\`shelfwire render feed.csv --out feeds --channel google-xml\`, or with \`--catalog my-shop\` for what a catalog holds. Each file
follows a field table with a name and a date; this page is generated from those tables.

## What holds for all of them

- One item is one purchasable variant. There is never a row for the parent.
- All files use the same item id, price and availability.
- An item that a file cannot carry is left out of that file alone, counted, and listed with its reason.
- A value that is unknown is left out: no fillers, no guesses.
- A sale price counts while the sale runs. The files are made anew when a sale begins or ends.
- Descriptions are plain text. Paragraphs, lines and list items (\`• …\`, \`1. …\`) are separated by line breaks in \`acp.csv\` (inside
  quotes, RFC 4180), \`acp.json\` and \`jsonld.json\`. In \`gmc.tsv\` they follow one another on one line: Google wants each product
  on a single line, and takes line breaks in quotes only while quoted fields are switched on, which a file cannot see.
  \`gmc.xml\` has the same values as \`gmc.tsv\`. All other texts are one line.
- Amounts have the digits of their currency. Rendering rounds nothing; where a shop itself rounds what it shows, its
  [source](sources/README.md) reads the rounded price.
- A group id is stated when at least two items of the group are in the file. When an item of the group has the same id,
  or when the group is so large that it is written in parts, the group id gets the prefix \`group-\`.
- A title is followed by the option values that it does not mention. Variants whose titles are then still equal also get
  those of color, size, material and pattern in which they differ. A group that is written in parts cannot be compared as a
  whole: there all four follow, unless the shop gives options.
- The same snapshot gives the same bytes.

## Google in, Google out

A source may give any attribute of Google's product data specification under its documented name: as the column of a delimited
file, as an element of XML (with nested sub-attributes, repeated where it has several values), in JSON and in a push. An attribute
that has no field of its own is carried to \`gmc.tsv\` and \`gmc.xml\` and to no other file, in the form that Google documents.

- A value of another form is left out and counted as a warning of its item (\`invalid_attribute\`, \`incomplete_value\`, \`invalid_amount\`
  and others).
- A word that Google does not document is carried as it is, with the warning \`undocumented_word\`: dropping it could put an item
  live that its merchant has paused or excluded.
- \`pause\`, \`excluded_destination\`, \`included_destination\` and \`shopping_ads_excluded_country\` decide where Google shows the
  item. \`gmc.tsv\` has the item with these attributes; the other files have it without them. To take an item out of every file,
  remove it from the source or mark it as unpublished.
- \`expiration_date\` is written even when it has passed: Google then shows the item no longer.
- With \`structured_title\` or \`structured_description\`, \`gmc.tsv\` leaves the plain column empty, since Google takes one of the two.
  The other files have the plain text, or the text of the structured one where there is no plain one.
- \`cost_of_goods_sold\` and \`auto_pricing_min_price\` are in \`gmc.tsv\` when the source has them: keep its address as private as that of the
  source.
- Shipping rates for members of a loyalty program, for Google's own locations, or without a price are in \`gmc.tsv\` alone.
- \`tax\` and \`tax_category\` left the specification. They are not carried, and their columns are listed as \`unmapped_column\`; so are those
  of vehicles and homes, which have specifications of their own.

## Cells that look like formulas

Spreadsheets run a cell that begins with \`=\`, \`+\`, \`-\` or \`@\` as a formula. Feeds are read by machines, for which it is plain text, so
\`acp.csv\` and \`gmc.tsv\` carry it as it is: \`-20% mug\` stays \`-20% mug\`. If people open your files in a spreadsheet and your sources are
not trusted, \`shelfwire catalog update --slug my-shop --escape-formulas yes\` puts an apostrophe before such cells, ids included; OpenAI and
Google then see the apostrophe too.
`;

const NEEDS: Readonly<Record<Field["requirement"], string>> = {
  required: "required",
  conditional: "where it applies",
  optional: "optional",
  arranged: "by arrangement",
};

const OVER: Readonly<Record<Limit["over"], string>> = {
  cut: "cut at a word",
  keep: "advice only",
  drop: "else left out",
  exclude: "else the item is left out",
  shorten: "else shortened",
};

function row(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |\n`;
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  return `${row(heads)}${row(heads.map(() => "---"))}${rows.map(row).join("")}`;
}

function limits({ limit, partLimits, total, least, most, values }: Field): string {
  const parts: string[] = [];
  if (limit !== undefined) parts.push(`${shownNumber(limit.codePoints)} characters, ${OVER[limit.over]}`);
  if (limit !== undefined && partLimits !== undefined)
    for (const [part, codePoints] of Object.entries(partLimits))
      parts.push(`${shownNumber(codePoints)} of \`${part}\``);
  if (total !== undefined) parts.push(`${shownNumber(total)} characters in all`);
  if (least !== undefined) parts.push(`at least ${least}`);
  if (most !== undefined) parts.push(`at most ${most}`);
  if (values !== undefined) parts.push(values.map((value) => `\`${value}\``).join(" "));
  return parts.join("; ");
}

function heading(name: string, { parts, kind }: Field): string {
  return parts === undefined || kind !== "groups" ? `\`${name}\`` : `\`${name}(${parts.join(":")})\``;
}

function fields(all: Readonly<Record<string, Field>>, first: string): string {
  const rows = Object.entries(all).map(([name, field]) => [
    heading(name, field),
    NEEDS[field.requirement],
    field.kind,
    limits(field),
    field.source ?? "Always empty: a catalog holds nothing that fits.",
  ]);
  return table([first, "Need", "Kind", "Limits and values", "Where the value comes from"], rows);
}

function kinds(all: Readonly<Record<string, string>>): string {
  return table(["Kind", "How it is written"], Object.entries(all));
}

function exclusions(all: Readonly<Record<string, ExclusionRule>>): string {
  const rows = Object.entries(all).map(([code, { field, message }]) => [
    `\`${code}\``,
    `\`${field}\``,
    message,
  ]);
  return `### Why an item may be left out\n\n${table(["Code", "Field", "Reason"], rows)}`;
}

function sections(fieldTable: FieldTable): readonly string[] {
  if ("fields" in fieldTable) return [fields(fieldTable.fields, "Column")];
  return Object.entries(fieldTable.types).map(([type, all]) => `### ${type}\n\n${fields(all, "Property")}`);
}

function served(file: ChannelFile): string {
  const { name, contentType, isHosted } = CHANNELS[file];
  return isHosted
    ? `\`${file}\` is served as \`${contentType}\`.`
    : `\`${file}\` is not hosted: \`shelfwire render\` writes it with \`--channel ${name}\`.`;
}

function chapter(fieldTable: FieldTable): string {
  const { id, label, reference, observed, note } = fieldTable;
  const files = CHANNEL_FILES.filter((file) => CHANNELS[file].fieldTable.id === id);
  const names = files.map((file) => `\`${file}\``).join(" and ");
  const opening = `## ${names}: ${label}\n\nField table \`${id}\`, after <${reference}>, last read ${observed}. ${files.map(served).join(" ")}\n\n${note}\n`;
  const reasons = Object.keys(fieldTable.exclusions).length === 0 ? [] : [exclusions(fieldTable.exclusions)];
  return [opening, ...sections(fieldTable), kinds(fieldTable.kinds), ...reasons].join("\n");
}

export function feedsDoc(): string {
  const tables = new Map(
    CHANNEL_FILES.map((file): [string, FieldTable] => [
      CHANNELS[file].fieldTable.id,
      CHANNELS[file].fieldTable,
    ]),
  );
  return [OPENING, ...[...tables.values()].map(chapter)].join("\n");
}
