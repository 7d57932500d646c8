import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { minimalItem } from "../../../test/item.ts";
import type { Item } from "../../catalog/item.ts";
import type { RuleAction, RuleCondition, RuleWhen } from "../../contract/rules.ts";
import { dayOf } from "../../lib/day.ts";
import { applyRules } from "./apply.ts";
import { fieldNamed } from "./field-names.ts";
import {
  applied,
  compiled,
  condition,
  isMatch,
  matches,
  MUG,
  problems,
  rule,
  SHOP,
} from "./rules.fixture.ts";

type Case = readonly [
  field: string,
  operator: RuleCondition["operator"],
  value: RuleCondition["value"],
  isMatch: boolean,
];

function check(cases: readonly Case[], item = MUG): void {
  for (const [field, operator, value, expected] of cases)
    assert.equal(
      isMatch(condition(field, operator, value), item),
      expected,
      JSON.stringify([field, operator, value]),
    );
}

describe("operators", () => {
  test("texts are compared without regard to case and surrounding space", () => {
    check([
      ["brand", "is", " kILN ", true],
      ["brand", "is", "Kil", false],
      ["brand", "is_not", "KILN", false],
      ["brand", "one_of", ["Oven", "KILN"], true],
      ["brand", "not_one_of", ["Oven", "KILN"], false],
      ["title", "contains", "UG", true],
      ["title", "does_not_contain", "cup", true],
      ["title", "starts_with", "mu", true],
      ["title", "ends_with", "Mu", false],
      ["description", "contains", "glazed", true],
      ["link", "ends_with", "/P/MUG", true],
    ]);
    const paris = minimalItem({ brand: "ÉCLAT" });
    check([["brand", "is", "éclat", true]], paris);
    check([["brand", "is", "e\u0301clat", true]], paris);
  });

  test("like takes * for any characters, also several times", () => {
    const item = minimalItem({ title: "Blue mug, 300 ml, blue" });
    check(
      [
        ["title", "like", "blue*blue", true],
        ["title", "like", "*300*ml*", true],
        ["title", "like", "*ml*300*", false],
        ["title", "like", "blue mug", false],
        ["title", "like", "BLUE MUG, 300 ML, BLUE", true],
        ["title", "like", "*", true],
        ["title", "like", "blue mug, 300 ml, blue*blue", false],
        ["title", "like", "*mug*mug*", false],
      ],
      item,
    );
  });

  test("a negative operator also matches items without a value, a positive one does not", () => {
    check([
      ["mpn", "is", "M", false],
      ["mpn", "is_not", "M", true],
      ["mpn", "not_one_of", ["M"], true],
      ["mpn", "does_not_contain", "M", true],
      ["mpn", "contains", "M", false],
      ["mpn", "is_empty", undefined, true],
      ["mpn", "is_not_empty", undefined, false],
      ["brand", "is_empty", undefined, false],
      ["brand", "is_not_empty", undefined, true],
      ["sale_price", "less_than", 1_000, false],
      ["sale_price", "is_not", 5, true],
    ]);
  });

  test("of several values one must match, and for a negative operator none may", () => {
    check([
      ["categories", "contains", "gifts", true],
      ["categories", "does_not_contain", "gifts", false],
      ["categories", "ends_with", "mugs", true],
      ["additional_images", "contains", "2.jpg", true],
      ["additional_images", "contains", "1.jpg", false],
      ["image", "contains", "1.jpg", true],
    ]);
  });

  test("a category path matches itself and everything below it, but no path with a longer word", () => {
    check([
      ["categories", "is", "Home", true],
      ["categories", "is", "home>kitchen", true],
      ["categories", "is", "Home > Kitchen > Mugs", true],
      ["categories", "is", "Home > Kit", false],
      ["categories", "is", "Kitchen", false],
      ["categories", "is_not", "Gifts", false],
      ["categories", "one_of", ["Garden", "Gifts > Under 20"], true],
    ]);
  });

  test("words of a closed list are understood in the spellings that sources may use", () => {
    check([
      ["availability", "is", "In Stock", true],
      ["availability", "one_of", ["out of stock", "backorder"], false],
      ["condition", "is_empty", undefined, true],
      ["identifier_exists", "is_not", true, true],
    ]);
    check([["availability", "is_empty", undefined, true]], minimalItem({ availability: "unknown" }));
    check(
      [
        ["condition", "is", "Neuf", true],
        ["country", "is", "de", true],
        ["adult", "is", false, true],
        ["adult", "is", "no", true],
      ],
      minimalItem({ condition: "new", country: "DE", adult: false }),
    );
  });

  test("numbers are compared as numbers, measures in any unit, times in any spelling", () => {
    check([
      ["quantity", "less_than", 10, true],
      ["quantity", "less_than", 5, false],
      ["quantity", "greater_than", "4", true],
      ["quantity", "is", 5, true],
      ["quantity", "one_of", [4, 5], true],
      ["weight", "is", "400 g", true],
      ["weight", "less_than", "1 lb", true],
      ["weight", "greater_than", "1 lb", false],
    ]);
    const item = minimalItem({ expiresAt: "2026-12-01T00:00:00.000Z", rating: { value: "4.5", count: 10 } });
    check(
      [
        ["expires_at", "less_than", "2027-01-01", true],
        ["expires_at", "greater_than", "2026-12-01T01:00:00+02:00", true],
        ["rating_value", "greater_than", 4.4, true],
      ],
      item,
    );
  });

  test("an amount is in the catalog's currency, and items in other currencies do not match", () => {
    const under20 = condition("price", "less_than", 20);
    assert.equal(isMatch(under20, MUG, { settings: { currency: "EUR" } }), true);
    assert.equal(isMatch(under20, MUG, { settings: { currency: "USD" } }), false);
    assert.equal(isMatch(under20, MUG), true, "without a currency, in that of the item");
    assert.equal(isMatch(condition("price", "less_than", "20 USD"), MUG), false);
    assert.equal(isMatch(condition("price", "is", "19,90 €"), MUG), true);
    assert.equal(isMatch(condition("price", "greater_than", "19.89"), MUG), true);
  });

  test("next to a list price, price is the price now, and so is the sale price", () => {
    const reduced = minimalItem({ salePrice: { amount: "15.00", currency: "EUR" }, priceIsList: true });
    check(
      [
        ["price", "is", 15, true],
        ["list_price", "is", 19.9, true],
        ["sale_price", "is", 15, true],
      ],
      reduced,
    );
    check(
      [
        ["price", "is", 19.9, true],
        ["sale_price", "is", 15, true],
      ],
      minimalItem({ salePrice: { amount: "15.00", currency: "EUR" } }),
    );
  });
});

