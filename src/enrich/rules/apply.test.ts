import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { minimalItem } from "../../../test/item.ts";
import { channelView } from "../../catalog/channel-view.ts";
import { encodeItem, type Item } from "../../catalog/item.ts";
import type { Rule } from "../../contract/rules.ts";
import { applyRules, channelTrace } from "./apply.ts";
import { applied, compiled, condition, MUG, problems, rule, SHOP } from "./rules.fixture.ts";

const set = (field: string, value: string, more: Partial<Rule> = {}): Rule =>
  rule({ type: "set", field, value }, { name: `${field} ${value} ${String(more.channel)}`, ...more });
const exclude = (name: string, more: Partial<Rule> = {}): Rule =>
  rule({ type: "exclude" }, { name, ...more });

describe("order", () => {
  test("each rule sees what the earlier ones did", () => {
    const rules = [
      set("brand", "Oven", { when: { all: [condition("brand", "is", "Kiln")] } }),
      rule({ type: "template", field: "title", text: "{brand} {title}" }, { name: "title" }),
      set("mpn", "M-1", { when: { all: [condition("title", "is", "oven mug")] } }),
    ];
    const { item } = applied(rules);
    assert.equal(item.title, "Oven Mug");
    assert.equal(item.mpn, "M-1");
    assert.equal(applied(rules.toReversed()).item.mpn, undefined);
  });

  test("a rule that is not enabled does nothing, but is checked", () => {
    assert.equal(applied([set("brand", "Oven", { enabled: false })]).item, MUG);
    assert.equal(problems([set("brandd", "Oven", { enabled: false })]).length, 1);
  });

  test("the item is the same object if nothing has changed in the end", () => {
    assert.equal(applied([]).item, MUG);
    assert.equal(applied([set("brand", "Oven"), set("brand", "Kiln")]).item, MUG);
    assert.equal(applied([set("brand", "Kiln", { channel: "google" })]).item, MUG);
  });
});

describe("channels", () => {
  test("a rule for one channel changes what only that channel sees", () => {
    const { item } = applied([
      set("title", "Kiln mug", { channel: "google" }),
      set("brand", "Oven", { channel: ["openai", "google"] }),
    ]);
    assert.equal(item.title, "Mug");
    assert.deepEqual(item.feed, {
      values: { google: { title: "Kiln mug", brand: "Oven" }, openai: { brand: "Oven" } },
    });
    assert.equal(channelView(item, "google").title, "Kiln mug");
    assert.equal(channelView(item, "schema_org").brand, "Kiln");
  });

  test("a later rule for all channels applies to each channel's own values too", () => {
    const { item } = applied([
      set("title", "Kiln mug", { channel: "google" }),
      rule({ type: "template", field: "title", text: "{title}!" }, { name: "exclamation" }),
      set("mpn", "G", { when: { all: [condition("title", "is", "Kiln mug!")] } }),
    ]);
    assert.equal(item.title, "Mug!");
    assert.equal(item.mpn, undefined);
    assert.deepEqual(item.feed?.values, { google: { title: "Kiln mug!", mpn: "G" } });
  });

  test("a channel's values that a later rule sets for all are no longer its own", () => {
    const { item } = applied([set("brand", "A", { channel: "google" }), set("brand", "B")]);
    assert.equal(item.brand, "B");
    assert.equal(item.feed, undefined);
  });

  test("a value that one channel lacks is null", () => {
    const { item } = applied([rule({ type: "clear", field: "brand" }, { channel: "openai" })]);
    assert.deepEqual(item.feed, { values: { openai: { brand: null } } });
    assert.equal(channelView(item, "openai").brand, undefined);
    assert.equal(item.brand, "Kiln");
  });

  test("an exclusion has the name of the first rule that excludes", () => {
    const { item } = applied([
      exclude("No mugs on Google", { channel: "google" }),
      exclude("Not sold", { when: { all: [condition("brand", "is", "Kiln")] } }),
    ]);
    assert.deepEqual(item.feed, {
      excluded: { google: "No mugs on Google", openai: "Not sold", schema_org: "Not sold" },
    });
  });

  test("an exclusion looks at what the channel sees", () => {
    const { item } = applied([
      set("brand", "Oven", { channel: "openai" }),
      exclude("No Oven", { when: { all: [condition("brand", "is", "Oven")] } }),
    ]);
    assert.deepEqual(item.feed?.excluded, { openai: "No Oven" });
  });
});

