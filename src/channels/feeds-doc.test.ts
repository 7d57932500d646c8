import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { feedsDoc } from "./feeds-doc.ts";
import { GOOGLE_FIELD_TABLE } from "./google/fields.ts";
import { OPENAI_FIELD_TABLE } from "./openai/fields.ts";

const PAGE = new URL("../../docs/feeds.md", import.meta.url);

if (process.env["UPDATE_DOCS"] === "1") writeFileSync(PAGE, feedsDoc());

test("docs/feeds.md says what the field tables say", () => {
  assert.equal(readFileSync(PAGE, "utf8"), feedsDoc());
});

test("the page explains every kind and names every exclusion", () => {
  const page = feedsDoc();

  for (const { kinds, fields, exclusions } of [OPENAI_FIELD_TABLE, GOOGLE_FIELD_TABLE]) {
    const used = new Set<string>(Object.values(fields).map(({ kind }) => kind));
    assert.deepEqual(used, new Set(Object.keys(kinds)));
    for (const code of Object.keys(exclusions)) assert.ok(page.includes(`\`${code}\``));
  }
});