describe("fields that are only read", () => {
  test("id, source, options and details by name", () => {
    check([
      ["id", "is", "mug-1", true],
      ["source", "is", "main SHOP", true],
      ["source", "is", "01999999-1234-7abc-8abc-0123456789ab", true],
      ["source", "is_not", "Main shop", false],
      ["options.color", "is", "teal", true],
      ["options.Size", "is_empty", undefined, true],
      ["details.GLAZE", "contains", "ash", true],
      ["options", "is_not_empty", undefined, true],
      ["shipping", "is_empty", undefined, true],
      ["options.__proto__", "is_empty", undefined, true],
    ]);
  });

  test("items without a source are pushed ones", () => {
    const rules = compiled([
      rule({ type: "exclude" }, { when: { all: [condition("source", "is", "pushed")] } }),
    ]);

    assert.notEqual(applyRules(MUG, rules, { id: null, name: null }).item, MUG);
    assert.equal(
      applied([rule({ type: "exclude" }, { when: { all: [condition("source", "is", "pushed")] } })]).item,
      MUG,
    );
  });

  test("Google's names for fields are understood", () => {
    check([
      ["product_type", "is", "Home", true],
      ["custom_label_0", "is", "zero", true],
      ["image_link", "contains", "1.jpg", true],
      ["google_product_category", "is_empty", undefined, true],
    ]);
  });
});

test("all needs every condition, any one of them, and each may have groups of the other kind", () => {
  const [yes, no] = [condition("brand", "is", "Kiln"), condition("title", "is", "Cup")];
  assert.equal(matches({ all: [yes, no] }), false);
  assert.equal(matches({ any: [yes, no] }), true);
  assert.equal(matches({ all: [yes, { any: [no, yes] }] }), true);
  assert.equal(matches({ all: [yes, { any: [no] }] }), false);
  assert.equal(matches({ any: [no, { all: [yes, yes] }] }), true);
});

