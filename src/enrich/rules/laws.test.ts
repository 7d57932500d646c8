/** Laws for all items and rules. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { channelView } from "../../catalog/channel-view.ts";
import type { Draft } from "../../catalog/draft.ts";
import { CHANNEL_NAMES, encodeItem, type Item } from "../../catalog/item.ts";
import { normalize } from "../../catalog/normalize.ts";
import { anyCharacter } from "../../lib/any-character.fixture.ts";
import { RULE_ACTIONS, RULE_OPERATORS, type Rule, type RuleAction } from "../../contract/rules.ts";
import { applyRules } from "./apply.ts";
import { compileRules } from "./compile.ts";
import { draftOf } from "./draft-of.fixture.ts";
import { RULE_FIELDS } from "./fields.ts";
import { compiled, SHOP } from "./rules.fixture.ts";
import { cases } from "../../../test/long.ts";

const CONTEXT = { position: 1, settings: {}, decimalMark: "." } as const;

function itemOf(draft: Draft): Item {
  const result = normalize(draft, CONTEXT);
  assert.ok(result.kind === "item", JSON.stringify(result));
  return result.item;
}

// ── items ─────────────────────────────────────────────────────────────────────────────────────────────────────────

const word = fc.constantFrom(
  "Kiln",
  "Teal",
  "Mug & saucer",
  "a &lt; b <b>x</b>",
  "M",
  "new",
  "in stock",
  "7",
  "12.50",
  "n/a",
  "-",
  "  ",
  "yes",
  "2 kg",
  "96385074",
);
const text = fc.oneof(
  { weight: 3, arbitrary: word },
  { weight: 1, arbitrary: fc.string({ unit: anyCharacter, maxLength: 20 }) },
);

const draft: fc.Arbitrary<Draft> = fc
  .record(
    {
      brand: text,
      sku: text,
      mpn: text,
      gtin: fc.constantFrom("4006381333931", "96385074"),
      description: text,
      color: text,
      size: text,
      image: fc.constant("https://shop.example/i/1.jpg"),
      additionalImages: fc.constant(["https://shop.example/i/2.jpg", "https://shop.example/i/3.jpg"]),
      categories: fc.array(text, { maxLength: 2 }),
      tags: fc.array(text, { maxLength: 3 }),
      highlights: fc.array(text, { maxLength: 2 }),
      options: fc.array(fc.record({ name: fc.constantFrom("Color", "Size", "Style"), value: text }), {
        maxLength: 2,
      }),
      quantity: fc.constantFrom("0", "3"),
      availability: fc.constantFrom("in stock", "preorder", "out of stock"),
      availabilityDate: fc.constant("2026-12-01"),
      salePrice: fc.constantFrom("5 EUR", "8 EUR"),
      saleFrom: fc.constant("2026-11-01"),
      listPrice: fc.constant("20 EUR"),
      cost: fc.constantFrom("4 EUR", "12 EUR"),
      condition: fc.constantFrom("new", "used"),
      customLabel1: text,
      weight: fc.constantFrom("2 kg", "300 g"),
      unitPricingMeasure: fc.constant("750 ml"),
      returnDays: fc.constant("30"),
      ratingValue: fc.constant("4.5"),
      ratingCount: fc.constant("3"),
      google: fc.constant({ pause: ["ads"], gtin: ["4006381333931"] }),
    },
    { requiredKeys: [] },
  )
  .map((fields) => ({
    ...fields,
    id: "MUG-1",
    title: "Mug",
    link: "https://shop.example/p?a=1#b",
    price: "10.00 EUR",
  }));
const item = draft.map(itemOf);

// ── rules ─────────────────────────────────────────────────────────────────────────────────────────────────────────

const names = RULE_FIELDS.map(({ name }) => name);
const settable = RULE_FIELDS.filter(({ target }) => target !== undefined).map(({ name }) => name);
const usual = [
  "brand",
  "title",
  "description",
  "price",
  "sale_price",
  "availability",
  "quantity",
  "color",
  "image",
  "custom_label1",
];
const fieldName = fc.oneof(fc.constantFrom(...names), fc.constantFrom(...usual));
const target = fc.oneof(fc.constantFrom(...settable), fc.constantFrom(...usual));
const value = fc.oneof(
  text,
  fc.integer({ min: -1, max: 50 }),
  fc.boolean(),
  fc.constantFrom("https://shop.example/x.jpg", "2026-12-24", "US", "Home > Mugs", "1 l"),
);

const action: fc.Arbitrary<RuleAction> = fc.oneof(
  fc.record({ type: fc.constantFrom("set" as const, "default" as const), field: target, value }),
  fc.record({ type: fc.constant("copy" as const), field: target, from: fieldName }),
  fc.record({
    type: fc.constant("template" as const),
    field: fc.oneof(target, fc.constant("id")),
    text: fc
      .tuple(fieldName, fieldName, text)
      .map(([a, b, between]) => `{id} {${a}} ${between.replaceAll(/[[\]{}()]/g, "")} [{${b}}]`),
  }),
  fc.record({
    type: fc.constant("replace" as const),
    field: target,
    find: fc.constantFrom("i", "M", " ", "&", "https"),
    with: text,
  }),
  fc.record({
    type: fc.constant("map" as const),
    field: target,
    from: fieldName,
    table: fc.dictionary(fc.constantFrom("kiln", "new", "7", "home"), value, { minKeys: 1 }),
    otherwise: value,
  }),
  fc.record({
    type: fc.constant("calculate" as const),
    field: target,
    formula: fc.constantFrom(
      "price * 1.1",
      "ending_up(price - 5, 0.99)",
      "sale_price - 10%",
      "max(cost + 20%, price)",
      "round(quantity / 2)",
      "discount_percent",
    ),
  }),
  fc.record({ type: fc.constant("clear" as const), field: target }),
  fc.record({
    type: fc.constant("add_parameters" as const),
    parameters: fc.constant({ a: "{brand}", utm: "x" }),
  }),
  fc.constant({ type: "exclude" as const }),
);

const when = fc.record({
  all: fc.array(
    fc.oneof(
      fc.record({
        field: fieldName,
        operator: fc.constantFrom("is_empty" as const, "is_not_empty" as const),
      }),
      fc.record({
        field: fieldName,
        operator: fc.constantFrom("is" as const, "is_not" as const, "contains" as const),
        value: text,
      }),
    ),
    { minLength: 1, maxLength: 2 },
  ),
});
const channel = fc.constantFrom(...CHANNEL_NAMES);
const rule: fc.Arbitrary<Omit<Rule, "name">> = fc.record(
  { action, when, channel: fc.oneof(channel, fc.uniqueArray(channel, { minLength: 1 })) },
  { requiredKeys: ["action"] },
);

/** Only rules that compile; many of the generated ones do not. */
const ruleList = fc
  .array(rule, { maxLength: 12 })
  .map((list) =>
    list
      .map((each, at): Rule => ({ ...each, name: `rule ${at}` }))
      .filter((each) => compileRules({ rules: [each] }, { settings: {} }).kind === "compiled"),
  );

