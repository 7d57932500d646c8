/** Where the values of an item come from, on its page: the source, a rule, an approved value, and the feeds. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ProposalGroup } from "../../src/contract/proposals.ts";
import { untilRun } from "../actions.ts";
import type { Shop } from "../api/running-api.ts";
import { consoleOfFile, skip } from "./browser.ts";
import { outdoorRows } from "./outdoor-shop.ts";
import { products } from "./sample-feed.ts";
import { openNamedShop, sync } from "./stock.ts";

let shop: Shop;
let itemId: string;
const running = consoleOfFile(async (opened) => {
  shop = await openNamedShop(opened, "Outdoor shop");
  await sync(shop, outdoorRows(24));
  const rules = [
    { name: "Season", channel: "google", action: { type: "set", field: "custom_label0", value: "winter" } },
    { name: "Titles", action: { type: "template", field: "title", text: "{title} (new)" } },
  ];
  await post("/rules", { rules }, "PUT");
  const { run_id: runId } = await post<{ run_id: string }>("/proposals/refresh", {});
  await untilRun(opened.api.db, runId, "succeeded");
  const groups = await shop.call("/api/v1/proposals?field=brand");
  const [group] = (groups.json as { data: { groups: ProposalGroup[] } }).data.groups;
  assert.ok(group, "no proposal for a brand");
  itemId = group.examples[0]?.item_id ?? "";
  await post("/proposals/approve", { group: group.group, expected: group.items });
});

async function post<Data>(path: string, body: object, method: "POST" | "PUT" = "POST"): Promise<Data> {
  const isEmpty = Object.keys(body).length === 0;
  const answer = await shop.call(`/api/v1${path}`, { method, ...(!isEmpty && { body }) });
  assert.ok(answer.status < 300, answer.text);
  return (answer.json as { data: Data }).data;
}

test("each value of an item leads from its source over rules and approved values to the feeds", {
  skip,
}, async () => {
  const { page, inspect } = await running.open(`/c/${shop.slug}/items/${itemId}`);
  const table = page.getByRole("region", { name: "The history of each value of the item" });
  await table.waitFor();
  const row = (name: RegExp) => table.getByRole("row", { name });

  assert.match(await row(/^Brand/).innerText(), /none[\s\S]*Proposal \(brand\)[\s\S]*acp\.csv/);
  assert.match(await row(/^Title/).innerText(), /\(new\)[\s\S]*Titles \(version 1\)/);
  assert.match(await row(/^Custom label 0/).innerText(), /winter[\s\S]*Season \(version 1\) · only Google/);
  const changed = await table.getByRole("row").count();
  await inspect("item-explained");

  await page.getByRole("checkbox", { name: "Only values that were changed on the way" }).uncheck();
  await row(/^price/i).waitFor();
  assert.ok((await table.getByRole("row").count()) > changed);
  await inspect("item-explained-all");
});

test("a value of the source that was dropped is shown with the reason", { skip }, async () => {
  const damaged = await openNamedShop(running, "Barcode shop");
  await sync(damaged, [{ ...products(1)[0], gtin: "4006381333932" }]);
  const [item] = ((await damaged.call("/api/v1/items")).json as { data: { items: { id: string }[] } }).data
    .items;
  const { page } = await running.open(`/c/${damaged.slug}/items/${item?.id}`);

  const table = page.getByRole("region", { name: "The history of each value of the item" });
  await table.getByText(/Note: .*4006381333932.*check digit/).waitFor();
});
