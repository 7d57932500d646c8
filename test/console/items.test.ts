/** Items in the console: search and filters, one item in every feed, hostile texts, and very many of them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ItemAnswer } from "../../src/contract/items.ts";
import type { Shop } from "../api/running-api.ts";
import { consoleOfFile, skip } from "./browser.ts";
import type { Visit } from "./browser.ts";
import { outdoorRow, outdoorRows } from "./outdoor-shop.ts";
import { openNamedShop, sync } from "./stock.ts";

let shop: Shop;
const running = consoleOfFile(async (opened) => {
  shop = await openNamedShop(opened, "Outdoor shop");
  await sync(shop, [...outdoorRows(240), ...HOSTILE.map((id, at) => hostile(id, at))]);
});

/** Markup is removed when a feed is read; what is escaped in it stays as text. */
const SCRIPT = `&lt;img src=x onerror="document.title='hacked'"&gt;&amp;lt;script&amp;gt; "'< 5`;
const HOSTILE = [
  ".",
  "..",
  "a/b/../c",
  `quote"s' <b>&amp;`,
  "50% off?q=1#top+ü",
  "日本語-🧵-äß",
  `L-${"x".repeat(198)}`,
] as const;
const hostile = (id: string, at: number) => ({
  ...outdoorRow(500 + at),
  id,
  title: `${SCRIPT} Hat ${at}`,
  item_group_id: "",
  brand: `"Brand" <i>${at}</i>`,
});

const tableOf = ({ page }: Visit) => page.getByRole("region", { name: "Items", exact: true });

async function waitForCount(visit: Visit, count: number): Promise<void> {
  const rows = tableOf(visit).getByRole("row");
  await rows.nth(count).waitFor();
  await rows.nth(count + 1).waitFor({ state: "detached" });
}

test("a search and its filters are in the address: reload and the back button keep them", {
  skip,
}, async () => {
  const visit = await running.open(`/c/${shop.slug}/items`);
  const { page, inspect } = visit;
  const search = page.getByRole("searchbox");
  await waitForCount(visit, 50);
  await page.getByText("243 items at the last audit.").waitFor();
  await inspect("items");

  await page.route(/q=windhag/, async (route) => {
    await page.locator('[aria-busy="true"] .table-scroll').waitFor();
    await route.continue();
  });
  await search.fill("windhag tent");
  await page.waitForURL(/q=windhag\+tent/);
  await waitForCount(visit, 8);
  // A call that was replaced by the next one may still wait for its turn.
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await page.getByRole("combobox", { name: "Refused or left out in" }).selectOption("acp.csv");
  await page.waitForURL(/refused_in=acp.csv/);
  await waitForCount(visit, 2);
  await page.reload();
  await waitForCount(visit, 2);
  assert.equal(await search.inputValue(), "windhag tent");
  await inspect("items-filtered");

  await search.fill("tent");
  await page.waitForURL(/q=tent/);
  await page.goBack();
  await waitForCount(visit, 8);
  assert.equal(await search.inputValue(), "windhag tent");
  assert.equal(await page.getByRole("combobox", { name: "Refused or left out in" }).inputValue(), "");

  await page.goto(`${running.url}/c/${shop.slug}/items?finding=eligibility.brand&source_id=${shop.sourceId}`);
  await waitForCount(visit, 20);
  await page
    .getByRole("combobox", { name: "Problem" })
    .locator("option:checked", { hasText: "Brand is missing (20)" })
    .waitFor({ state: "attached" });
  await page.getByRole("combobox", { name: "Source" }).selectOption("pushed");
  await page.getByText("No item matches.").waitFor();
  await visit.check("nothing found");
  await page.getByRole("link", { name: "Remove all filters" }).click();
  await waitForCount(visit, 50);
});

