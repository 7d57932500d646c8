import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { minimalItem } from "../../../test/item.ts";
import type { RuleAction } from "../../contract/rules.ts";
import { after, applied, MUG, problems, refusal, rule } from "./rules.fixture.ts";

const BARE = minimalItem();
const EUR = (amount: string) => ({ amount, currency: "EUR" });

describe("a cost", () => {
  const item = { ...MUG, cost: EUR("7.13") };

  test("can be set and compared, in the currency of each item", () => {
    assert.deepEqual(after({ type: "set", field: "cost", value: 4.5 }).cost, EUR("4.50"));
    const cheap = rule(
      { type: "set", field: "custom_label1", value: "low cost" },
      { when: { all: [{ field: "cost", operator: "less_than", value: 8 }] } },
    );
    assert.deepEqual(applied([cheap], item).item.customLabels, ["zero", "low cost", "two"]);
  });

  test("is copied to no other field, which a feed could show", () => {
    const sentence =
      "cost is never published, so no other field can be set to it. Conditions and formulas can use it.";
    const refused = (action: RuleAction) => problems([rule(action)]);
    assert.deepEqual(refused({ type: "copy", field: "cost_of_goods_sold", from: "cost" }), [
      `private_field /rules/0/action/from ${sentence}`,
    ]);
    assert.deepEqual(refused({ type: "template", field: "title", text: "{title} {cost}" }), [
      `private_field /rules/0/action/text ${sentence}`,
    ]);
    assert.deepEqual(refused({ type: "map", field: "title", from: "cost", table: { "7.13 EUR": "x" } }), [
      `private_field /rules/0/action/from ${sentence}`,
    ]);
    assert.deepEqual(refused({ type: "add_parameters", parameters: { c: "{cost}" } }), [
      `private_field /rules/0/action/parameters/c ${sentence}`,
    ]);
  });
});

describe("set and default", () => {
  test("set replaces any value, default only fills a missing one", () => {
    assert.equal(after({ type: "set", field: "brand", value: "Oven" }).brand, "Oven");
    assert.equal(after({ type: "default", field: "brand", value: "Oven" }), MUG);
    assert.equal(after({ type: "default", field: "brand", value: "Oven" }, BARE).brand, "Oven");
  });

  test("values are understood as those of sources are", () => {
    const set = (field: string, value: RuleAction["value"] & {}) => after({ type: "set", field, value });
    assert.equal(set("condition", "Neuf").condition, "new");
    assert.equal(set("identifier_exists", false).identifierExists, false);
    assert.equal(set("title", "<b>Blue</b> &amp; red").title, "Blue & red");
    assert.deepEqual(set("price", 12).price, EUR("12.00"));
    assert.deepEqual(set("sale_price", "12,50 €").salePrice, EUR("12.50"));
    assert.deepEqual(set("weight", "1,5 kg").weight, { value: "1.5", unit: "kg" });
    assert.deepEqual(set("highlights", ["Large", "Blue"]).highlights, ["Large", "Blue"]);
    assert.deepEqual(set("categories", "A > B").categories, [["A", "B"]]);
    assert.deepEqual(set("custom_label1", "one").customLabels, ["zero", "one", "two"]);
    assert.deepEqual(set("custom_label_4", 4).customLabels, ["zero", null, "two", null, "4"]);
    assert.deepEqual(set("image", "https://shop.example/i/9.jpg").images, [
      "https://shop.example/i/9.jpg",
      "https://shop.example/i/2.jpg",
    ]);
    assert.deepEqual(set("additional_images", "https://shop.example/i/9.jpg").images, [
      "https://shop.example/i/1.jpg",
      "https://shop.example/i/9.jpg",
    ]);
    assert.deepEqual(set("excluded_destination", ["Shopping_ads"]).google, {
      excluded_destination: ["Shopping_ads"],
    });
    assert.deepEqual(set("cost_of_goods_sold", 5).google, { cost_of_goods_sold: "5.00 EUR" });
    assert.deepEqual(set("return_days", 30).returns, { days: 30 });
  });

  test("a default availability fills an unknown one, and a new availability makes quantity and date untrue", () => {
    const unknown = minimalItem({ availability: "unknown" });
    assert.equal(
      after({ type: "default", field: "availability", value: "in stock" }, unknown).availability,
      "in_stock",
    );
    const out = after({ type: "set", field: "availability", value: "out_of_stock" });
    assert.equal(out.availability, "out_of_stock");
    assert.equal(out.quantity, undefined);
  });

  test("a value that the item has already changes nothing", () => {
    for (const [field, value] of [
      ["brand", "Kiln"],
      ["price", "19.90"],
      ["custom_label0", "zero"],
      ["image", "https://shop.example/i/1.jpg"],
      ["categories", ["Home > Kitchen > Mugs", "Gifts > Under 20"]],
      ["weight", "0.40 kg"],
    ] as const)
      assert.equal(after({ type: "set", field, value }), MUG, field);
  });

  test("a value that does not fit one item leaves it as it is, with the sentence of the check", () => {
    assert.equal(
      refusal({ type: "set", field: "sale_price", value: 25 }),
      'sale_price "25" is not lower than the price 19.90 EUR.',
    );
    assert.equal(refusal({ type: "set", field: "price", value: "5 USD" }), 'price "5 USD" is not in EUR.');
    assert.match(refusal({ type: "set", field: "list_price", value: 5 }) ?? "", /does not apply to the item/);
    assert.match(refusal({ type: "set", field: "rating_value", value: 4 }) ?? "", /has no rating_count/);
  });

  test("a new GTIN makes further ones for Google untrue", () => {
    const item = minimalItem({ gtin: "4006381333931", google: { gtin: ["96385074"], pause: "ads" } });
    assert.deepEqual(after({ type: "set", field: "gtin", value: "96385074" }, item).google, { pause: "ads" });
  });
});

