/** The history of runs, and single runs: ledger, rejections, failures, cancel. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { heldFeed } from "../fakes/held-feed.ts";
import { csvOf } from "../fakes/shop.ts";
import type { Shop } from "../api/running-api.ts";
import { consoleOfFile, skip } from "./browser.ts";
import { faultyProducts, products } from "./sample-feed.ts";
import { openNamedShop, sync } from "./stock.ts";

const running = consoleOfFile();

/** A shop with a first sync, one with rejections, one that failed, and a push. */
async function shopWithHistory(): Promise<Shop> {
  const shop = await openNamedShop(running, "Kiln web shop");
  const all = products(240);
  await sync(shop, all.slice(0, 200));
  shop.answers({ kind: "file", status: 404, body: "" });
  assert.equal((await shop.sync()).status, 422);
  const push = await shop.call("/api/v1/catalog", {
    method: "PUT",
    headers: { "content-type": "text/csv" },
    body: csvOf(all.slice(230).map((product) => ({ ...product, id: `pushed-${product["id"]}` }))),
  });
  assert.equal(push.status, 200);
  await sync(shop, [...all.slice(8), ...faultyProducts()]);
  return shop;
}

test("the history leads from a run to its ledger, its rejections, their table and the render", {
  skip,
}, async () => {
  const shop = await shopWithHistory();
  const { page, inspect } = await running.open(`/c/${shop.slug}/runs`);
  await page.locator(".run").first().waitFor();
  assert.equal(await page.locator(".run").count(), 4);
  await inspect("runs");

  await page.getByLabel("Status").selectOption("failed");
  await page.waitForURL(/status=failed/);
  await page.locator(".run").nth(1).waitFor({ state: "detached" });
  assert.match(await page.locator(".run").innerText(), /404/);
  await page.getByLabel("Source").selectOption("pushed");
  await page.getByText("No run matches these filters.").waitFor();
  await inspect("runs-none-found");
  await page.getByRole("link", { name: "Show all runs" }).click();
  await page.locator(".run").nth(3).waitFor();

  await page.locator(".run a").first().click();
  await page.getByRole("heading", { name: "The render after it" }).waitFor();
  await page.locator(".ledger").waitFor();
  const numbers = await page.locator(".ledger dd").allInnerTexts();
  const [seen = 0, ...parts] = numbers.map((number) => Number(number.replaceAll(",", "")));
  assert.equal(seen, 292);
  assert.equal(
    parts.reduce((sum, part) => sum + part, 0),
    seen,
  );
  await inspect("run");

  await page.getByRole("link", { name: "missing_price" }).click();
  await page.waitForURL(/code=missing_price/);
  await page.getByLabel("Search item, field or message").fill("MUG-1-clay");
  await page.waitForURL(/q=MUG/);
  const list = page.getByRole("region", { name: "Rejections and warnings with their messages" });
  await list.locator("tbody tr").nth(1).waitFor({ state: "detached" });
  assert.match(await list.locator("tbody").innerText(), /old-stoneware-mug-1-clay/);
  const downloading = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download as CSV" }).click();
  const table = await readFile(await (await downloading).path(), "utf8");
  assert.match(table, /^kind,item_id,position,field,code,message\r\nrejection,old-stoneware-mug-1-clay,/);
  assert.equal(table.trim().split("\n").length, 2);
  await page.getByLabel("Search item, field or message").fill("nothing like this");
  await page.getByText("No message matches these filters.").waitFor();
});

test("a running sync is followed live and canceled, and its failure says what to do", { skip }, async () => {
  await using feed = await heldFeed(csvOf(products(3)));
  const shop = await running.api.openShop([], feed.url);
  const { page, inspect } = await running.open(`/c/${shop.slug}/runs`);
  await page.getByText("Nothing has run yet.").waitFor();
  await inspect("runs-empty");

  await shop.sync({ prefer: "respond-async" });
  await feed.asked;
  await page.getByText("Reading the source").waitFor();
  await inspect("runs-running");
  await page.locator(".run a").click();
  await page.getByRole("progressbar").waitFor();
  await inspect("run-running");
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("dialog").waitFor();
  await page.getByRole("button", { name: "Keep it running" }).and(page.locator(":focus")).waitFor();
  await inspect("run-cancel");
  await page.getByRole("button", { name: "Cancel the run" }).click();
  await page.getByRole("alert").waitFor();
  assert.match(await page.getByRole("alert").innerText(), /was canceled[\s\S]*What to do:[\s\S]*canceled/);
  await page.getByRole("progressbar").waitFor({ state: "detached" });
  await page.getByText("Canceled", { exact: true }).waitFor();
  await inspect("run-canceled");
  for (const path of ["/runs", "/sources", ""]) {
    await page.goto(`${running.url}/c/${shop.slug}${path}`);
    await page.getByText("Canceled", { exact: true }).waitFor();
  }
});

test("renders are in the history, and lists say that they load or why they fail", { skip }, async () => {
  const shop = await running.api.openShop();
  const rows = products(12).map((product, index) =>
    index < 4 ? { ...product, brand: "", gtin: "" } : product,
  );
  await sync(shop, rows);
  const { page, inspect } = await running.open(`/c/${shop.slug}/runs?kind=render`);
  await page.locator(".run a").click();
  await page.getByRole("heading", { name: "Why items will be refused or are left out" }).waitFor();
  // The title comes with the data, and the heading keeps the focus.
  assert.equal(await page.locator("h1:focus").innerText(), "Render");
  await inspect("run-render");
  await page.getByRole("link", { name: "the run before it" }).click();
  await page.getByRole("heading", { name: "Sync of feed_url" }).waitFor();

  await page.goto(`${running.url}/c/${shop.slug}/runs/01a1dd17-9f27-78f6-9abd-d1a8ebaea6ff`);
  await page.getByText("There is no such run.").waitFor();
  await inspect("run-unknown");

  const answered = Promise.withResolvers<void>();
  await page.route("**/api/v1/runs?*", async (route) => {
    await answered.promise;
    await route.abort();
  });
  await page.goto(`${running.url}/c/${shop.slug}/runs`);
  // Before the heading there is the same word for the whole page.
  await page.locator("h1").waitFor();
  await page.getByText("Loading…").waitFor();
  await inspect("runs-loading");
  answered.resolve();
  await page.getByRole("alert").waitFor();
  await inspect("runs-failing");
});

test("a refused removal is accepted once from the run that failed, whose ledger adds up", {
  skip,
}, async () => {
  const shop = await openNamedShop(running, "Kiln outlet");
  await sync(shop, products(60));
  shop.answers({ kind: "file", body: csvOf([...products(12), ...faultyProducts().slice(0, 3)]) });
  const refused = await shop.sync();
  assert.equal(refused.status, 422);
  const { page, inspect } = await running.open(`/c/${shop.slug}/runs`);
  await page.locator(".run a").first().click();
  await page.locator(".ledger").waitFor();
  const [seen = 0, notStored = 0, rejected = 0] = (await page.locator(".ledger dd").allInnerTexts()).map(
    Number,
  );
  assert.equal(seen, notStored + rejected);
  await inspect("run-refused");

  await page.getByRole("button", { name: "Sync now and accept the removal…" }).click();
  await page.getByRole("button", { name: "Sync, and remove what the shop no longer has" }).click();
  await page.getByText(/Removed because the source no longer has them: \d/).waitFor();

  await page.goto(`${running.url}/c/${shop.slug}/sources`);
  await page.getByText("Needs attention").waitFor();
  await page.getByText(/3 of 15 rows of the last sync of "Kiln outlet" were rejected/).waitFor();
});
