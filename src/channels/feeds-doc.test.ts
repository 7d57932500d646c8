/** The chapters of `docs/feeds.md` about the channels, written from the field tables. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { checkSection, table } from "../../test/doc-sections.ts";
import { GOOGLE_FIELD_TABLE } from "./google/fields.ts";
import {
  type RefusalRule,
  type Field,
  type FieldTable,
  type TextLimit,
  shownNumber,
} from "./kit/field-table.ts";
import { OPENAI_FIELD_TABLE } from "./openai/fields.ts";
import { CHANNEL_FILES, CHANNELS, type ChannelFile } from "./registry.ts";

const NEEDS: Readonly<Record<Field["requirement"], string>> = {
  required: "required",
  conditional: "where it applies",
  optional: "optional",
  arranged: "by arrangement",
};

const OVER: Readonly<Record<TextLimit["over"], string>> = {
  cut: "cut at a word",
  keep: "advice only",
  drop: "else left out",
  refuse: "else the item will be refused",
  shorten: "else shortened",
};

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

function refusals(all: Readonly<Record<string, RefusalRule>>): string {
  const rows = Object.entries(all).map(([code, { field, message }]) => [
    `\`${code}\``,
    `\`${field}\``,
    message,
  ]);
  return `### Why an item will be refused\n\n${table(["Code", "Field", "Reason"], rows)}`;
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
  const names = new Intl.ListFormat("en").format(files.map((file) => `\`${file}\``));
  const opening = `## ${names}: ${label}\n\nField table \`${id}\`, after <${reference}>, last read ${observed}. ${files.map(served).join(" ")}\n\n${note}`;
  const reasons = Object.keys(fieldTable.refusals).length === 0 ? [] : [refusals(fieldTable.refusals)];
  return [opening, ...sections(fieldTable), kinds(fieldTable.kinds), ...reasons].join("\n\n");
}

function channelChapters(): string {
  const tables = new Map(
    CHANNEL_FILES.map((file): [string, FieldTable] => [
      CHANNELS[file].fieldTable.id,
      CHANNELS[file].fieldTable,
    ]),
  );
  return [...tables.values()].map(chapter).join("\n\n");
}

test("docs/feeds.md describes every channel as its field table does", () =>
  checkSection("docs/feeds.md", "channels", channelChapters()));

test("the page explains every kind and names every refusal", () => {
  const page = channelChapters();

  for (const { kinds, fields, refusals } of [OPENAI_FIELD_TABLE, GOOGLE_FIELD_TABLE]) {
    const used = new Set<string>(Object.values(fields).map(({ kind }) => kind));
    assert.deepEqual(used, new Set(Object.keys(kinds)));
    for (const code of Object.keys(refusals)) assert.ok(page.includes(`\`${code}\``));
  }
});
