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
import { NO_SOURCE } from "./rules/fields.ts";
import { withShopTexts } from "./shop-texts.ts";

const MUG: Item = {
  id: "mug",
  title: "Mug",
  link: "https://shop.example/mug",
  price: { amount: "9.50", currency: "EUR" },
  availability: "in_stock",
  brand: "Kiln",
};

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
  const { item, change } = applyOverlay(now, now, brand, {});
  assert.deepEqual([item, change?.state], [now, "retired"]);
});

test("a retired value is in force again once the source has what it had before, and not sooner", () => {
  const retired = overlay("brand", "Kiln & Co.", { state: "retired", conflictHash: Buffer.alloc(16) });
  const same: Item = { ...MUG, brand: "Kiln & Co." };
  const other: Item = { ...MUG, brand: "Other" };
  const back = applyOverlay(MUG, MUG, retired, {});

  for (const now of [same, other])
    assert.deepEqual(applyOverlay(now, now, retired, {}), { item: now, isIdle: true });
  assert.deepEqual([back.item.brand, back.change], ["Kiln & Co.", { id: "p1", state: "approved" }]);
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
      isIdle: true,
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

test("a change of the text that a value was found in is a conflict, except for what follows the source", () => {
  const source: Item = { ...MUG, title: "Mug by Kiln, 300 ml" };
  const evidence = [{ field: "title", from: 7, to: 11, text: "Kiln" }];
  const now: Item = { ...source, title: "Cup by Kiln, 300 ml" };
  const [brand, price] = [
    overlay("brand", "Kiln & Co.", { evidence }, source),
    overlay("price", "9.00 EUR", { evidence }, source),
  ];

  const { item, change } = applyOverlay(now, now, brand, {});
  const known = { ...brand, state: "conflicted" as const, conflictHash: change?.conflictHash ?? null };

  assert.deepEqual([item.brand, change?.state], ["Kiln & Co.", "conflicted"]);
  assert.equal(applyOverlay(now, now, known, {}).change, undefined);
  assert.deepEqual(applyOverlay(now, now, price, {}), {
    item: now,
    isIdle: true,
    change: { id: "p1", state: "stale" },
  });
  const priced: Item = { ...source, price: { amount: "1.00", currency: "EUR" } };
  assert.equal(applyOverlay(priced, priced, brand, {}).change, undefined);
});

test("a value that was bound to its own field only, by an earlier version, is compared by that", () => {
  const old = overlay("brand", "Kiln & Co.");
  const evidence = [{ field: "title", from: 0, to: 3, text: "Mug" }];
  const now: Item = { ...MUG, title: "Cup" };

  assert.equal(applyOverlay(now, now, { ...old, evidence }, {}).change, undefined);
});

test("an item keeps the shop's texts beside those that a model wrote, and they come back with the rest", () => {
  const ofModel = (field: string, value: string) => overlay(field, value, { isGenerated: true });
  const first = applyOverlay(MUG, MUG, ofModel("description", "A mug for tea."), {}).item;
  const { item } = applyOverlay(first, MUG, ofModel("title", "A mug for you"), {});

  assert.deepEqual([item.title, item.description], ["A mug for you", "A mug for tea."]);
  assert.deepEqual(item.feed, { replaced: { title: "Mug", description: null } });
  const { title, ...rest } = withShopTexts(item);
  assert.deepEqual([title, "description" in rest], ["Mug", false]);
  assert.equal(withShopTexts(MUG), MUG);
});
