/** The example of docs/add-a-channel.md, as a reader would write it down. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { docExample } from "../../test/doc-example.ts";
import type { Item } from "../catalog/item.ts";
import type { Channel } from "./channel.ts";

const mug = (id: string, amount: string): Item => ({
  id,
  title: 'The "best" mug',
  link: "https://shop.example/mug",
  price: { amount, currency: "USD" },
  availability: "in_stock",
  options: [{ name: "Color", value: "Teal" }],
});

test("the example channel in docs/add-a-channel.md renders the documented output", async () => {
  await using example = await docExample("docs/add-a-channel.md");
  const { simpleCsv } = (await example.import("src/channels/simple/channel.ts")) as { simpleCsv: Channel };
  const now = new Date("2026-11-14T10:00:00.000Z");
  const context = { catalog: { slug: "shop", name: "Shop" }, settings: {}, asOf: now, snapshotAt: now };
  const writer = simpleCsv.open(context);
  const { text, written, refusals } = writer.group({
    groupId: "MUG",
    isWhole: true,
    items: [mug("M-1", "18.00"), mug("M-2", "0.00")],
  });

  assert.equal(
    writer.head() + text,
    'id,title,price,brand\n"M-1","The ""best"" mug, Teal","18.00 USD",""\n"M-2","The ""best"" mug, Teal","0.00 USD",""\n',
  );
  assert.deepEqual([written, refusals.map(({ code }) => code)], [2, ["price_not_positive"]]);
});