test("pages follow one another, and a cursor that is too old leads back to the first", { skip }, async () => {
  const visit = await running.open(`/c/${shop.slug}/items`);
  const { page } = visit;
  await waitForCount(visit, 50);
  const first = await tableOf(visit).getByRole("rowheader").allInnerTexts();
  await page.getByRole("link", { name: "Next page" }).click();
  await page.waitForURL(/cursor=/);
  await page.getByRole("link", { name: "First page" }).waitFor();
  const firstId = tableOf(visit).getByText(first[0]?.split("\n")[1] ?? "", { exact: true });
  await firstId.waitFor({ state: "detached" });
  const second = await tableOf(visit).getByRole("rowheader").allInnerTexts();
  assert.equal(new Set([...first, ...second]).size, 100);
  await page.goBack();
  await firstId.waitFor();

  await page.goto(`${running.url}/c/${shop.slug}/items?q=tent&cursor=bm9uc2Vuc2U`);
  await page.getByRole("alert").waitFor();
  await visit.check("a bad cursor");
  await page.getByRole("link", { name: "Begin again at the first page" }).click();
  await waitForCount(visit, 38);
});

test("an item shows its findings and what each feed makes of it, and leads to its variants", {
  skip,
}, async () => {
  const visit = await running.open(`/c/${shop.slug}/items/FCS-1036`);
  const { page, inspect } = visit;
  const table = page.getByRole("region", { name: "Values of the item in the catalog and in each feed" });
  await table.getByRole("row", { name: /^Price/ }).waitFor();
  const cells = async (name: RegExp) => table.getByRole("row", { name }).getByRole("cell").allInnerTexts();

  assert.deepEqual(await cells(/^Id/), Array(5).fill("FCS-1036"));
  assert.deepEqual(await cells(/^Group/), Array(5).fill("P-209"));
  assert.deepEqual(new Set(await cells(/^Price/)).size, 1);
  assert.deepEqual(await cells(/^Availability/), [
    "out_of_stock",
    "out_of_stock",
    "out_of_stock",
    "out_of_stock",
    "https://schema.org/OutOfStock",
  ]);
  const findings = page.getByRole("region", { name: "Findings on this item" });
  assert.match(await findings.innerText(), /weight or dimensions/);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.getByRole("button", { name: "Copy id" }).click();
  await page.getByText("Copied").waitFor();
  assert.equal(await page.evaluate("navigator.clipboard.readText()"), "FCS-1036");
  await page.getByText("The item as JSON").click();
  await page.getByText('"id": "FCS-1036"').waitFor();
  await page.getByText("The item as JSON").click();
  await inspect("item");

  await page.setViewportSize({ width: 360, height: 740 });
  assert.equal(
    await table
      .getByRole("row", { name: /^Price/ })
      .getByRole("cell")
      .count(),
    1,
  );
  await page.getByRole("link", { name: "jsonld.json" }).click();
  await page.waitForURL(/column=jsonld.json/);
  assert.deepEqual(await cells(/^Availability/), ["https://schema.org/OutOfStock"]);
  await page.setViewportSize({ width: 1280, height: 800 });

  await page.getByRole("link", { name: "Show all variants" }).click();
  await page.waitForURL(/group_id=P-209/);
  await waitForCount(visit, 4);
  await page.getByText("Variants of the group P-209.").waitFor();
});

test("an item that Google will refuse says why, and what to do", { skip }, async () => {
  const visit = await running.open(`/c/${shop.slug}/items?refused_in=gmc.tsv&q=hat`);
  const { page, inspect } = visit;
  await waitForCount(visit, 1);
  await tableOf(visit).getByRole("link").click();
  const reason = page.getByText("Will be refused (gmc.tsv)").locator("../..");
  await reason.waitFor();
  assert.match(await reason.innerText(), /50 characters[\s\S]*What to do:[\s\S]*Code/);
  const table = page.getByRole("region", { name: "Values of the item in the catalog and in each feed" });
  assert.match(await table.getByRole("columnheader", { name: /gmc.tsv/ }).innerText(), /Will be refused/);
  await inspect("item-refused");
});