describe("copy", () => {
  test("a value is copied as it is, also if it looks like markup", () => {
    const item = minimalItem({ title: "Bolt <b> & nut &amp; more", brand: "A&B" });
    assert.equal(after({ type: "copy", field: "short_title", from: "title" }, item).shortTitle, item.title);
    assert.equal(after({ type: "copy", field: "mpn", from: "brand" }, item).mpn, "A&B");
    assert.equal(after({ type: "copy", field: "brand", from: "details.Glaze" }).brand, "Ash");
    assert.equal(after({ type: "copy", field: "mpn", from: "sku" }).mpn, "S-1");
  });

  test("without a value to copy nothing changes", () => {
    assert.equal(after({ type: "copy", field: "brand", from: "mpn" }), MUG);
  });

  test("of several values the first is copied, unless the field has several", () => {
    assert.equal(
      after({ type: "copy", field: "custom_label3", from: "categories" }).customLabels?.[3],
      "Home > Kitchen > Mugs",
    );
    assert.deepEqual(after({ type: "copy", field: "highlights", from: "categories" }).highlights, [
      "Home > Kitchen > Mugs",
      "Gifts > Under 20",
    ]);
  });

  test("a value that the field cannot have is refused", () => {
    assert.match(
      refusal({ type: "copy", field: "gtin", from: "title" }) ?? "",
      /^gtin "Mug" has characters other than digits/,
    );
    assert.match(
      refusal({ type: "copy", field: "multipack", from: "brand" }) ?? "",
      /^multipack "Kiln" is not a whole number/,
    );
  });
});

test("template sets a field to a text of several fields, as plain text", () => {
  const item = minimalItem({ brand: "A & B", color: "<i>" });
  assert.equal(
    after({ type: "template", field: "title", text: "{brand} {title} {color} & more" }, item).title,
    "A & B Mug <i> & more",
  );
  assert.equal(after({ type: "template", field: "mpn", text: "{brand}-{id}" }, item).mpn, "A & B-MUG-1");
  assert.equal(after({ type: "template", field: "title", text: "{mpn}" }), MUG, "nothing to write");
});