const RUNS = { numRuns: cases(150) };

test("no rule makes an item that a source could not have sent", () => {
  fc.assert(
    fc.property(item, ruleList, (given, rules) => {
      const { item: result } = applyRules(given, compiled(rules), SHOP);
      for (const view of [result, ...CHANNEL_NAMES.map((name) => channelView(result, name))]) {
        const { feed: _, ...fields } = view;
        assert.equal(encodeItem(itemOf(draftOf(fields))).body, encodeItem(fields).body);
      }
    }),
    RUNS,
  );
});

test("same item, same rules: same result, with and without a trace, and the item is never changed in place", () => {
  fc.assert(
    fc.property(item, ruleList, (given, rules) => {
      const before = encodeItem(given).body;
      const first = applyRules(given, compiled(rules), SHOP);
      const second = applyRules(itemOf(draftOf(given)), compiled(rules), SHOP, { withTrace: true });

      assert.equal(encodeItem(first.item).body, encodeItem(second.item).body);
      assert.deepEqual(first.refused, second.refused);
      assert.equal(encodeItem(given).body, before);
      assert.equal(first.item === given, encodeItem(first.item).body === before);
      assert.equal(
        first.item === given,
        second.trace.length === 0 || encodeItem(second.item).body === before,
      );
    }),
    RUNS,
  );
});