test("equal items have equal JSON, whatever the order of the rules", () => {
  const one = applied([
    set("mpn", "M"),
    set("gender", "male"),
    set("gtin", "96385074"),
    set("size", "L", { channel: "google" }),
    set("sku", "S", { channel: "google" }),
  ]).item;
  const other = applied([
    set("gtin", "96385074"),
    set("sku", "S", { channel: "google" }),
    set("size", "L", { channel: "google" }),
    set("gender", "male"),
    set("mpn", "M"),
  ]).item;

  assert.equal(encodeItem(one).body, encodeItem(other).body);
  assert.equal(Object.keys(one).at(-1), "feed");
});

test("a refused value is reported with rule, channel and field", () => {
  const { refused } = applied([
    rule({ type: "copy", field: "gtin", from: "title" }, { name: "GTIN", channel: "google" }),
  ]);
  assert.deepEqual(refused, [
    {
      rule: "GTIN",
      channel: "google",
      field: "gtin",
      message: 'gtin "Mug" has characters other than digits.',
    },
  ]);
});

describe("trace", () => {
  const rules = [
    set("brand", "Oven"),
    set("title", "Kiln mug", { channel: "google" }),
    rule({ type: "set", field: "availability", value: "out of stock" }, { name: "sold" }),
    rule({ type: "template", field: "id", text: "s-{id}" }, { name: "id" }),
    exclude("gone", { channel: "openai" }),
  ];

  test("it has every change of every field, with the values before and after", () => {
    const { trace } = applied(rules);
    assert.deepEqual(trace, [
      { rule: "brand Oven undefined", field: "brand", before: "Kiln", after: "Oven" },
      { rule: "title Kiln mug google", channel: "google", field: "title", before: "Mug", after: "Kiln mug" },
      { rule: "sold", channel: "google", field: "availability", before: "in_stock", after: "out_of_stock" },
      { rule: "sold", channel: "google", field: "quantity", before: "5", after: undefined },
      { rule: "sold", field: "availability", before: "in_stock", after: "out_of_stock" },
      { rule: "sold", field: "quantity", before: "5", after: undefined },
      { rule: "id", field: "id", before: "MUG-1", after: "s-MUG-1" },
      { rule: "gone", channel: "openai", field: "excluded", before: undefined, after: "gone" },
    ]);
  });

  test("the trace of a channel leads from the item to what the channel sees", () => {
    const { trace } = applied(rules);
    const of = (channel: "google" | "openai") =>
      channelTrace(trace, channel).map(({ rule: name, field }) => `${name}: ${field}`);
    assert.deepEqual(of("google"), [
      "brand Oven undefined: brand",
      "title Kiln mug google: title",
      "sold: availability",
      "sold: quantity",
      "id: id",
    ]);
    assert.deepEqual(of("openai"), [
      "brand Oven undefined: brand",
      "sold: availability",
      "sold: quantity",
      "id: id",
      "gone: excluded",
    ]);
  });

  test("without being asked for there is none, and the item is the same", () => {
    const plain = applyRules(MUG, compiled(rules), SHOP);
    assert.deepEqual(plain.trace, []);
    assert.deepEqual(plain.item, applied(rules).item);
  });
});

describe("rule sets that are refused", () => {
  test("two rules with one name, in any case", () => {
    assert.deepEqual(problems([exclude("Gone"), exclude("gone ")]), [
      "duplicate_name /rules/1/name Rule 1 has the same name. Rename one of them.",
    ]);
  });

  test("every rule is reported, with its conditions and its action", () => {
    const found = problems([
      set("brandd", "x", { when: { all: [condition("colr", "is", "x")] } }),
      set("brand", "x"),
      set("gender", "x"),
    ]);
    assert.deepEqual(
      found.map((problem) => problem.split(" ", 2).join(" ")),
      [
        "unknown_field /rules/0/when/all/0/field",
        "unknown_field /rules/0/action/field",
        "invalid_value /rules/2/action/value",
      ],
    );
  });

  test("more rules than allowed", () => {
    const many = Array.from({ length: 5_000 }, (_, index) => exclude(`rule ${index}`));
    assert.deepEqual(problems(many), [
      "too_many_rules /rules/500 The rule set has 5000 rules; the limit is 500.",
    ]);
    assert.deepEqual(problems(many.slice(0, 500)), []);
  });
});