describe("replace", () => {
  test("every occurrence is replaced, in this case only, as plain text", () => {
    const item = minimalItem({ title: "SALE mug (sale) SALE $&" });
    assert.equal(
      after({ type: "replace", field: "title", find: "SALE", with: "" }, item).title,
      "mug (sale) $&",
    );
    assert.equal(
      after({ type: "replace", field: "title", find: "$&", with: "$1 <b>" }, item).title,
      "SALE mug (sale) SALE $1 <b>",
    );
    assert.equal(after({ type: "replace", field: "title", find: "Sale", with: "x" }, item), item);
    assert.deepEqual(
      after({ type: "replace", field: "categories", find: "Home", with: "House" }).categories?.[0],
      ["House", "Kitchen", "Mugs"],
    );
    assert.equal(after({ type: "replace", field: "link", find: "http://", with: "https://" }), MUG);
  });

  test("a field of which nothing is left is cleared; a required one stays", () => {
    assert.equal(after({ type: "replace", field: "brand", find: "Kiln", with: "" }).brand, undefined);
    assert.match(refusal({ type: "replace", field: "title", find: "Mug", with: "" }) ?? "", /no title/);
  });

  test("a text that grows beyond all bounds is refused", () => {
    const item = minimalItem({ description: "a".repeat(20_000) });
    assert.match(
      refusal({ type: "replace", field: "description", find: "a", with: "b".repeat(1_000) }, item) ?? "",
      /too long/,
    );
  });
});

describe("map", () => {
  const table = { "Home > Kitchen": "674", gifts: "2169" };

  test("the closest path above decides, and the first path with an entry", () => {
    assert.equal(
      after({ type: "map", field: "google_category", from: "categories", table }).googleCategory,
      "674",
    );
    const gift = minimalItem({ categories: [["Toys"], ["Gifts", "Under 20"]] });
    assert.equal(
      after({ type: "map", field: "google_category", from: "categories", table }, gift).googleCategory,
      "2169",
    );
  });

  test("other values get otherwise, or stay", () => {
    const item = minimalItem({ categories: [["Toys"]] });
    const map = { type: "map", field: "google_category", from: "categories", table } as const;
    assert.equal(after(map, item), item);
    assert.equal(after({ ...map, otherwise: "1239" }, item).googleCategory, "1239");
    assert.equal(after({ ...map, otherwise: 1239 }, BARE).googleCategory, "1239");
  });

  test("a field may be mapped to itself, in any case, and names of built-in properties are words like any other", () => {
    const map = { type: "map", field: "color", from: "color", table: { TEAL: "Blue" } } as const;
    assert.equal(after(map).color, "Blue");
    const odd = minimalItem({ brand: "constructor" });
    assert.equal(after({ type: "map", field: "brand", from: "brand", table: { x: "y" } }, odd), odd);
  });
});

describe("clear", () => {
  test("a value is removed", () => {
    assert.equal(after({ type: "clear", field: "brand" }).brand, undefined);
    assert.deepEqual(after({ type: "clear", field: "custom_label2" }).customLabels, ["zero"]);
    assert.deepEqual(after({ type: "clear", field: "additional_images" }).images, [
      "https://shop.example/i/1.jpg",
    ]);
    assert.equal(after({ type: "clear", field: "mpn" }), MUG);
    assert.equal(
      after({ type: "clear", field: "pause" }, minimalItem({ google: { pause: "ads" } })).google,
      undefined,
    );
  });

  test("a value that follows from another one stays", () => {
    assert.match(refusal({ type: "clear", field: "color" }) ?? "", /follows from another value/);
    assert.match(refusal({ type: "clear", field: "availability" }) ?? "", /follows from another value/);
  });
});

