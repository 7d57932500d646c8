/** "Try a sync": what a sync would do, before anything is stored. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../actions.ts";
import type { Shop } from "../api/running-api.ts";
import { consoleOfFile, skip } from "./browser.ts";
import type { Visit } from "./browser.ts";
import { crockery } from "./crockery.ts";
import { openNamedShop, stock, sync } from "./stock.ts";

let shop: Shop;
let visit: Visit;
const running = consoleOfFile(async (opened) => {
  shop = await openNamedShop(opened, "Kiln & Co.");
  await sync(shop, crockery());
  visit = await opened.open(`/c/${shop.slug}/sources`);
});

test("a sync is tried: rows, feeds, findings and score, and nothing is stored before it is run", {
  skip,
}, async () => {
  const { page, inspect } = visit;
  const before = (await shop.feeds()).last_render?.run_id;
  const added = crockery()
    .slice(0, 6)
    .map((row) => ({ ...row, id: `NEW-${row["id"]}`, title: `New: ${row["title"]}` }));
  stock(shop, [...crockery({ discount: 0.9, without: 12 }), ...added]);
  await page.getByRole("link", { name: "Kiln & Co." }).click();
  await page.getByRole("button", { name: "Try a sync" }).click();
  await page.getByRole("heading", { level: 1, name: "Dry run of a sync" }).waitFor();
  await page.getByText("Nothing was stored, and the feeds are as they were.").waitFor();
  await page.getByRole("heading", { name: "Removed items" }).waitFor();
  await inspect("sync-plan");
  assert.equal((await shop.feeds()).last_render?.run_id, before);

  await page.getByRole("button", { name: "Sync now" }).click();
  await page.getByRole("heading", { level: 1, name: "Sync of Kiln & Co." }).waitFor();
  await page.getByText("Succeeded", { exact: true }).waitFor();
  await until(async () => (await shop.feeds()).last_render?.run_id !== before, "the render after the sync");
});

test("a source that cannot be read fails the dry run as it would fail the sync", { skip }, async () => {
  const { page, inspect } = visit;
  shop.answers({ kind: "file", body: "down for maintenance", status: 503 });
  await page.goto(`${running.url}/c/${shop.slug}/sources`);
  await page.getByRole("button", { name: "Try a sync" }).click();
  await page.getByText("A dry run changes nothing. The sync itself would fail in the same way.").waitFor();
  await inspect("sync-plan-failed");
});
