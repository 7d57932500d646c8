import assert from "node:assert/strict";
import { test } from "node:test";
import { minimalItem } from "../../../test/item.ts";
import type { Item } from "../../catalog/item.ts";
import type { Rule, RuleAction, RuleWhen } from "../../contract/rules.ts";
import { applyRules } from "./apply.ts";
import { compileRules } from "./compile.ts";
import type { RuleContext } from "./conditions.ts";

const SOURCE = { id: "0199", name: "Main shop" };
const MUG = minimalItem({ brand: "Kiln", color: "Teal", categories: [["Home", "Kitchen", "Mugs"]] });

export function result(rules: readonly Rule[], item: Item = MUG, context: RuleContext = { settings: {} }) {
  const compilation = compileRules({ rules }, context);
  assert.ok(compilation.kind === "compiled", JSON.stringify(compilation));
  return applyRules(item, compilation.compiled, SOURCE, { withTrace: true });
}
const rule = (action: RuleAction, more: Partial<Rule> = {}): Rule => ({ name: "r", action, ...more });
const after = (action: RuleAction, item: Item = MUG, when?: RuleWhen): Item =>
  result([rule(action, when === undefined ? {} : { when })], item).item;

test("set", () => {
  assert.equal(after({ type: "set", field: "condition", value: "New" }).condition, "new");
  assert.equal(
    after({ type: "template", field: "title", text: "{brand} {title} {color}" }).title,
    "Kiln Mug Teal",
  );
});
