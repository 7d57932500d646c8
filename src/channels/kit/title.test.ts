import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { minimalItem } from "../../../test/item.ts";
import type { Item } from "../../catalog/item.ts";
import { fitTitle, titledItems } from "./title.ts";

const itemOf = (change: Partial<Item>): Item => minimalItem({ title: "Wool scarf", ...change });

function titles(items: readonly Partial<Item>[], isWhole = true): string[] {
  const group = { groupId: "scarf", items: items.map(itemOf), isWhole };
  return titledItems(group).map(({ title: { name, suffix } }) => name + suffix);
}

function full(title: string, ...values: string[]): string {
  const options = values.map((value) => ({ name: "Option", value }));
  return titles([{ title, options }]).join();
}

test("an option value is appended unless the title contains it as a word", () => {
  assert.equal(full("Wool scarf", "Rust", "XL"), "Wool scarf, Rust, XL");
  assert.equal(full("Wool scarf (rust) XL", "Rust", "XL"), "Wool scarf (rust) XL");
  assert.equal(full("Trusty scarf", "Rust"), "Trusty scarf, Rust");
});

test("a mention counts also if an earlier one is part of a longer word", () => {
  assert.equal(full("Rusty scarf in rust", "Rust"), "Rusty scarf in rust");
});

test("words with accents and in other alphabets are recognized", () => {
  assert.equal(full("Écharpe bleuâtre", "Bleu"), "Écharpe bleuâtre, Bleu");
  assert.equal(full("Шарф синий", "синий"), "Шарф синий");
});

test("in scripts without spaces, a mention needs no word boundary", () => {
  assert.equal(full("青いマフラー", "青い"), "青いマフラー");
});

test("a title is never longer than its limit and always ends with short options", () => {
  const anyTitle = fc.string({ unit: "grapheme", minLength: 1, maxLength: 300 });
  fc.assert(
    fc.property(anyTitle, fc.string({ unit: "grapheme", maxLength: 12 }), (name, option) => {
      const suffix = option === "" ? "" : `, ${option}`;
      const fitted = fitTitle({ name, suffix }, 150);
      return (
        Array.from(fitted).length <= 150 && (suffix.length > 75 || fitted.endsWith(suffix) || suffix === "")
      );
    }),
  );
});

test("variants with the same title get the attributes in which they differ", () => {
  assert.deepEqual(
    titles([
      { color: "Rust", size: "One Size", material: "Wool", gender: "female" },
      { color: "Teal", size: "One Size", material: "Wool", gender: "male" },
    ]),
    ["Wool scarf, Rust", "Wool scarf, Teal"],
  );
  assert.deepEqual(
    titles([
      { title: "Rust wool scarf", color: "Rust", size: "M" },
      { title: "Rust wool scarf", color: "Rust", size: "L" },
      { title: "Teal wool scarf", color: "Teal", size: "M" },
    ]),
    ["Rust wool scarf, M", "Rust wool scarf, L", "Teal wool scarf"],
  );
  assert.deepEqual(titles([{ pattern: "Plain" }, { pattern: "Striped" }, {}]), [
    "Wool scarf, Plain",
    "Wool scarf, Striped",
    "Wool scarf",
  ]);
});

test("a title with the values of several variants counts as having none of them", () => {
  assert.deepEqual(
    titles([
      { title: "Scarf S/M/L", size: "S" },
      { title: "Scarf S/M/L", size: "M" },
    ]),
    ["Scarf S/M/L, S", "Scarf S/M/L, M"],
  );
  assert.deepEqual(
    titles([
      { title: "Rust scarf", color: "Rust" },
      { title: "Rust scarf", color: "Teal" },
    ]),
    ["Rust scarf", "Rust scarf, Teal"],
  );
});

test("attributes are appended after the options if the titles are still equal", () => {
  const options = [{ name: "Gift wrap", value: "Yes" }];
  assert.deepEqual(
    titles([
      { options, color: "Rust" },
      { options, color: "Teal" },
    ]),
    ["Wool scarf, Yes, Rust", "Wool scarf, Yes, Teal"],
  );
});

test("titles that differ and items without a group get no attributes, and filler words are not appended", () => {
  assert.deepEqual(
    titles([
      { title: "Scarf one", color: "Rust" },
      { title: "Scarf two", color: "Teal" },
    ]),
    ["Scarf one", "Scarf two"],
  );
  assert.deepEqual(titles([{ color: "Rust" }]), ["Wool scarf"]);
  assert.deepEqual(titles([{ color: "n/a" }, { color: "Teal" }]), ["Wool scarf", "Wool scarf, Teal"]);
  const alone = {
    groupId: null,
    items: [itemOf({ color: "Rust" }), itemOf({ color: "Teal" })],
    isWhole: true,
  };
  assert.deepEqual(
    titledItems(alone).map(({ title }) => title.suffix),
    ["", ""],
  );
});

test("in a group that is rendered in parts, an item's title depends only on the item", () => {
  const rust = { color: "Rust", size: "M" };
  const teal = { color: "Teal", size: "M" };
  const chosen = { ...rust, options: [{ name: "Size", value: "M" }] };
  const alone = [rust, teal, chosen].flatMap((item) => titles([item], false));
  assert.deepEqual(alone, ["Wool scarf, Rust, M", "Wool scarf, Teal, M", "Wool scarf, M"]);
  assert.deepEqual(titles([rust, teal, chosen], false), alone);
});

test("two options with one value are both appended", () => {
  assert.equal(full("Jeans", "32", "32"), "Jeans, 32, 32");
});
