import assert from "node:assert/strict";
import { test } from "node:test";
import { isBrandFiller, isColorFiller, isDummyText, isMeaningful, isPlaceholder } from "./filler-words.ts";

test("filler words are recognized in any case, and only as the whole value", () => {
  for (const word of ["n/a", "N/A", "None", "UNKNOWN", "null", "undefined", "tbd", "-", "na"])
    assert.ok(isPlaceholder(word), word);
  for (const word of ["", "Nana", "None of them", "Unknown Pleasures", "Tbilisi", "Fjellgarn"])
    assert.ok(!isPlaceholder(word), word);
  assert.ok(!isMeaningful(undefined) && !isMeaningful("n/a") && isMeaningful("Fjellgarn"));
});

test("dummy texts are recognized, and similar real names are not", () => {
  for (const text of [
    "Item 1",
    "item #12",
    "Product 7",
    "Test product",
    "Sample product 3",
    "Product title",
    "Artikel Nr. 4711",
    "Description of item 1",
    "This is a test product.",
    "Product A",
    "test",
    "Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor incididunt.",
  ])
    assert.ok(isDummyText(text), text);
  for (const text of [
    "Untitled",
    "Test Tube Rack",
    "Barstool",
    "Foo Fighters T-shirt",
    "Sample of oak, 10 x 10 cm",
    "Productivity Planner",
    "Item Tracker Tag",
    "Text Book",
    "Description du Monde",
    "Number 7 Chair",
  ])
    assert.ok(!isDummyText(text), text);
});

test("filler words in place of a brand are recognized", () => {
  for (const word of ["Generic", "no brand", "Does not exist"]) assert.ok(isBrandFiller(word), word);
  for (const word of ["Genericon", "No Brand Studios", "Deuter"]) assert.ok(!isBrandFiller(word), word);
});

test("filler words in place of a color are recognized; a single Chinese character is a color", () => {
  for (const word of ["Multicolor", "various", "#ffeedd", "12", "R", "n/a", "See image"])
    assert.ok(isColorFiller(word), word);
  for (const word of ["Red", "Multicolor red", "紅", "Sand", "Mint", "12 shades of grey"])
    assert.ok(!isColorFiller(word), word);
});
