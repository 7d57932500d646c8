import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { LIST_NAMES } from "../product-record/json-list.ts";
import { OWN_FIELDS } from "./own-names.ts";

const PAGE = new URL("../../../docs/push.md", import.meta.url);
const SECTION = /(?<=<!-- fields -->\n)[^]*(?=<!-- \/fields -->)/;

const table = [
  "| Field | Also taken from |",
  "| --- | --- |",
  ...OWN_FIELDS.map(({ name, aliases }) => {
    const others = aliases.map((alias) => `\`${alias}\``).join(", ");
    return `| \`${name}\` | ${others} |`;
  }),
  "",
].join("\n");

if (process.env["UPDATE_DOCS"] === "1") {
  writeFileSync(
    PAGE,
    readFileSync(PAGE, "utf8").replace(SECTION, () => table),
  );
}

test("docs/push.md lists exactly the fields that a push may have", () => {
  assert.equal(SECTION.exec(readFileSync(PAGE, "utf8"))?.[0], table);
});

test("docs/push.md names the lists that are looked for", () => {
  const page = readFileSync(PAGE, "utf8");

  // The rest are words of other formats, which those who push need not know.
  const unnamed = LIST_NAMES.filter((name) => !page.includes(`\`${name}\``) && name !== "products");
  assert.deepEqual(unnamed, ["entry", "itemlistelement", "datafeedelement"]);
});