test("with all rules disabled the item is the source's own", () => {
  fc.assert(
    fc.property(item, ruleList, (given, rules) => {
      const disabled = rules.map((each) => ({ ...each, enabled: false }));
      assert.equal(applyRules(given, compiled(disabled), SHOP).item, given);
    }),
    { numRuns: cases(30) },
  );
});

test("rules for one channel show it what rules for all would make of the item", () => {
  fc.assert(
    fc.property(item, ruleList, channel, (given, rules, name) => {
      const changes = rules.filter(({ action: { type, field } }) => type !== "exclude" && field !== "id");
      const forOne = changes.map((each) => ({ ...each, channel: name }));
      const forAll = changes.map(({ channel: _channel, ...each }) => each);

      const { feed: _, ...view } = channelView(applyRules(given, compiled(forOne), SHOP).item, name);

      assert.equal(encodeItem(view).body, encodeItem(applyRules(given, compiled(forAll), SHOP).item).body);
    }),
    RUNS,
  );
});

test("rules that neither read nor set each other's fields may be in any order", () => {
  const fields = ["brand", "mpn", "gender", "custom_label0", "custom_label3", "pause", "title"] as const;
  const constants = fc
    .shuffledSubarray([...fields])
    .chain((order) => fc.tuple(fc.constant(order), fc.shuffledSubarray(order, { minLength: order.length })));
  fc.assert(
    fc.property(item, constants, (given, [one, other]) => {
      const body = (order: readonly string[]): string => {
        const rules = order.map(
          (field): Rule => ({
            name: field,
            action: { type: "set", field, value: field === "gender" ? "male" : "ads" },
          }),
        );
        return encodeItem(applyRules(given, compiled(rules), SHOP).item).body;
      };
      assert.equal(body(one), body(other));
    }),
    { numRuns: cases(40) },
  );
});

test("whatever a rule says, it is compiled or refused with a sentence, and never throws", () => {
  const name = fc.oneof(
    fieldName,
    fc.string({ unit: anyCharacter, maxLength: 12 }),
    fc.constantFrom("__proto__", "options.", "options.x", "feed", "google"),
  );
  const anyValue = fc.oneof(value, fc.array(value, { maxLength: 3 }), fc.string({ unit: anyCharacter }));
  const anyCondition = fc.record(
    { field: name, operator: fc.constantFrom(...RULE_OPERATORS), value: anyValue },
    { requiredKeys: ["field", "operator"] },
  );
  const anyText = fc.string({
    unit: fc.constantFrom("{", "}", "[", "]", "(", ")", "title", "|", ":", "truncate", "5", " ", "-", "é"),
  });
  const anyAction = fc.record(
    {
      type: fc.constantFrom(...RULE_ACTIONS),
      field: name,
      value: anyValue,
      from: name,
      text: anyText,
      find: fc.string(),
      with: fc.string(),
      table: fc.dictionary(fc.string(), value),
      otherwise: value,
      formula: fc.string({
        unit: fc.constantFrom(
          "price",
          "cost",
          "9.5",
          ",",
          "(",
          ")",
          "+",
          "-",
          "*",
          "/",
          "%",
          " ",
          "round",
          "min",
          "{",
          "}",
          "é",
        ),
      }),
      parameters: fc.dictionary(fc.string(), anyText, { minKeys: 1 }),
    },
    { requiredKeys: ["type"] },
  );
  const anyRule = fc.record(
    {
      name: fc.string({ minLength: 1 }),
      when: fc.record({ any: fc.array(anyCondition, { maxLength: 3 }) }),
      action: anyAction,
    },
    { requiredKeys: ["name", "action"] },
  );
  fc.assert(
    fc.property(item, fc.array(anyRule, { maxLength: 3 }), (given, rules) => {
      const result = compileRules({ rules }, { settings: { currency: "EUR" }, sources: [SHOP] });
      if (result.kind === "compiled") applyRules(given, result.compiled, SHOP, { withTrace: true });
      else
        for (const { message, pointer } of result.problems)
          assert.match(`${pointer} ${message}`, /^\/rules\/\d+\S* \S[^]*[.?]$/);
    }),
    { numRuns: cases(500) },
  );
});