describe("conditions that are refused", () => {
  const refused = (...all: readonly RuleCondition[]): string | undefined =>
    problems([rule({ type: "exclude" }, { when: { all } })])[0];

  test("an unknown field, with the likely one", () => {
    assert.equal(
      refused(condition("brandd", "is", "x")),
      'unknown_field /rules/0/when/all/0/field There is no field "brandd". Did you mean brand?',
    );
    assert.match(refused(condition("__proto__", "is", "x")) ?? "", /^unknown_field/);
    assert.match(refused(condition("constructor", "is_empty")) ?? "", /^unknown_field/);
    assert.match(refused(condition("options.", "is", "sale")) ?? "", /^unknown_field/);
  });

  test("an operator that does not fit the field, with those that do", () => {
    assert.equal(
      refused(condition("price", "contains", "9")),
      "operator_not_fitting /rules/0/when/all/0/operator contains cannot be used with price. Use is, is_not, one_of, not_one_of, less_than, greater_than, is_empty, is_not_empty.",
    );
    assert.match(refused(condition("title", "less_than", 5)) ?? "", /^operator_not_fitting/);
    assert.match(refused(condition("availability", "starts_with", "in")) ?? "", /^operator_not_fitting/);
    assert.match(refused(condition("shipping", "is", "5")) ?? "", /^operator_not_fitting/);
  });

  test("a value that is missing, unexpected, of the wrong form, or no value of the field", () => {
    const cases: readonly (readonly [RuleCondition, RegExp])[] = [
      [condition("brand", "is"), /^missing_part .*is needs a value/],
      [condition("brand", "is_empty", "x"), /^unexpected_part .*is_empty takes no value/],
      [condition("brand", "is", ["x"]), /^invalid_value .*Use one_of/],
      [condition("brand", "one_of", "x"), /^invalid_value .*takes a list/],
      [condition("brand", "one_of", []), /^never_matches .*empty list/],
      [condition("brand", "is", "  "), /^invalid_value .*Use is_empty/],
      [condition("gender", "is", "robot"), /gender "robot" is not a known value. Use male, female, unisex/],
      [
        condition("availability", "is", "perhaps"),
        /availability "perhaps" is not a known value\. Use in_stock, out_of_stock, preorder, backorder\.$/,
      ],
      [condition("availability", "is", "unknown"), /counts as empty/],
      [
        condition("condition", "is", "shiny"),
        /condition "shiny" is not a known value\. Use new, refurbished, used\.$/,
      ],
      [condition("condition", "is", "constructor"), /condition "constructor" is not a known value\./],
      [condition("price", "less_than", "cheap"), /price "cheap" is not a single number/],
      [condition("quantity", "less_than", "few"), /quantity is compared with numbers, and "few" is none/],
      [condition("weight", "less_than", "5"), /weight "5" has no unit/],
      [condition("expires_at", "less_than", "soon"), /expires_at "soon" is not a date such as 2027-01-15/],
      [condition("country", "is", "Atlantis"), /country "Atlantis" is not an ISO 3166 country code/],
    ];
    for (const [one, pattern] of cases) assert.match(refused(one) ?? "accepted", pattern);
  });

  test("an unknown source, if the sources are given", () => {
    const when = { all: [condition("source", "is", "Old shop")] };
    const sources = [{ id: "01", name: "Main shop" }];
    const one = rule({ type: "exclude" }, { when });
    assert.deepEqual(problems([one], { settings: {}, sources }), [
      'never_matches /rules/0/when/all/0/value The catalog has no source "old shop". Its sources: "Main shop", "pushed".',
    ]);
    assert.deepEqual(problems([one]), []);
  });

  test("conditions of one all that no item can satisfy together", () => {
    const never: readonly (readonly RuleCondition[])[] = [
      [condition("brand", "is", "A"), condition("brand", "is", "B")],
      [condition("brand", "is", "A"), condition("brand", "is_not", "a")],
      [condition("brand", "is_empty"), condition("brand", "is", "A")],
      [condition("brand", "is_empty"), condition("brand", "is_not_empty")],
      [condition("brand", "one_of", ["A", "B"]), condition("brand", "is", "C")],
      [condition("brand", "one_of", ["A", "B"]), condition("brand", "not_one_of", ["b", "a"])],
      [condition("brand", "is", "Kiln"), condition("brand", "contains", "oven")],
      [condition("title", "starts_with", "blue"), condition("title", "starts_with", "red")],
      [condition("title", "ends_with", "mug"), condition("title", "ends_with", "cup")],
      [condition("title", "contains", "blue mug"), condition("title", "does_not_contain", "mug")],
      [condition("price", "less_than", 5), condition("price", "greater_than", 5)],
      [condition("price", "is", 5), condition("price", "greater_than", 5)],
      [condition("quantity", "less_than", 4), condition("quantity", "greater_than", 3)],
      [condition("quantity", "less_than", 0)],
      [condition("sale_price", "is_empty"), condition("sale_price", "less_than", 5)],
      [condition("categories", "is", "Home"), condition("categories", "is_not", "home")],
      [condition("gender", "is_not_empty"), condition("gender", "not_one_of", ["male", "female", "unisex"])],
      [condition("availability", "is", "in stock"), condition("availability", "is", "preorder")],
    ];
    for (const all of never) {
      assert.match(
        refused(...all) ?? "accepted",
        /^never_matches \/rules\/0\/when\/all /,
        JSON.stringify(all),
      );
    }
    assert.equal(
      refused(condition("brand", "is", "A"), condition("brand", "is", "B")),
      'never_matches /rules/0/when/all No item can match: the conditions on brand exclude each other (is "a", is "b").',
    );
  });

  test("a condition that a required field is empty", () => {
    assert.equal(
      refused(condition("title", "is_empty")),
      "never_matches /rules/0/when/all/0/operator No item can match: every item has title.",
    );
  });

  test("conditions that some item may satisfy are accepted", () => {
    const possible: readonly (readonly RuleCondition[])[] = [
      [condition("brand", "is_not", "A"), condition("brand", "is_not", "B")],
      [condition("brand", "is_empty"), condition("brand", "is_not", "A")],
      [condition("title", "starts_with", "blue"), condition("title", "starts_with", "blue mug")],
      [condition("title", "contains", "mug"), condition("title", "does_not_contain", "blue mug")],
      [condition("categories", "is", "Home"), condition("categories", "is", "Gifts")],
      [condition("price", "less_than", 6), condition("price", "greater_than", 5)],
      [condition("price", "less_than", "5 EUR"), condition("price", "greater_than", "9 USD")],
      [condition("quantity", "less_than", 5), condition("quantity", "greater_than", 3)],
      [condition("gender", "not_one_of", ["male", "female", "unisex"])],
      [condition("title", "like", "a*"), condition("title", "like", "*b")],
    ];
    for (const all of possible) assert.equal(refused(...all), undefined, JSON.stringify(all));
  });

  test("an any inside an all of which no choice fits the rest", () => {
    const is = (value: string) => condition("brand", "is", value);
    const when = (choices: readonly RuleCondition[]) => ({ all: [is("A"), { any: choices }] });
    const found = (choices: readonly RuleCondition[]) =>
      problems([rule({ type: "exclude" }, { when: when(choices) })]);

    assert.equal(found([is("B"), is("C")]).length, 1);
    assert.deepEqual(found([is("B"), is("A")]), []);
    assert.equal(
      problems([rule({ type: "exclude" }, { when: { any: [is("A"), { all: [is("A"), is("B")] }] } })]).length,
      1,
    );
  });
});

