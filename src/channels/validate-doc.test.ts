import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { VALIDATORS } from "./registry.ts";
import { validateDoc } from "./validate-doc.ts";

const PAGE = new URL("../../docs/validate.md", import.meta.url);

if (process.env["UPDATE_DOCS"] === "1") writeFileSync(PAGE, validateDoc());

test("docs/validate.md says what the rule tables say", () => {
  assert.equal(readFileSync(PAGE, "utf8"), validateDoc());
});

test("the page has every rule of every format, and each rule has a sentence", () => {
  const page = validateDoc();
  for (const { rules } of VALIDATORS.values())
    for (const [id, { sentence }] of Object.entries(rules)) {
      assert.ok(page.includes(`| \`${id}\` |`), id);
      assert.match(sentence, /^(?:[A-Z]|`).*\.$|^schema\.org .*\.$/, id);
    }
});