describe("hostile input", () => {
  const long = "a".repeat(100_000);
  const time = (run: () => void): number => {
    const start = performance.now();
    run();
    return performance.now() - start;
  };

  test("long texts in rules and items take time in proportion to their length", () => {
    const item: Item = minimalItem({ title: long, description: `${long}<`, brand: "b" });
    const rules: Rule[] = [
      rule({ type: "template", field: "title", text: "{title} ".repeat(200) }, { name: "1" }),
      rule({ type: "replace", field: "title", find: "aa", with: "a" }, { name: "2" }),
      rule({ type: "copy", field: "short_title", from: "description" }, { name: "3" }),
      rule({ type: "set", field: "brand", value: long }, { name: "4" }),
      exclude("5", { when: { all: [condition("title", "like", `*${"a*".repeat(90)}b`)] } }),
      exclude("6", {
        when: { all: [condition("title", "contains", `${long.slice(0, 100)}b${long.slice(0, 99)}`)] },
      }),
    ];
    assert.ok(time(() => applied(rules, item)) < 5_000);
  });

  test("a long text to look for is refused, and one to compare with is not", () => {
    const found = (operator: "contains" | "like" | "is") =>
      problems([exclude("x", { when: { all: [condition("title", operator, long.slice(0, 201))] } })]);
    assert.match(found("contains")[0] ?? "", /^invalid_value .*longer than 200 characters/);
    assert.match(found("like")[0] ?? "", /^invalid_value/);
    assert.deepEqual(found("is"), []);
  });

  test("a table of 10,000 entries compiles within seconds", () => {
    const table = Object.fromEntries(
      Array.from({ length: 10_000 }, (_, at) => [`Path > ${at}`, `${at + 1}`]),
    );
    const map: Rule = rule({ type: "map", field: "google_category", from: "categories", table });
    assert.ok(time(() => compiled([map])) < 3_000);
  });

  test("templates of brackets and braces are refused or read quickly", () => {
    const texts = [
      "{".repeat(2_000),
      "[(".repeat(1_000),
      "{{".repeat(1_000),
      ")".repeat(2_000),
      `${"-a".repeat(900)}{title}`,
    ];
    for (const text of texts)
      assert.ok(
        time(() => problems([rule({ type: "template", field: "title", text })])) < 2_000,
        text.slice(0, 5),
      );
  });

  test("500 rules with conditions on one long text stay fast", () => {
    const item = minimalItem({ description: long.slice(0, 20_000) });
    const rules = compiled(
      Array.from({ length: 500 }, (_, index) =>
        exclude(`rule ${index}`, { when: { all: [condition("description", "contains", `b${index}`)] } }),
      ),
    );
    assert.ok(time(() => applyRules(item, rules, SHOP)) < 2_000);
  });

  test("names of built-in properties change nothing but what they name", () => {
    const item = minimalItem({ options: [{ name: "__proto__", value: "x" }], brand: "__proto__" });
    const table = JSON.parse('{"__proto__": "Proto", "constructor": "C"}') as Record<string, string>;
    const { item: result } = applied(
      [
        rule({ type: "copy", field: "mpn", from: "options.__proto__" }, { name: "__proto__" }),
        rule({ type: "map", field: "brand", from: "brand", table }, { name: "constructor" }),
        exclude("toString", { when: { all: [condition("options.constructor", "is_not_empty")] } }),
      ],
      item,
    );
    assert.deepEqual(result, minimalItem({ mpn: "x", brand: "Proto", options: item.options ?? [] }));
    assert.equal(({} as Record<string, unknown>)["Proto"], undefined);
  });
});
