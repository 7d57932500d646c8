/** Categories in the console: by suggestion, by a search with the keyboard, none, taken back, and then in gmc.tsv. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { untilRun } from "../actions.ts";
import type { Shop } from "../api/running-api.ts";
import { consoleOfFile, skip } from "./browser.ts";
import { crockery } from "./crockery.ts";
import { openNamedShop, sync } from "./stock.ts";

let shop: Shop;
const running = consoleOfFile(async (opened) => {
  shop = await openNamedShop(opened, "Crockery");
  await sync(shop, crockery());
});

const listed = async () =>
  (
    (await shop.call("/api/v1/categories")).json as {
      data: {
        categories: { path: string; is_decided: boolean; category: { id: string } | null }[];
        totals: { items: number; categorized: number; paths: number; undecided: number };
      };
    }
  ).data;

test("paths are decided by suggestion and by a search with keys alone, and the items have the category in gmc.tsv", {
  skip,
}, async () => {
  const answer = await shop.call("/api/v1/proposals/refresh", { method: "POST" });
  await untilRun(running.api.db, (answer.json as { data: { run_id: string } }).data.run_id, "succeeded");
  const { page, inspect } = await running.open(`/c/${shop.slug}/categories`);
  await page.getByText(/^0 of 2\d\d items with a category path/).waitFor();
  await inspect("categories");

  const mugs = page.locator('[data-path="Kitchen > Mugs"]');
  await mugs
    .getByRole("button", { name: /Mugs.*sure/ })
    .first()
    .click();
  await mugs.waitFor({ state: "detached" });
  await page
    .getByRole("status")
    .filter({ hasText: /^Kitchen > Mugs → .*Mugs$/ })
    .waitFor();

  const plates = page.locator('[data-path="Kitchen > Plates"]');
  const search = plates.getByRole("combobox");
  await search.focus();
  await page.keyboard.type("plates");
  const wanted = page.getByRole("option", { name: /Dinnerware > Plates$/ });
  await wanted.waitFor();
  for (let presses = 0; presses < 10; presses++) {
    await page.keyboard.press("ArrowDown");
    if ((await wanted.getAttribute("aria-selected")) === "true") break;
  }
  assert.equal(await search.getAttribute("aria-activedescendant"), await wanted.getAttribute("id"));
  await inspect("categories-search");
  await page.keyboard.press("Enter");
  await plates.waitFor({ state: "detached" });

  const stands = page.locator('[data-path="Kitchen > Serving"]');
  await stands.getByRole("button", { name: /^None of them ?: Kitchen > Serving$/ }).press("Enter");
  await stands.waitFor({ state: "detached" });
  await page.locator(".category-path h2:focus").waitFor();
  assert.deepEqual((await listed()).totals.undecided, 5);

  await page.getByRole("button", { name: "Publish now" }).click();
  await page.getByText("The feeds are published.").waitFor();
  const [header = "", ...lines] = (await shop.fetch("gmc.tsv")).text.trimEnd().split("\n");
  const at = header.split("\t").indexOf("google_product_category");
  const of = (title: string) =>
    lines.filter((line) => line.includes(title)).map((line) => line.split("\t")[at]);
  assert.deepEqual(new Set(of("Stoneware mug")), new Set(["2169"]));
  assert.ok(of("Dinner plate").every((category) => category !== ""));
  assert.deepEqual(new Set(of("Cake stand")), new Set([""]));
});

test("on a phone, the whole path of a category that is to be approved is shown", { skip }, async () => {
  const { page } = await running.open(`/c/${shop.slug}/proposals`);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole("combobox", { name: "Field" }).selectOption({ label: "Google category" });
  const list = page.getByRole("list", { name: "Groups of proposals, the largest gain first" });
  await list.getByText("Google category").first().waitFor();

  const cut = await page.evaluate<
    string[]
  >(`[...document.querySelectorAll(".group-toggle, .group-toggle > *")]
    .filter((one) => one.scrollHeight > one.clientHeight + 1 && getComputedStyle(one).overflow !== "visible")
    .map((one) => one.textContent)`);
  assert.deepEqual(cut, []);
});

test("a decision is taken back, also the last one by undo", { skip }, async () => {
  const { page, inspect } = await running.open(`/c/${shop.slug}/categories?view=all`);
  const mugs = page.locator('[data-path="Kitchen > Mugs"]');
  await mugs.getByText(/Mugs$/).last().waitFor();
  await inspect("categories-all");
  await mugs.getByRole("button", { name: /^Take back ?: Kitchen > Mugs$/ }).click();
  await mugs.getByRole("combobox").waitFor();
  await mugs
    .getByRole("button", { name: /Mugs.*sure/ })
    .first()
    .click();
  await mugs.getByRole("button", { name: /^Take back ?: Kitchen > Mugs$/ }).waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByText("Kitchen > Mugs has no decision any more.").waitFor();
  assert.equal((await listed()).categories.find(({ path }) => path === "Kitchen > Mugs")?.is_decided, false);
});

test("a catalog without paths says what to do; a read-only key sees suggestions but cannot choose", {
  skip,
}, async () => {
  const other = await running.api.openShop();
  const { page, inspect } = await running.open(`/c/${other.slug}/categories`);
  await page.getByRole("heading", { name: "There are no category paths yet" }).waitFor();
  await inspect("categories-empty");

  const reader = await running.visit();
  await reader.page.goto(running.url);
  await reader.page.getByLabel("API key").fill(shop.readKey);
  await reader.page.getByRole("button", { name: "Sign in" }).click();
  await reader.page.getByRole("heading", { level: 1, name: "Catalogs" }).waitFor();
  await reader.page.goto(`${running.url}/c/${shop.slug}/categories`);
  const suggestion = reader.page.getByRole("button", { name: /sure/ }).first();
  await suggestion.waitFor();
  assert.equal(await suggestion.getAttribute("title"), "Needs a key with the scope “write”.");
  assert.equal(await reader.page.getByRole("combobox").first().isDisabled(), true);
  await reader.check("categories with a read-only key");
});