describe("add_parameters", () => {
  const parameters = { utm_source: "google", utm_content: "{id}", utm_term: "{mpn}" };

  test("links get the parameters, and an empty template is left out; the canonical link stays", () => {
    const item = minimalItem({
      mobileLink: "https://m.shop.example/?id=1",
      canonicalLink: "https://shop.example/c",
    });
    const { link, mobileLink, canonicalLink } = after({ type: "add_parameters", parameters }, item);
    assert.equal(link, "https://shop.example/p/mug?utm_source=google&utm_content=MUG-1");
    assert.equal(mobileLink, "https://m.shop.example/?id=1&utm_source=google&utm_content=MUG-1");
    assert.equal(canonicalLink, "https://shop.example/c");
  });

  test("a link that becomes too long stays", () => {
    const item = minimalItem({ link: `https://shop.example/${"a".repeat(1_970)}` });
    assert.match(refusal({ type: "add_parameters", parameters }, item) ?? "", /longer than 2,000 characters/);
  });
});

describe("the id in feeds", () => {
  const id = (text: string): RuleAction => ({ type: "template", field: "id", text });

  test("a template makes it; the item keeps its own", () => {
    const item = after(id("shop_DE_{id}"));
    assert.equal(item.id, "MUG-1");
    assert.deepEqual(item.feed, { id: "shop_DE_MUG-1" });
    assert.equal(after(id("{id}")), MUG);
  });

  test("the template must contain the item's own id, and an id that is too long is refused", () => {
    assert.match(problems([rule(id("{sku}"))])[0] ?? "", /^invalid_template .*must contain \{id\}/);
    assert.match(problems([rule(id("{brand}_{id}"))])[0] ?? "", /may contain \{id\} and \{group_id\} only/);
    assert.match(problems([rule(id("{id|truncate:5}"))])[0] ?? "", /must contain \{id\} without a filter/);
    assert.match(problems([rule({ type: "set", field: "id", value: "x" })])[0] ?? "", /^field_not_settable/);
    assert.match(problems([rule(id("a{id}"), { channel: "google" })])[0] ?? "", /same in all feeds/);
    assert.match(refusal(id(`${"x".repeat(200)}{id}`)) ?? "", /longer than 200 characters/);
  });
});

describe("actions that are refused", () => {
  const cases: readonly (readonly [RuleAction, RegExp])[] = [
    [{ type: "set", field: "brandd", value: "x" }, /^unknown_field \/rules\/0\/action\/field/],
    [{ type: "set", field: "group_id", value: "x" }, /^field_not_settable .*Groups come from the source/],
    [
      { type: "set", field: "currency", value: "USD" },
      /^unknown_field .*currency of an item cannot be changed/,
    ],
    [{ type: "set", field: "source", value: "x" }, /^field_not_settable/],
    [{ type: "set", field: "shipping", value: "5" }, /^field_not_settable .*have parts/],
    [{ type: "set", field: "options.Color", value: "x" }, /^field_not_settable/],
    [{ type: "set", field: "structured_title", value: "x" }, /^field_not_settable/],
    [{ type: "set", field: "feed", value: "x" }, /^unknown_field/],
    [{ type: "set", field: "__proto__", value: "x" }, /^unknown_field/],
    [
      { type: "set", field: "condition", value: "shiny" },
      /^invalid_value \/rules\/0\/action\/value condition "shiny"/,
    ],
    [{ type: "set", field: "gtin", value: "123" }, /gtin "123" does not have 8, 12, 13 or 14 digits/],
    [{ type: "set", field: "price", value: "free" }, /The price "free" is not a single number/],
    [{ type: "set", field: "brand", value: "n/a" }, /brand "n\/a" counts as empty/],
    [{ type: "set", field: "brand", value: "" }, /Use the action clear/],
    [{ type: "set", field: "brand", value: ["a"] }, /one value, not a list/],
    [{ type: "set", field: "highlights", value: [] }, /The value is empty/],
    [{ type: "set", field: "image", value: "cat.jpg" }, /image "cat.jpg" is not a web address/],
    [{ type: "set", field: "weight", value: 5 }, /weight "5" has no unit/],
    [{ type: "set", field: "unit_pricing_base_measure", value: "some" }, /unit_pricing_base_measure "some"/],
    [
      { type: "set", field: "brand" },
      /^missing_part \/rules\/0\/action\/value The action set needs field, value/,
    ],
    [{ type: "copy", field: "brand", from: "brand" }, /^no_effect .*copied to itself/],
    [{ type: "copy", field: "brand" }, /^missing_part/],
    [{ type: "replace", field: "price", find: "1", with: "2" }, /replace works on texts/],
    [{ type: "replace", field: "title", find: "", with: "2" }, /find is empty/],
    [{ type: "replace", field: "title", find: "2", with: "2" }, /^no_effect/],
    [{ type: "map", field: "brand", from: "brand", table: {} }, /^no_effect .*table is empty/],
    [
      { type: "map", field: "gender", from: "title", table: { "a/b": "robot" } },
      /^invalid_value \/rules\/0\/action\/table\/a~1b gender "robot"/,
    ],
    [{ type: "default", field: "title", value: "Mug" }, /^no_effect .*Every item has title. Use set/],
    [{ type: "clear", field: "title" }, /Every item needs title/],
    [{ type: "clear", field: "price" }, /Every item needs price/],
    [{ type: "add_parameters", parameters: { "utm source": "x" } }, /^invalid_value .*only letters, digits/],
    [{ type: "add_parameters", parameters: { utm: " " } }, /has no value/],
    [{ type: "exclude", field: "title" }, /^unexpected_part .*has no field. It takes nothing else/],
    [{ type: "set", field: "brand", value: "x", text: "y" }, /^unexpected_part/],
  ];
  for (const [action, pattern] of cases)
    test(JSON.stringify(action), () => {
      assert.match(problems([rule(action)])[0] ?? "accepted", pattern);
    });

  test("an amount in another currency than the catalog's", () => {
    const action: RuleAction = { type: "set", field: "price", value: "5 USD" };
    assert.match(problems([rule(action)], { settings: { currency: "EUR" } })[0] ?? "", /is not in EUR/);
    assert.deepEqual(problems([rule(action)]), []);
  });
});

