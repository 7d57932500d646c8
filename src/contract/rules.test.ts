import assert from "node:assert/strict";
import { test } from "node:test";
import { Compile } from "typebox/schema";
import { MAX_RULES, RuleSet } from "./rules.ts";

const RULE = { name: "Condition", action: { type: "default", field: "condition", value: "new" } };
const CONDITION = { field: "brand", operator: "is", value: "Kiln" };
const schema = Compile(RuleSet);
const fits = (...rules: readonly unknown[]): boolean => schema.Check({ rules });
const fitsWhen = (when: unknown): boolean => fits({ ...RULE, when });

test("a rule set is a list of rules with names and actions", () => {
  assert.ok(fits());
  assert.ok(fits(RULE, { ...RULE, enabled: false, channel: "google" }));
  assert.ok(fits({ ...RULE, channel: ["google", "schema_org"] }));
  assert.ok(
    fits({
      name: "x",
      action: { type: "map", field: "a", from: "b", table: { c: 1, d: true }, otherwise: "e" },
    }),
  );
  for (const rule of [
    { ...RULE, name: " " },
    { ...RULE, name: "a\u0000" },
    { ...RULE, name: "a".repeat(101) },
    { ...RULE, channel: "amazon" },
    { ...RULE, channel: [] },
    { ...RULE, note: "x" },
    { name: "x" },
    { name: "x", action: { type: "delete" } },
    { name: "x", action: { type: "set", field: "brand", value: null } },
    { name: "x", action: { type: "set", field: "brand", value: "a", extra: 1 } },
    { name: "x", action: { type: "add_parameters", parameters: {} } },
  ])
    assert.ok(!fits(rule), JSON.stringify(rule));
  assert.ok(fits(...Array.from({ length: MAX_RULES }, () => RULE)));
  assert.ok(!fits(...Array.from({ length: MAX_RULES + 1 }, () => RULE)));
});

test("conditions are in a list of all or any, with groups one level deep", () => {
  assert.ok(fitsWhen({ all: [CONDITION] }));
  assert.ok(fitsWhen({ any: [CONDITION, { all: [CONDITION] }] }));
  assert.ok(fitsWhen({ all: [{ field: "brand", operator: "is_empty" }] }));
  assert.ok(fitsWhen({ all: [{ ...CONDITION, operator: "one_of", value: ["a", 1] }] }));
  for (const when of [
    {},
    { all: [] },
    { all: [CONDITION], any: [CONDITION] },
    { all: [{ any: [{ all: [CONDITION] }] }] },
    { all: [{ ...CONDITION, operator: "resembles" }] },
    { none: [CONDITION] },
    [CONDITION],
  ])
    assert.ok(!fitsWhen(when), JSON.stringify(when));
});