test("conditions on tags look at each whole tag, in any case", () => {
  const tagged = minimalItem({ tags: ["Summer Sale", "gift"] });
  assert.equal(isMatch(condition("tags", "is", "GIFT"), tagged), true);
  assert.equal(isMatch(condition("tags", "is", "summer"), tagged), false);
  assert.equal(isMatch(condition("tags", "contains", "summer"), tagged), true);
  assert.equal(isMatch(condition("tags", "not_one_of", ["winter", "summer sale"]), tagged), false);
  assert.equal(isMatch(condition("tags", "is_empty"), minimalItem()), true);
});

describe("days since and until a date", () => {
  const TODAY = dayOf(new Date("2026-11-18T15:00:00Z"));
  const SALE: Item = {
    ...MUG,
    salePrice: { amount: "15.00", currency: "EUR" },
    saleFrom: "2026-11-17T23:59:59.999Z",
    saleTo: "2026-11-20T00:00:00.000Z",
    details: [
      { name: "Added", value: "15.10.2026" },
      { name: "Season", value: "Autumn" },
    ],
  };
  const read = (name: string, item: Item = SALE) => fieldNamed(name)?.read(item, { ...SHOP, today: TODAY });

  test("are counted in calendar days, and are below zero on the other side of today", () => {
    assert.equal(read("days_until.sale_to"), "2");
    assert.equal(read("days_since.sale_from"), "1");
    assert.equal(read("days_until.sale_from"), "-1");
    assert.equal(read("days_since.sale_from", { ...SALE, saleFrom: "2026-11-18T00:00:00.000Z" }), "0");
    assert.equal(read("days_since.details.added"), "34");
  });

  test("have no value without a date", () => {
    assert.equal(read("days_until.sale_to", MUG), undefined);
    assert.equal(read("days_since.details.Season"), undefined);
  });

  test("can be used in formulas, conditions and templates", () => {
    const use = (action: RuleAction, when?: RuleWhen) =>
      applyRules(SALE, compiled([{ name: "Rule", action, ...(when && { when }) }]), { ...SHOP, today: TODAY })
        .item;
    const formula = "price - days_since.details.Added * 0.1";
    assert.equal(use({ type: "calculate", field: "price", formula }).price.amount, "16.50");
    const text = "{days_until.sale_to} days left";
    assert.equal(use({ type: "template", field: "custom_label0", text }).customLabels?.[0], "2 days left");
    const ends = { all: [condition("days_until.sale_to", "less_than", 3)] };
    assert.notEqual(use({ type: "exclude" }, ends), SALE);
    const over = { all: [condition("days_until.sale_to", "less_than", 0)] };
    assert.equal(use({ type: "exclude" }, over), SALE);
  });

  test("are of dates only, and cannot be set", () => {
    const when = { all: [condition("days_since.title", "is", 1)] };
    const title = problems([rule({ type: "exclude" }, { when })])[0];
    assert.match(title ?? "", /^unknown_field .*Days are counted from a date/);
    const set = problems([rule({ type: "set", field: "days_until.sale_to", value: 1 })])[0];
    assert.match(set ?? "", /^field_not_settable .*follows from other values/);
  });
});

