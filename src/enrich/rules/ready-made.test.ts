import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Compile } from "typebox/schema";
import { minimalItem } from "../../../test/item.ts";
import type { Item } from "../../catalog/item.ts";
import { type Rule, ReadyMadeRule, RuleSet } from "../../contract/rules.ts";
import { READY_MADE_RULES } from "./ready-made.ts";
import { applied, problems } from "./rules.fixture.ts";

function readyMade(id: string): Rule {
  const found = READY_MADE_RULES.find((entry) => entry.id === id);
  assert.ok(found !== undefined, id);
  return found.rule;
}

const result = (id: string, item: Partial<Item> = {}): Item =>
  applied([readyMade(id)], minimalItem(item)).item;

test("every ready-made rule fits the schema, compiles, and has its own id and name", () => {
  const schema = Compile(ReadyMadeRule);
  for (const entry of READY_MADE_RULES) assert.ok(schema.Check(entry), entry.id);
  const rules = READY_MADE_RULES.map(({ rule }) => rule);
  assert.ok(Compile(RuleSet).Check({ rules }));
  assert.deepEqual(problems(rules, { settings: { currency: "EUR" } }), []);
  assert.equal(new Set(READY_MADE_RULES.map(({ id }) => id)).size, READY_MADE_RULES.length);
});

test("every parameter is a place in the rule, and the rule's name is its title", () => {
  for (const { title, rule, parameters } of READY_MADE_RULES) {
    assert.equal(rule.name, title);
    for (const { pointer } of parameters) {
      const value = pointer
        .split("/")
        .slice(1)
        .reduce<unknown>((part, name) => (part as Record<string, unknown>)[name], rule);
      assert.notEqual(value, undefined, `${title}: ${pointer}`);
    }
  }
});

test("an example that is left empty is refused, so that no shop gets the brand of another", () => {
  for (const { id, rule, parameters } of READY_MADE_RULES)
    for (const { pointer } of parameters.filter((one) => one.is_example)) {
      const empty = structuredClone(rule);
      const names = pointer.split("/").slice(1);
      const last = names.pop() ?? "";
      const place = names.reduce<Record<string, unknown>>(
        (part, name) => part[name] as Record<string, unknown>,
        empty as unknown as Record<string, unknown>,
      );
      const example = place[last];
      place[last] = Array.isArray(example) ? [] : typeof example === "object" ? {} : "";
      const [refused] = problems([empty], { settings: { currency: "EUR" } });
      assert.ok(refused?.includes(`/rules/0${pointer} `), `${id}: ${refused}`);
    }
});

describe("what they do", () => {
  test("defaults fill what is missing and nothing else", () => {
    assert.equal(result("default-condition").condition, "new");
    assert.equal(result("default-condition", { condition: "used" }).condition, "used");
    assert.equal(result("default-availability", { availability: "unknown" }).availability, "in_stock");
    assert.equal(result("default-availability", { availability: "preorder" }).availability, "preorder");
    assert.equal(result("default-brand").brand, "Kiln");
    const details = [{ name: "vendor", value: "Oven & Co" }];
    assert.equal(result("brand-from-vendor", { details }).brand, "Oven & Co");
    assert.equal(result("brand-from-vendor", { details, brand: "Kiln" }).brand, "Kiln");
    assert.equal(
      result("google-category", { categories: [["Home", "Kitchen", "Mugs", "Large"]] }).googleCategory,
      "2169",
    );
  });

  test("texts and ids", () => {
    assert.equal(result("item-id").feed?.id, "shop-MUG-1");
    const variant = { groupId: "g", brand: "Kiln", color: "Teal", size: "L" };
    assert.equal(result("variant-titles", variant).title, "Kiln Mug - Teal / L");
    assert.equal(
      result("variant-titles", { ...variant, title: "Teal mug by Kiln" }).title,
      "Teal mug by Kiln - L",
    );
    assert.equal(result("variant-titles", { color: "Teal" }).title, "Mug");
    assert.equal(result("remove-words-from-titles", { title: "Mug - Free shipping!" }).title, "Mug -");
  });

  test("prices and labels are calculated", () => {
    const eur = (amount: string) => ({ amount, currency: "EUR" });
    assert.deepEqual(result("price-endings", { price: eur("12.30") }).price, eur("12.99"));
    assert.deepEqual(result("price-endings", { price: eur("0.00") }).price, eur("0.00"));
    assert.deepEqual(
      result("price-from-cost", { price: eur("9.00"), cost: eur("7.00") }).price,
      eur("10.00"),
    );
    assert.deepEqual(result("price-from-cost", { price: eur("9.00") }).price, eur("9.00"));
    const label = (sale: string) =>
      result("label-by-discount", { price: eur("100.00"), salePrice: eur(sale) }).feed?.values?.google
        ?.customLabels;
    assert.deepEqual(label("74.50"), [null, "20"]);
    assert.equal(label("95.00"), undefined);
  });

  test("identifier_exists is stated only for items that have neither GTIN nor MPN", () => {
    const categories = [["Handmade", "Mugs"]];
    assert.equal(result("no-identifiers", { categories }).identifierExists, false);
    assert.equal(result("no-identifiers", { categories, mpn: "M" }).identifierExists, undefined);
    assert.equal(result("no-identifiers").identifierExists, undefined);
  });

  test("exclusions", () => {
    const excluded = (id: string, item: Partial<Item> = {}) =>
      Object.keys(result(id, item).feed?.excluded ?? {});
    assert.deepEqual(excluded("exclude-by-price", { price: { amount: "4.99", currency: "EUR" } }), [
      "google",
    ]);
    assert.deepEqual(excluded("exclude-by-price"), []);
    assert.equal(excluded("exclude-by-category", { categories: [["Gift cards", "Online"]] }).length, 3);
    assert.equal(excluded("exclude-by-stock", { quantity: 1 }).length, 3);
    assert.deepEqual(excluded("exclude-by-stock"), []);
    assert.equal(excluded("exclude-sold-out", { availability: "out_of_stock" }).length, 3);
    assert.equal(excluded("exclude-by-tag", { tags: ["sale", "Hidden"] }).length, 3);
  });

  test("values for Google alone", () => {
    assert.deepEqual(
      result("label-by-price", { price: { amount: "100.01", currency: "EUR" } }).feed?.values,
      {
        google: { customLabels: ["over 100"] },
      },
    );
    assert.deepEqual(result("utm-parameters").feed?.values, {
      google: { link: "https://shop.example/p/mug?utm_source=google&utm_medium=shopping&utm_content=MUG-1" },
    });
  });
});
