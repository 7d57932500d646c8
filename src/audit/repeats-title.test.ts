import assert from "node:assert/strict";
import { test } from "node:test";
import { repeatsTitle } from "./repeats-title.ts";

const TITLE = "Oak Stool, Oiled";

test("a copy of the title, a part of it, and it with a few words say nothing more than the title", () => {
  for (const description of [
    TITLE,
    "oak stool - OILED.",
    "Oak stool",
    "Oak Stool, Oiled | Shop Example",
    "Buy Oak Stool, Oiled at our shop!",
    "…",
  ])
    assert.ok(repeatsTitle(TITLE, description), description);
});

test("a sentence of its own is a description, however short", () => {
  for (const description of [
    "Three legs, 45 cm high.",
    "Oak Stool, Oiled. Three turned legs, 45 cm high, made in Bergen.",
    "A stool.",
  ])
    assert.ok(!repeatsTitle(TITLE, description), description);
});

test("titles in other scripts are compared as well", () => {
  assert.ok(repeatsTitle("木製スツール", "木製スツール。"));
  assert.ok(!repeatsTitle("木製スツール", "高さ四十五センチの三本脚の椅子です。"));
});