test("an item without a link has a page, which says that platforms will refuse it", { skip }, async () => {
  const unlinked = await running.api.openShop([{ id: "no-link", link: "" }]);
  assert.equal((await unlinked.sync()).status, 200);
  const { page, inspect } = await running.open(`/c/${unlinked.slug}/items/no-link`);

  const reason = page.getByText("Will be refused (acp.csv, acp.json)").locator("../..");
  await reason.waitFor();
  assert.match(await reason.innerText(), /has no link, which OpenAI requires[\s\S]*What to do:/);
  await page.getByText("Will be refused (gmc.tsv)").waitFor();
  await page.getByText("Link is missing or not a product page").first().waitFor();
  await page.getByRole("region", { name: "Values of the item in the catalog and in each feed" }).waitFor();
  await inspect("item-without-link");
});

test("ids and titles that are hostile are shown as they are, and nothing of them runs", {
  skip,
}, async () => {
  const visit = await running.open(`/c/${shop.slug}/items?q=hat`);
  const { page, check } = visit;
  await waitForCount(visit, HOSTILE.length);
  for (const [at, id] of HOSTILE.entries()) {
    await page.goto(`${running.url}/c/${shop.slug}/items?q=hat`);
    await tableOf(visit)
      .getByRole("row")
      .filter({ hasText: `Hat ${at}` })
      .getByRole("link")
      .click();
    await page.getByRole("heading", { name: "What each feed makes of it" }).waitFor();
    const stored = await shop.call(`/api/v1/item?id=${encodeURIComponent(id)}`);
    const { title } = (stored.json as ItemAnswer).data.item;
    assert.match(title, /[<&"'].*Hat/);
    assert.equal(await page.getByRole("heading", { level: 1 }).innerText(), title);
    await page.getByText(id, { exact: true }).first().waitFor();
    await page.reload();
    await page.getByRole("heading", { name: "What each feed makes of it" }).waitFor();
    const address = id.replaceAll(".", "") === "" ? `/item?id=${id}` : `/items/${encodeURIComponent(id)}`;
    assert.equal(page.url(), `${running.url}/c/${shop.slug}${address}`);
    assert.equal(await page.title(), `${title} · Shelfwire`);
    await check(id);
  }
  await page.goto(`${running.url}/c/${shop.slug}/items/none`);
  await page.getByText('This catalog has no item "none".').waitFor();
  await check("no such item");
  await page.goto(`${running.url}/c/${shop.slug}/items/%E0%A4%A`);
  await page.getByRole("heading", { name: "Page not found" }).waitFor();
});

test("an empty catalog says where items come from", { skip }, async () => {
  const { slug } = await running.api.createCatalog();
  const { page, inspect } = await running.open(`/c/${slug}/items`);
  await page.getByRole("heading", { name: "There are no items yet" }).waitFor();
  await page.getByRole("link", { name: "Connect a shop" }).waitFor();
  await inspect("items-empty");
});

test("a hundred thousand items are searched and paged", { skip }, async () => {
  const big = await running.api.openShop();
  const header = "id,title,description,link,image_link,availability,price,brand,condition\n";
  const lines = Array.from(
    { length: 100_000 },
    (_, at) =>
      `SKU-${at},Coat hook ${at},A coat hook.,https://shop.example/p/${at},https://shop.example/i/${at}.jpg,in_stock,${(at % 90) + 1}.00 USD,Kiln,new\n`,
  );
  big.answers({ kind: "file", body: header + lines.join("") });
  const started = performance.now();
  const { run_id: runId } = ((await big.sync()).json as { readonly data: { readonly run_id: string } }).data;
  while ((await big.feeds()).last_render === null) {
    assert.ok(performance.now() - started < 180_000, runId);
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  const visit = await running.open(`/c/${big.slug}/items`);
  const { page } = visit;
  await waitForCount(visit, 50);
  await page.getByText("100,000 items at the last audit.").waitFor();
  const from = performance.now();
  await page.getByRole("searchbox").fill("hook 98765");
  await waitForCount(visit, 1);
  const took = Math.round(performance.now() - from);
  await tableOf(visit).getByText("SKU-98765").waitFor();
  assert.ok(took < 10_000, `the search took ${took} ms`);

  // A search for what is not there ends, by itself or after the user let it go on.
  const pages: string[] = [];
  page.on("request", (request) => request.url().includes("/items?") && pages.push(request.url()));
  await page.goto(`${running.url}/c/${big.slug}/items?finding=identity.identifier_present&source_id=pushed`);
  const end = page.getByText(/No item matches|There are no more items/);
  const further = page.getByRole("link", { name: "Go on searching" });
  await end.or(further).waitFor();
  await visit.check("a search that takes long");
  for (let from = ""; !(await end.isVisible()); ) {
    if (page.url() !== from && (await further.isVisible())) {
      from = page.url();
      // While it is clicked, the link may give way to the end of the search.
      await further.click({ timeout: 1_000 }).catch(() => undefined);
    }
    await page.waitForTimeout(50);
  }
  assert.ok(pages.length > 1, "the search took one call only");
});

test("a search for a row that was rejected says why, and leads to its run", { skip }, async () => {
  const some = await running.api.openShop();
  await some.call("/api/v1/catalog", {
    method: "PUT",
    headers: { "content-type": "text/csv" },
    body: "id,title,link,price\nCUP-1,Cup,https://kiln.example/1,9.50 EUR\nCUP-2,Cup,https://kiln.example/2,\n",
  });
  const { page, inspect } = await running.open(`/c/${some.slug}/items?q=CUP-2`);
  await page.getByText(/“CUP-2” was rejected in the last push or upload: The item has no price/).waitFor();
  await inspect("items-rejected");
  await page.getByRole("link", { name: "Show the run" }).click();
  await page.waitForURL(/\/runs\/.*kind=rejection/);
  await page.getByRole("rowheader", { name: "CUP-2" }).waitFor();

  await page.goto(`${running.url}/c/${some.slug}/items?q=CUP`);
  await page.getByText("1 item matches.").waitFor();
});

test("uploaded items that the filter shows are removed after a question that names their number", {
  skip,
}, async () => {
  const cups = ["Blue", "Red", "Blue"].map((color, at) => ({
    id: `cup-${at}`,
    title: `${color} cup ${at}`,
    link: `https://shop.example/cup-${at}`,
    price: "5.00 USD",
  }));
  await shop.call("/api/v1/catalog", { method: "PATCH", body: cups });
  const visit = await running.open(`/c/${shop.slug}/items?source_id=pushed`);
  const { page, inspect } = visit;
  await waitForCount(visit, 3);
  await page.getByRole("searchbox").fill("blue");
  await waitForCount(visit, 2);
  await page.getByRole("button", { name: "Remove uploaded items…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("2 items will be removed.").waitFor();
  await inspect("items-remove");
  await dialog.getByRole("button", { name: "Remove them" }).click();
  await page.waitForURL(/\/runs\//);
  await page.goto(`${running.url}/c/${shop.slug}/items/cup-1`);
  await page.getByRole("button", { name: "Remove this item…" }).click();
  await dialog.getByText("1 item will be removed.").waitFor();
  await dialog.getByRole("button", { name: "Remove them" }).click();
  await page.waitForURL(/\/runs\//);
  await page.goto(`${running.url}/c/${shop.slug}/items?source_id=pushed`);

  await page.getByText("No item matches").waitFor();
});

test("a removal of items that are gone meanwhile cannot be confirmed", { skip }, async () => {
  const cup = { id: "cup-gone", title: "Cup", link: "https://shop.example/cup", price: "5.00 USD" };
  await shop.call("/api/v1/catalog", { method: "PATCH", body: [cup] });
  const { page } = await running.open(`/c/${shop.slug}/items/cup-gone`);
  const open = page.getByRole("button", { name: "Remove this item…" });
  await open.waitFor();
  await shop.call("/api/v1/catalog", { method: "PATCH", body: [{ id: cup.id, delete: true }] });
  await open.click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("0 items will be removed.").waitFor();

  assert.equal(
    await dialog.getByRole("button", { name: "Remove them" }).getAttribute("aria-disabled"),
    "true",
  );
});
