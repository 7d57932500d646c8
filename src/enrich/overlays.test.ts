/** Approved values and what the source has now. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { channelView } from "../catalog/channel-view.ts";
import type { Item } from "../catalog/item.ts";
import { basisHash } from "./basis.ts";
import { applyOverlay, type Overlay } from "./overlays.ts";
import { applyRules } from "./rules/apply.ts";
import { compileRules } from "./rules/compile.ts";
import { fieldNamed } from "./rules/field-names.ts";

const MUG: Item = {
  id: "mug",
  title: "Mug",
  link: "https://shop.example/mug",
  price: { amount: "9.50", currency: "EUR" },
  availability: "in_stock",
  brand: "Kiln",
};
const NO_SOURCE = { id: null, name: null };

function overlay(field: string, value: string, more: Partial<Overlay> = {}, source = MUG): Overlay {
  const known = fieldNamed(field);
  assert.ok(known);
  const basis = { evidence: more.evidence ?? [], siblingBody: more.siblingBody ?? null };
  return {
    id: "p1",
    field,
    value,
    sourceHash: basisHash(source, known, basis),
    conflictHash: null,
    state: "approved",
    isGenerated: false,
    ...basis,
    ...more,
  };
}

test("a value holds while the source has what it had, and retires when the source has it itself", () => {
  const brand = overlay("brand", "Kiln & Co.");
  const held = applyOverlay(MUG, MUG, brand, {});
  const now: Item = { ...MUG, brand: "Kiln & Co." };

  assert.deepEqual([held.item.brand, held.change], ["Kiln & Co.", undefined]);
  assert.deepEqual(applyOverlay(now, now, brand, {}), { item: now, change: { id: "p1", state: "retired" } });
});

test("if the source has another value, a text stays and is in conflict, until the source goes back", () => {
  const now: Item = { ...MUG, brand: "Other" };
  const { item, change } = applyOverlay(now, now, overlay("brand", "Kiln & Co."), {});
  const back = applyOverlay(MUG, MUG, overlay("brand", "Kiln & Co.", { state: "conflicted" }), {});

  assert.deepEqual([item.brand, change?.state], ["Kiln & Co.", "conflicted"]);
  assert.deepEqual([back.item.brand, back.change], ["Kiln & Co.", { id: "p1", state: "approved" }]);
});

test("a newer price, availability or link of the source is never hidden by an approved one", () => {
  const now: Item = {
    ...MUG,
    price: { amount: "8.00", currency: "EUR" },
    availability: "out_of_stock",
    link: "https://shop.example/new",
  };
  for (const [field, value] of [
    ["price", "9.00 EUR"],
    ["availability", "preorder"],
    ["link", "https://shop.example/x"],
  ] as const)
    assert.deepEqual(applyOverlay(now, now, overlay(field, value), {}), {
      item: now,
      change: { id: "p1", state: "stale" },
    });
});

test("an approved value wins over a rule, also in a channel for which the rule set the field", () => {
  const rules = compileRules(
    {
      rules: [
        { name: "Google", channel: "google", action: { type: "set", field: "title", value: "For Google" } },
      ],
    },
    { settings: {} },
  );
  assert.equal(rules.kind, "compiled");
  const { item: ruled } = applyRules(MUG, rules.compiled, NO_SOURCE);
  const { item } = applyOverlay(ruled, MUG, overlay("title", "Approved mug"), {});

  assert.equal(channelView(ruled, "google").title, "For Google");
  assert.equal(channelView(item, "google").title, "Approved mug");
  assert.equal(channelView(item, "openai").title, "Approved mug");
});

test("a text that a model wrote is structured for Google, also if a rule sets another attribute for Google", () => {
  const rules = compileRules(
    { rules: [{ name: "Pause", channel: "google", action: { type: "set", field: "pause", value: "ads" } }] },
    { settings: {} },
  );
  assert.equal(rules.kind, "compiled");
  const { item: ruled } = applyRules(MUG, rules.compiled, NO_SOURCE);
  const { item } = applyOverlay(ruled, MUG, overlay("title", "A mug for you", { isGenerated: true }), {});

  const { google } = channelView(item, "google");
  assert.deepEqual(google, {
    structured_title: [{ digital_source_type: "trained_algorithmic_media", content: "A mug for you" }],
    pause: "ads",
  });
});
