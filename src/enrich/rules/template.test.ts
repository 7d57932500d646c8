import assert from "node:assert/strict";
import { test } from "node:test";
import { minimalItem } from "../../../test/item.ts";
import type { Item } from "../../catalog/item.ts";
import { MUG, problems, rule, SHOP } from "./rules.fixture.ts";
import { compileTemplate } from "./template.ts";

const rendered = (text: string, item: Item = MUG): string => compileTemplate(text, "").render(item, SHOP);

test("values are put in place of their names", () => {
  assert.equal(rendered("{brand} {title} {color}"), "Kiln Mug Teal");
  assert.equal(rendered("{ brand }/{id}: {price}"), "Kiln/MUG-1: 19.90 EUR");
  assert.equal(
    rendered("{options.Color} from {source}, {categories}"),
    "Teal from Main shop, Home > Kitchen > Mugs, Gifts > Under 20",
  );
  assert.equal(rendered("#{quantity}!"), "#5!");
});

test("a missing value disappears with the separators and brackets around it", () => {
  const bare = minimalItem();
  const cases: readonly (readonly [string, string])[] = [
    ["{brand} {title} {color}", "Mug"],
    ["{brand} - {title}", "Mug"],
    ["{title} - {color} / {size}", "Mug"],
    ["{title} - {color} / {id}", "Mug - MUG-1"],
    ["{title} ({color})", "Mug"],
    ["{title} ({color}, {id})", "Mug (MUG-1)"],
    ["{title} ({color}) {id}", "Mug MUG-1"],
    ["({color}) {title}", "Mug"],
    ["{title}, {color}!", "Mug"],
    ["{title}, {id}!", "Mug, MUG-1!"],
    ["{brand}: {color}", ""],
    ["Brand: {brand}", ""],
    ["{title} | Kiln & Co.", "Mug | Kiln & Co."],
    ["{color} | Kiln & Co. | {title}", "Kiln & Co. | Mug"],
  ];
  for (const [text, expected] of cases) assert.equal(rendered(text, bare), expected, text);
});

test("an optional part appears only with all its values", () => {
  assert.equal(rendered("{title}[, size {size}] by {brand}"), "Mug by Kiln");
  assert.equal(rendered("{title}[, color {color}] by {brand}"), "Mug, color Teal by Kiln");
  assert.equal(rendered("{title}[ ({color} {size})]"), "Mug (Teal)");
  assert.equal(rendered("{title}[ {color} {size}]"), "Mug");
});

test("doubled braces and brackets are the characters themselves; a lone ) is one too", () => {
  assert.equal(rendered("{{{title}}} [[{id}]] :) (new)"), "{Mug} [MUG-1] :) (new)");
});

test("filters shorten, change case, and leave out what another field says already", () => {
  assert.equal(rendered("{description|truncate:8}"), "A mug.");
  assert.equal(rendered("{brand|upper} {title|lower}"), "KILN mug");
  assert.equal(rendered("{brand|unless_in:title} {title}"), "Kiln Mug");
  assert.equal(rendered("{brand|unless_in:title} {title}", { ...MUG, title: "KILN mug" }), "KILN mug");
  assert.equal(
    rendered("{brand|unless_in:title} {title}", { ...MUG, title: "Kilnhouse mug" }),
    "Kiln Kilnhouse mug",
  );
});

test("a template that cannot be read is refused with a sentence", () => {
  const refused = (text: string) =>
    problems([rule({ type: "template", field: "title", text })])[0] ?? "accepted";
  const cases: readonly (readonly [string, RegExp])[] = [
    ["{tittle}", /^unknown_field \/rules\/0\/action\/text There is no field "tittle". Did you mean title\?/],
    ["{title", /has a \{ without its counterpart. Write \{\{ for the character itself/],
    ["title}", /has a \} without/],
    ["{title} [", /has a \[ without/],
    ["{title}]", /has a \] without/],
    ["({title}", /has a \( without its counterpart.$/],
    ["([{title})]", /has a [([] without/],
    ["Mug", /has no field, such as \{title\}. Use the action set/],
    ["", /has no field/],
    ["{}", /^unknown_field/],
    [
      "{title|shorten:5}",
      /There is no filter "shorten". Use lower, upper, title, sentence, truncate, unless_in/,
    ],
    ["{title|constructor}", /There is no filter "constructor"/],
    ["{title|truncate}", /truncate needs a number/],
    ["{title|truncate:0}", /truncate needs a number/],
    ["{title|unless_in:nothing}", /There is no field "nothing"/],
    ["(((((({title}))))))", /more than 4 deep/],
  ];
  for (const [text, pattern] of cases) assert.match(refused(text), pattern, text);
});
