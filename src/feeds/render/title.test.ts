import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { fitTitle, titleOf } from "./title.ts";

function full(title: string, ...values: string[]): string {
  const options = values.map((value) => ({ name: "Option", value }));
  const { name, suffix } = titleOf({
    id: "1",
    title,
    link: "https://shop.example/",
    price: { amount: "1.00", currency: "USD" },
    availability: "in_stock",
    options,
  });
  return name + suffix;
}

test("an option value is appended unless the title has it as a word of its own", () => {
  assert.equal(full("Wool scarf", "Rust", "XL"), "Wool scarf, Rust, XL");
  assert.equal(full("Wool scarf (rust) XL", "Rust", "XL"), "Wool scarf (rust) XL");
  assert.equal(full("Trusty scarf", "Rust"), "Trusty scarf, Rust");
});

test("a later mention counts when an earlier one is part of a word", () => {
  assert.equal(full("Rusty scarf in rust", "Rust"), "Rusty scarf in rust");
});

test("accents and other alphabets have words too", () => {
  assert.equal(full("Écharpe bleuâtre", "Bleu"), "Écharpe bleuâtre, Bleu");
  assert.equal(full("Шарф синий", "синий"), "Шарф синий");
});

test("scripts without spaces need no gap around a mention", () => {
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
