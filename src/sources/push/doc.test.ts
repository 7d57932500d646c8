import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { GOOGLE_COLUMNS, GOOGLE_TABLE } from "../../catalog/google-attributes.ts";
import { LIST_NAMES } from "../product-record/json-items.ts";
import { PUSH_FIELDS } from "./push-fields.ts";

const PAGE = new URL("../../../docs/push.md", import.meta.url);
const GOOGLE_SECTION = /(?<=<!-- google -->\n)[^]*(?=<!-- \/google -->)/;
const SECTION = /(?<=<!-- fields -->\n)[^]*(?=<!-- \/fields -->)/;

const table = [
  "| Field | Also taken from |",
  "| --- | --- |",
  ...PUSH_FIELDS.map(({ name, aliases }) => {
    const others = aliases.map((alias) => `\`${alias}\``).join(", ");
    return `| \`${name}\` | ${others} |`;
  }),
  "",
].join("\n");

const googleTable = [
  "| Attribute | Values | Parts of each | Also taken from |",
  "| --- | --- | --- | --- |",
  ...GOOGLE_COLUMNS.map((name) => {
    const attribute = GOOGLE_TABLE[name];
    const most = attribute.shape === "one" ? 1 : attribute.most;
    const parts = attribute.shape === "groups" ? Object.keys(attribute.parts) : [];
    const shown = (names: readonly string[]): string => names.map((one) => `\`${one}\``).join(", ");
    return `| \`${name}\` | ${most === 1 ? "one" : `up to ${most}`} | ${shown(parts)} | ${shown(attribute.aliases)} |`;
  }),
  "",
].join("\n");

if (process.env["UPDATE_DOCS"] === "1") {
  writeFileSync(
    PAGE,
    readFileSync(PAGE, "utf8")
      .replace(SECTION, () => table)
      .replace(GOOGLE_SECTION, () => googleTable),
  );
}

test("docs/push.md lists exactly the fields that a push may have", () => {
  assert.equal(SECTION.exec(readFileSync(PAGE, "utf8"))?.[0], table);
});

test("docs/push.md lists exactly the attributes for Google that a push may have", () => {
  assert.equal(GOOGLE_SECTION.exec(readFileSync(PAGE, "utf8"))?.[0], googleTable);
});

test("docs/push.md names the keys under which the list is found", () => {
  const page = readFileSync(PAGE, "utf8");

  // The rest are words of other formats, which those who push need not know.
  const unnamed = [...LIST_NAMES].filter((name) => !page.includes(`\`${name}\``) && name !== "products");
  assert.deepEqual(unnamed, [
    "edges",
    "entry",
    "member",
    "hydra:member",
    "itemlistelement",
    "datafeedelement",
  ]);
});
