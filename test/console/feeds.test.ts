/** Feeds: what is in each file, what is not and why, its history, and its URL. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { FeedFileName } from "../../src/contract/feeds.ts";
import type { Shop } from "../api/running-api.ts";
import { consoleOfFile, skip } from "./browser.ts";
import type { Visit } from "./browser.ts";
import { crockery } from "./crockery.ts";
import { sync } from "./stock.ts";

let shop: Shop;
let visit: Visit;
const running = consoleOfFile(async (opened) => {
  shop = await opened.api.openShop();
  for (const without of [120, 60, 0]) await sync(shop, crockery({ without }));
  await shop.fetch("gmc.tsv", GOOGLE);
  visit = await opened.open(`/c/${shop.slug}/feeds`);
});

const GOOGLE = { headers: { "user-agent": "Googlebot/2.1" } };
const go = async (path: string) => visit.page.goto(`${running.url}/c/${shop.slug}/feeds${path}`);
const shown = async () => visit.page.locator("main").innerText();

test("the list has the figures of the four files, and every file's URL can be copied", { skip }, async () => {
  const { page, inspect } = visit;
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  const row = page.getByRole("row", { name: /^gmc\.tsv/ });
  await row.waitFor();
  assert.match(await row.innerText(), /237\s+10\s+[\d.]+ kB/);

  await row.getByRole("button", { name: "Copy URL" }).click();
  const copied = await page.evaluate<string>("navigator.clipboard.readText()");
  assert.equal(copied, (await shop.feeds()).feeds.find(({ file }) => file === "gmc.tsv")?.url);
  await inspect("feeds");

  // As on plain http, where the clipboard is missing.
  await page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })");
  await row.getByRole("button", { name: "Copy URL" }).click();
  await row.getByText("Copied").waitFor();
  await page.evaluate("document.execCommand = () => false");
  const other = page.getByRole("row", { name: /^acp\.csv/ });
  await other.getByRole("button", { name: "Copy URL" }).click();
  await page.getByRole("dialog").getByText("press Ctrl+C").waitFor();
  assert.match(await page.evaluate<string>("getSelection().toString()"), /^http.*acp\.csv$/);
  await inspect("feeds-copy-by-hand");
  await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
  await page.reload();

  await page.getByText("OpenAI (ChatGPT)").click();
  assert.match(await shown(), /Does not fetch URLs/);
  await page.getByText("Google Merchant Center", { exact: true }).click();
  await inspect("feeds-destinations");
});

test("each file is shown as a table and as text", { skip }, async () => {
  const { page, inspect } = visit;
  const files: readonly FeedFileName[] = ["acp.csv", "acp.json", "gmc.tsv", "jsonld.json"];
  for (const file of files) {
    await go(`/${file}`);
    await page.getByRole("row", { name: /KC-1236/ }).waitFor();
    const ids = await page.locator(".preview-table tbody th").allInnerTexts();
    assert.equal(ids.length, 25, file);
    assert.ok(
      ids.every((id) => /^KC-\d{4}/.test(id)),
      ids.join(),
    );
    assert.match(await page.getByRole("row", { name: /KC-1236/ }).innerText(), /Cake stand in black, small/);
  }
  await inspect("feed");
  await go("/gmc.tsv");
  await page.getByLabel("Show as").selectOption("Text");
  const text = await page.locator("pre").innerText();
  assert.match(page.url(), /as=text/);
  const whole = (await shop.fetch("gmc.tsv", GOOGLE)).text;
  assert.ok(whole.startsWith(text.slice(0, 60_000)));
  assert.ok(text.length <= 64 * 1024);
  await inspect("feed-text");
});

test("reasons lead to the items that will be refused, which can be searched and downloaded", {
  skip,
}, async () => {
  const { page, check, inspect } = visit;
  await go("/acp.csv");
  await page.getByRole("link", { name: "Refused or left out (18)" }).click();
  await page
    .getByText("18 of 237 items will be refused by the platform. The file has them all the same.")
    .waitFor();
  assert.match(await page.getByRole("row", { name: /Missing brand/ }).innerText(), /12\s+Set the catalog/);
  await inspect("feed-refused");

  await page.getByRole("link", { name: "Missing brand", exact: true }).click();
  await page.getByRole("row", { name: /KC-1004/ }).waitFor();
  assert.equal(await page.locator("tbody tr").count(), 12);
  await inspect("feed-refused-items");
  const waiting = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download as CSV" }).click();
  const { text } = await streamText(await (await waiting).createReadStream());
  assert.equal(text.trim().split("\r\n").length, 13);

  await page.getByLabel("Search").fill("KC-1024");
  await page.waitForURL(/q=KC-1024/);
  await page.getByRole("row", { name: /KC-1004/ }).waitFor({ state: "detached" });
  assert.equal(await page.locator("tbody tr").count(), 1);
  await page.getByLabel("Search").fill("nothing like this");
  await page.getByText("No item matches.").waitFor();
  await check("feed-refused-none");
  await page.getByRole("link", { name: "Show all" }).click();
  await page.getByRole("link", { name: "KC-1004" }).click();
  await page.waitForURL(/\/items\/KC-1004$/);
});

test("the history has the items and the size of every render", { skip }, async () => {
  const { page, inspect } = visit;
  await go("/gmc.tsv?view=history");
  await page.getByRole("img", { name: /Items in the file: 11\d → 237/ }).waitFor();
  await page.getByRole("img", { name: /Size of the file: .* → .* kB/ }).waitFor();
  assert.equal(await page.locator("tbody tr").count(), 3);
  assert.match(
    await page.locator("tbody tr").first().innerText(),
    /a sync\s+237\s+10\s+[\d.]+ kB\s+Changed\s+Current/,
  );
  await inspect("feed-history");
});

test("new URLs replace the old ones after the time that was chosen", { skip }, async () => {
  const { page, check, inspect } = visit;
  const before = await shop.feeds();
  await go("");
  await page.getByRole("button", { name: "Change the URLs" }).click();
  await page.getByRole("dialog").waitFor();
  await inspect("feeds-rotate");
  await page.getByLabel("The old URLs work for another").selectOption("30 days");
  await page.getByRole("dialog").getByRole("button", { name: "Change the URLs" }).click();

  await page
    .getByText(/The previous URLs work until .* \(in 1 month/)
    .first()
    .waitFor();
  const between = await shop.feeds();
  assert.notEqual(between.feeds[0]?.url, before.feeds[0]?.url);
  const days = (Date.parse(between.previous_until ?? "") - Date.now()) / 86_400_000;
  assert.ok(days > 29.9 && days <= 30, String(days));
  await check("feeds-rotated");
  await go("/gmc.tsv");
  await page.getByRole("row", { name: /KC-1236/ }).waitFor();

  // Looking at the preview is no fetch.
  await go("");
  await page.getByRole("row", { name: /gmc\.tsv.*by Google/ }).waitFor();
  assert.equal(await page.getByRole("row", { name: /not seen/ }).count(), 3);

  // During the overlap only a change at once is possible.
  await page.getByRole("button", { name: "Change the URLs" }).click();
  await page.getByText(/can only change the URLs at once/).waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Change the URLs" }).click();
  await page
    .getByText(/The previous URLs work until/)
    .first()
    .waitFor({ state: "detached" });
  assert.equal((await shop.feeds()).previous_until, undefined);
});

test("a catalog without a render says what to do; a key that may only read says so", { skip }, async () => {
  const empty = await running.api.createCatalog({ slug: "new-shop", name: "New shop" });
  const { page, inspect } = visit;
  await page.goto(`${running.url}/c/new-shop/feeds`);
  await page.getByRole("link", { name: "Connect a shop" }).waitFor();
  await inspect("feeds-empty");
  await page.goto(`${running.url}/c/new-shop/feeds/acp.csv`);
  await page.getByText(/made after the first sync/).waitFor();
  await inspect("feed-empty");

  const reader = await running.visit();
  await reader.page.goto(running.url);
  await reader.page.getByLabel("API key").fill(empty.readKey);
  await reader.page.keyboard.press("Enter");
  await reader.page.getByRole("heading", { name: "Catalogs" }).waitFor();
  await reader.page.goto(`${running.url}/c/new-shop/feeds`);
  await reader.page.getByRole("button", { name: "Change the URLs" }).click({ force: true });
  assert.equal(await reader.page.getByRole("dialog").count(), 0);
  await reader.page.getByText("Needs a key with the scope “write”.").last().waitFor();
  await reader.inspect("feeds-read-only");
  await reader.page.context().close();
});

test("who fetched a file is listed, with the render they got and how far they are behind", {
  skip,
}, async () => {
  const { page, inspect } = visit;
  const consumer = page.getByRole("row", { name: /^Google gmc\.tsv/ });
  await go("");
  await consumer.getByText("Up to date").waitFor();
  for (const discount of [0.9, 0.85]) await sync(shop, crockery({ discount }));
  await consumer.getByText("2 renders behind").waitFor();
  await inspect("feeds-behind");
});

test("loading and failing calls are shown as such", { skip }, async () => {
  const { page, inspect } = visit;
  await page.route("**/f/**", async (route) => route.fulfill({ status: 503, json: FEED_MISSING }));
  await go("/gmc.tsv");
  await page.getByRole("alert").waitFor();
  assert.match(await page.getByRole("alert").innerText(), /Try again in a minute[\s\S]*feed_missing/);
  await inspect("feed-preview-failed");
  await page.unroute("**/f/**");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("row", { name: /KC-1236/ }).waitFor();

  await page.route("**/api/v1/catalog/status", async (route) => route.abort());
  await go("");
  await page.getByText("The server does not answer.").waitFor();
  await inspect("feeds-failed");
  await page.unroute("**/api/v1/catalog/status");
  await page.route("**/api/v1/{catalog/status,feeds}", async () => new Promise(() => undefined));
  await go("");
  await page.locator("h1").waitFor();
  await page.getByText("Loading…").first().waitFor();
  await inspect("feeds-loading");
});

const FEED_MISSING = {
  title: "The feed file is missing.",
  detail: "The feed file is missing. Try again in a minute.",
  code: "feed_missing",
  request_id: "01a1dd17-9f27-78f6-9abd-d1a8ebaea6ff",
};

async function streamText(stream: AsyncIterable<unknown>): Promise<{ readonly text: string }> {
  let text = "";
  for await (const piece of stream) text += String(piece);
  return { text };
}