describe("fields about the variants of a product", () => {
  const variant = (id: string, amount: string, more: Partial<Item> = {}): Item => ({
    ...MUG,
    id,
    groupId: "mug",
    price: { amount, currency: "EUR" },
    ...more,
  });
  const [A, B, C] = [
    variant("a", "9.00", { availability: "out_of_stock", cost: { amount: "2.00", currency: "EUR" } }),
    variant("b", "12.00", { salePrice: { amount: "10.00", currency: "EUR" } }),
    variant("c", "10.00"),
  ];
  const read = (name: string, item: Item, variants: readonly Item[] = [A, B, C]) =>
    fieldNamed(name)?.read(item, { ...SHOP, variants });

  test("choose one that is in stock: the cheapest, or the first by id", () => {
    assert.deepEqual(
      [A, B, C].map((item) => read("is_cheapest_variant", item)),
      ["no", "yes", "no"],
    );
    assert.deepEqual(
      [A, B, C].map((item) => read("is_first_variant", item)),
      ["no", "yes", "no"],
    );
    assert.equal(read("is_cheapest_variant", A, [A]), "yes");
    assert.equal(read("is_first_variant", A, []), undefined);
  });

  test("are the lowest and the highest number or amount", () => {
    assert.equal(read("group_min.price", C), "9.00 EUR");
    assert.equal(read("group_max.price", C), "12.00 EUR");
    assert.equal(read("group_max.sale_price", A), "10.00 EUR");
    assert.equal(read("group_min.multipack", A), undefined);
    const dollars = variant("d", "1.00", { price: { amount: "1.00", currency: "USD" } });
    assert.equal(read("group_min.price", C, [A, dollars]), "9.00 EUR");
  });

  test("have values that conditions know, and cannot be set", () => {
    const problem = (field: string, value: string) =>
      problems([rule({ type: "exclude" }, { when: { all: [condition(field, "is", value)] } })])[0] ?? "";
    assert.equal(problem("is_first_variant", "No"), "");
    assert.match(problem("is_first_variant", "perhaps"), /^invalid_value .*is_first_variant/);
    assert.match(problem("group_min.title", "x"), /^unknown_field .*as in group_min\.price/);
    const copy = problems([rule({ type: "copy", field: "custom_label0", from: "group_min.cost" })])[0];
    assert.match(copy ?? "", /^private_field /);
    const set = problems([rule({ type: "set", field: "is_first_variant", value: true })])[0];
    assert.match(set ?? "", /^field_not_settable .*follows from other values/);
  });
});
