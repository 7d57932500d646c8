import assert from "node:assert/strict";
import { test } from "node:test";
import { assertAll } from "../../test/assert-cases.ts";
import { isBrandFiller, isColorFiller, isDummyText, isMeaningful, isPlaceholder } from "./filler-words.ts";

test("filler words are recognized in any case, and only as the whole value", () => {
  assertAll(isPlaceholder, true, ["n/a", "N/A", "None", "UNKNOWN", "null", "undefined", "tbd", "-", "na"]);
  assertAll(isPlaceholder, false, ["", "Nana", "None of them", "Unknown Pleasures", "Tbilisi", "Fjellgarn"]);
  assert.ok(!isMeaningful(undefined) && !isMeaningful("n/a") && isMeaningful("Fjellgarn"));
});

test("dummy texts are recognized, and similar real names are not", () => {
  assertAll(isDummyText, true, [
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
  ]);
  assertAll(isDummyText, false, [
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
  ]);
});

test("filler words in place of a brand are recognized", () => {
  assertAll(isBrandFiller, true, ["Generic", "no brand", "Does not exist", "Не указан", "Sans marque"]);
  assertAll(isBrandFiller, false, ["Genericon", "No Brand Studios", "Deuter"]);
});

test("filler words in place of a color are recognized; a single Chinese character is a color", () => {
  assertAll(isColorFiller, true, ["Multicolor", "various", "#ffeedd", "12", "R", "n/a", "See image"]);
  assertAll(isColorFiller, false, ["Red", "Multicolor red", "紅", "Sand", "Mint", "12 shades of grey"]);
});
