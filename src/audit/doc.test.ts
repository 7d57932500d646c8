import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { auditRulesDoc } from "./doc.ts";
import { ALL_RULES } from "./ruleset.ts";

const PAGE = new URL("../../docs/audit-rules.md", import.meta.url);

if (process.env["UPDATE_DOCS"] === "1") writeFileSync(PAGE, auditRulesDoc());

test("docs/audit-rules.md matches the rules", () => {
  assert.equal(readFileSync(PAGE, "utf8"), auditRulesDoc());
});

test("the page has one row for every rule", () => {
  const rows = auditRulesDoc().matchAll(/^\| `([a-z_.]+)`<br>/gm);

  const ids = Array.from(rows, ([, id]) => id);
  assert.equal(ids.length, ALL_RULES.length);
  assert.deepEqual(new Set(ids), new Set(ALL_RULES.map(({ id }) => id)));
});
