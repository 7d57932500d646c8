/** Compiles and applies rules in tests. */
import assert from "node:assert/strict";
import type { Item } from "../../catalog/item.ts";
import type { Rule, RuleAction, RuleCondition, RuleWhen } from "../../contract/rules.ts";
import { applyRules, type RuleResult } from "./apply.ts";
import { type CompiledRules, compileRules } from "./compile.ts";
import type { RuleContext } from "./conditions.ts";
import type { RuleSource } from "./fields.ts";

export const SHOP: RuleSource = { id: "01999999-1234-7abc-8abc-0123456789ab", name: "Main shop" };

export const MUG: Item = {
  id: "MUG-1",
  title: "Mug",
  link: "https://shop.example/p/mug",
  price: { amount: "19.90", currency: "EUR" },
  availability: "in_stock",
  sku: "S-1",
  brand: "Kiln",
  description: "A mug.\nGlazed by hand.",
  details: [{ name: "Glaze", value: "Ash" }],
  images: ["https://shop.example/i/1.jpg", "https://shop.example/i/2.jpg"],
  quantity: 5,
  categories: [
    ["Home", "Kitchen", "Mugs"],
    ["Gifts", "Under 20"],
  ],
  options: [{ name: "Color", value: "Teal" }],
  color: "Teal",
  customLabels: ["zero", null, "two"],
  weight: { value: "0.4", unit: "kg" },
};

export const rule = (action: RuleAction, more: Partial<Rule> = {}): Rule => ({
  name: "Rule",
  action,
  ...more,
});

export function compiled(rules: readonly Rule[], context: RuleContext = { settings: {} }): CompiledRules {
  const result = compileRules({ rules }, context);
  assert.ok(result.kind === "compiled", JSON.stringify(result));
  return result.compiled;
}

export function applied(rules: readonly Rule[], item: Item = MUG, context?: RuleContext): RuleResult {
  return applyRules(item, compiled(rules, context), SHOP, { withTrace: true });
}

/** The item after one action, which must not be refused. */
export function after(action: RuleAction, item: Item = MUG): Item {
  const { item: result, refused } = applied([rule(action)], item);
  assert.deepEqual(refused, []);
  return result;
}

/** The sentence by which an action is refused for the item, which must stay as it is. */
export function refusal(action: RuleAction, item: Item = MUG): string | undefined {
  const { item: result, refused } = applied([rule(action)], item);
  assert.equal(result, item);
  return refused[0]?.message;
}

/** The problems of a rule set: code, place and sentence. */
export function problems(rules: readonly Rule[], context: RuleContext = { settings: {} }): readonly string[] {
  const result = compileRules({ rules }, context);
  if (result.kind === "compiled") return [];
  return result.problems.map(({ code, pointer, message }) => `${code} ${pointer} ${message}`);
}

export const matches = (when: RuleWhen, item: Item = MUG, context?: RuleContext): boolean =>
  applied([rule({ type: "exclude" }, { when })], item, context).item !== item;

export const condition = (
  field: string,
  operator: RuleCondition["operator"],
  value?: RuleCondition["value"],
): RuleCondition => (value === undefined ? { field, operator } : { field, operator, value });

export const isMatch = (one: RuleCondition, item?: Item, context?: RuleContext): boolean =>
  matches({ all: [one] }, item, context);
