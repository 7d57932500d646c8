import assert from "node:assert/strict";
import { test } from "node:test";
import { minimalItem } from "../../test/item.ts";
import { channelView } from "./channel-view.ts";
import { encodeItem } from "./item.ts";
import { patchItem } from "./patch.ts";

const MUG = minimalItem({ brand: "Kiln", color: "Teal" });

test("an item that no rule has changed is its own view", () => {
  assert.equal(channelView(MUG, "google"), MUG);
  const other = { ...MUG, feed: { values: { openai: { brand: "Oven" } } } };
  assert.equal(channelView(other, "google"), other);
});

test("the view has the id of the feeds, the channel's values, and lacks what the channel clears", () => {
  const feed = {
    id: "shop-MUG-1",
    values: { google: { title: "Kiln mug", mpn: "M-1", color: null }, openai: { title: "Other" } },
  };
  const item = { ...MUG, feed };

  const view = channelView(item, "google");

  const { color: _, ...rest } = MUG;
  assert.deepEqual(view, { ...rest, id: "shop-MUG-1", title: "Kiln mug", mpn: "M-1", feed });
  assert.equal(channelView(item, "schema_org").id, "shop-MUG-1");
  assert.equal(channelView(item, "schema_org").title, "Mug");
});

test("the fields of a view are in the order of every other item", () => {
  const view = channelView({ ...MUG, feed: { values: { google: { mpn: "M-1" } } } }, "google");
  const { feed: _, ...fields } = view;

  assert.equal(
    encodeItem(fields).body,
    encodeItem(minimalItem({ mpn: "M-1", brand: "Kiln", color: "Teal" })).body,
  );
});

test("a patch keeps what rules have set for the feeds, and a draft cannot set it", () => {
  const stored = { ...MUG, feed: { id: "shop-MUG-1" } };
  const draft = { brand: "Oven", feed: { id: "stolen" } };

  const result = patchItem(stored, { draft, cleared: [] }, { position: 1, settings: {} });

  assert.ok(result.kind === "item");
  assert.deepEqual(result.item, { ...stored, brand: "Oven" });
  assert.equal(Object.keys(result.item).at(-1), "feed");
});