test("every value of a rule is refused or accepted alike when it is compiled and when it is applied", () => {
  const { refused, item } = applied([
    rule({ type: "set", field: "size_type", value: "tall" }),
    rule({ type: "set", field: "unit_pricing_base_measure", value: "1 l" }, { name: "b" }),
  ]);
  assert.equal(item.sizeType, "tall");
  assert.equal(refused[0]?.rule, "b");
});

describe("Google categories", () => {
  const context = { settings: {}, checksCategories: true };
  const map = { type: "map", field: "google_category", from: "categories" } as const;

  test("an id or path that Google's taxonomy does not have is refused where the rule has it", () => {
    const set = (value: string | number) =>
      problems([rule({ type: "set", field: "google_category", value })], context);
    assert.deepEqual(set("Foo > Bar"), [
      `invalid_value /rules/0/action/value google_category "Foo > Bar" is not in Google's taxonomy. The nearest one is 1179, Hardware > Tools > Pry Bars. Use an id or a full path of the taxonomy.`,
    ]);
    assert.match(set(999_999)[0] ?? "", /^invalid_value \/rules\/0\/action\/value .*"999999" is not in/);
    assert.match(
      problems([rule({ type: "default", field: "google_category", value: "Mugs" })], context)[0] ?? "",
      /^invalid_value .*"Mugs" is not in Google's taxonomy\. The nearest one is 2169,/,
    );
    assert.match(
      problems([rule({ ...map, table: { "Home/Mugs": "2169", Toys: "Foo > Bar" } })], context)[0] ?? "",
      /^invalid_value \/rules\/0\/action\/table\/Toys /,
    );
    assert.match(
      problems([rule({ ...map, table: { Toys: "1239" }, otherwise: "0" })], context)[0] ?? "",
      /^invalid_value \/rules\/0\/action\/otherwise /,
    );
  });

  test("an id, a path in any language, and rules that are in force already are accepted", () => {
    const table = { a: 2169, b: "Furniture > Chairs", c: "Möbel > Stühle" };
    assert.deepEqual(problems([rule({ ...map, table, otherwise: "1239" })], context), []);
    assert.deepEqual(problems([rule({ ...map, table: { a: "Foo > Bar" } })]), []);
  });
});
