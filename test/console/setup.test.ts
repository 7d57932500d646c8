/** From the first visit to the first feed, uploads, and sources that fail and are repaired. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { feedHost } from "../fakes/feed-host.ts";
import type { FeedHost } from "../fakes/feed-host.ts";
import type { Disposable } from "../fresh.ts";
import { openConsole, skip } from "./browser.ts";
import type { Console } from "./browser.ts";
import { faultyProducts, feedText, products } from "./sample-feed.ts";

let running: Disposable<Console>;
let host: FeedHost;
before(async () => {
  if (skip !== false) return;
  running = await openConsole();
  host = await feedHost();
});
after(async () => {
  await running?.[Symbol.asyncDispose]();
  await host?.[Symbol.asyncDispose]();
});

test("from the first visit to the first feed without a terminal", { skip }, async () => {
  const feed = host.serve("/kiln.csv", {
    kind: "file",
    body: feedText([...products(6), ...faultyProducts().slice(6, 18), ...products(120).slice(6)]),
  });
  const { page, inspect } = await running.open("/new-catalog");

  await page.getByLabel("Name", { exact: true }).waitFor();
  await inspect("new-catalog");
  await page.getByLabel("Name", { exact: true }).fill("Kiln & Co.");
  await page.getByLabel("Currency").selectOption("EUR");
  await page.getByLabel("Country").selectOption("DE");
  await page.getByLabel("Name in feed URLs").fill("Not A Slug!");
  await page.getByRole("button", { name: "Create and connect a shop" }).click();
  await page.getByRole("alert").waitFor();
  await inspect("new-catalog-refused");
  await page.getByLabel("Name in feed URLs").fill("");
  await page.getByRole("button", { name: "Create and connect a shop" }).click();

  await page.getByRole("heading", { name: "Connect a shop" }).waitFor();
  await page.getByRole("link", { name: /^Shopify/ }).waitFor();
  assert.match(page.url(), /\/c\/kiln-co\/sources\/new$/);
  await inspect("new-source-kinds");
  await page.getByRole("link", { name: /^Shopify/ }).click();
  await page.getByLabel("Access token").waitFor();
  await inspect("new-source-shopify");
  await page.getByRole("link", { name: /^Feed URL/ }).click();
  await page.getByLabel("Feed address").fill(feed);
  await page.getByRole("button", { name: "Test" }).click();
  await page.getByText("It works:").waitFor();
  await page.getByText("old-beeswax").first().waitFor();
  await inspect("new-source-tested");

  await page.getByLabel("Name", { exact: false }).last().fill("Kiln web shop");
  await page.getByRole("button", { name: "Save and sync" }).click();
  await page.getByRole("heading", { name: "Your feeds" }).waitFor();
  await page.getByRole("button", { name: "Copy URL" }).first().waitFor();
  assert.deepEqual(await page.locator(".ledger dd").allInnerTexts(), ["132", "120", "0", "12"]);
  await inspect("first-feed");
  const url = await page.locator("code.url").first().innerText();
  const path = new URL(url).pathname;
  assert.match((await running.api.ask(path)).text, /Stoneware mug No. 1, Sand/);

  await page.reload();
  await page.getByRole("button", { name: "Copy URL" }).first().waitFor();
});
