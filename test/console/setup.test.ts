/** From the first visit to the first feed, uploads, and sources that fail and are repaired. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { feedHost } from "../fakes/feed-host.ts";
import type { FeedHost } from "../fakes/feed-host.ts";
import { csvOf } from "../fakes/shop.ts";
import { consoleOfFile, skip } from "./browser.ts";
import { faultyProducts, products } from "./sample-feed.ts";
import { sync } from "./stock.ts";

let host: FeedHost;
const running = consoleOfFile(async (_running, parts) => {
  host = parts.use(await feedHost());
});

test("from the first visit to the first feed without a terminal", { skip }, async () => {
  const feed = host.serve("/kiln.csv", {
    kind: "file",
    body: csvOf([...products(6), ...faultyProducts().slice(6, 18), ...products(120).slice(6)]),
  });
  const { page, inspect } = await running.open("/new-catalog");

  await page.getByLabel("Name", { exact: true }).waitFor();
  await inspect("new-catalog");
  await page.getByLabel("Name", { exact: true }).fill("Kiln & Co.");
  const currency = page.getByLabel("Currency", { exact: true });
  const isRequired = async () => (await currency.getAttribute("required")) !== null;
  assert.equal(await isRequired(), true);
  await page.getByLabel("Country").selectOption("PA");
  assert.equal(await isRequired(), true);
  // As typed on the keyboard: the name, not the code, is looked for.
  await page.getByLabel("Country").focus();
  await page.keyboard.type("Germ");
  assert.equal(await page.getByLabel("Country").inputValue(), "DE");
  await currency.getByText("The currency of the country (EUR)").waitFor({ state: "attached" });
  assert.equal(await isRequired(), false);
  const names = await page.getByLabel("Country").locator("option").allInnerTexts();
  assert.ok(names.includes("Curaçao (CW)") && !names.some((name) => /Soviet|Unknown/.test(name)));
  await page.getByLabel("Name in feed URLs").fill("Not A Slug!");
  await page.getByRole("button", { name: "Create and connect a shop" }).click();
  await page.getByRole("alert").waitFor();
  assert.equal(await page.locator(":focus").getAttribute("name"), "slug");
  await inspect("new-catalog-refused");
  await page.getByLabel("Name in feed URLs").fill("");
  await page.getByRole("button", { name: "Create and connect a shop" }).click();

  await page.getByRole("heading", { name: "Connect a shop" }).waitFor();
  const [created] = await running.api.db.query<{ settings: object }>({
    text: "select settings from catalogs where slug = 'kiln-co'",
    values: [],
  });
  assert.deepEqual(created?.settings, { currency: "EUR", country: "DE" });
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
  assert.deepEqual(await page.locator(".ledger dd").allInnerTexts(), ["132", "126", "0", "6"]);
  await inspect("first-feed");
  const url = await page.locator("code.url").first().innerText();
  const path = new URL(url).pathname;
  assert.match((await running.api.ask(path)).text, /Stoneware mug No. 1, Sand/);

  await page.reload();
  await page.getByRole("button", { name: "Copy URL" }).first().waitFor();
});

test("columns that are not recognized are named with a suggestion, and a test without a file says why", {
  skip,
}, async () => {
  const { slug } = await running.api.createCatalog();
  const header =
    "Numero producto,Nombre corto,Producto URL,final_price,availability,description,URLfoto,extra,brand,gtin,item_group_id,color,condition,type";
  const withHeader = (line: string) => csvOf(products(10)).replace(/^.*/, line);
  const odd = withHeader(header);
  const half = withHeader(header.replace("Nombre corto", "title").replace("final_price", "price"));
  host.serve("/odd.csv", { kind: "file", body: odd });
  host.serve("/half.csv", { kind: "file", body: half });
  const { page, inspect } = await running.open(`/c/${slug}/sources/new?kind=feed_url`);

  await page.getByLabel("Feed address").fill(host.url("/nothing-here.csv"));
  await page.getByRole("button", { name: "Test" }).click();
  await page.getByRole("alert").waitFor();
  await page.getByText("Open the address in your browser").waitFor();
  await inspect("new-source-failed");
  await page.getByLabel("Feed address").fill(host.url("/half.csv"));
  await page.getByRole("button", { name: "Test" }).click();
  await page.getByText("Some columns were not recognized").waitFor();
  await inspect("new-source-suggestion");
  await page.getByRole("button", { name: "Use this suggestion" }).click();
  assert.match(await page.getByLabel("Columns").inputValue(), /^Numero producto = id$/m);
  await page.getByRole("button", { name: "Test" }).click();
  await page.getByText("It works, and it is complete: 10 items").waitFor();

  await page.getByLabel("Columns").fill("");
  assert.ok(await page.getByLabel("Columns").isVisible());
  await page.getByLabel("Feed address").fill(host.url("/odd.csv"));
  await page.getByRole("button", { name: "Test" }).click();
  await page.getByText("it has no column for title or price").waitFor();
  await inspect("new-source-not-recognized");
  await page.getByRole("button", { name: "Use this suggestion" }).click();
  await page.getByRole("button", { name: "Test" }).click();
  await page.getByText("It works, and it is complete: 10 items").waitFor();
});

test("a source with a wrong password is found, repaired, synced and removed; its actions are never cut off", {
  skip,
}, async () => {
  const shop = await running.api.openShop();
  await sync(shop, products(150));
  const feed = host.serve("/private.csv", {
    kind: "file",
    body: csvOf(products(200).slice(150)),
    basic: "shop:right",
  });
  const added = await shop.call("/api/v1/sources", {
    method: "POST",
    body: {
      kind: "feed_url",
      name: "Outlet",
      settings: { url: feed, username: "shop", password: "wrong" },
    },
  });
  const { id } = (added.json as { data: { id: string } }).data;
  await shop.call("/api/v1/syncs", { method: "POST", body: { source_id: id } });
  const { page, inspect } = await running.open(`/c/${shop.slug}/sources`);
  await page.getByText("Failing").waitFor();
  assert.equal(await page.getByText("All right").count(), 1, "the states are those of the overview");
  await inspect("sources");
  await page.setViewportSize({ width: 1024, height: 800 });
  const table = page.getByRole("region", { name: "Sources of the catalog" });
  assert.ok(
    await table.evaluate((region) => region.scrollWidth <= region.clientWidth),
    "the actions are not cut off on a small screen",
  );
  await page.getByRole("button", { name: /^Switch off ?: feed_url$/ }).click();
  await page.getByText("Switched off", { exact: true }).waitFor();

  await page.getByRole("link", { name: "Outlet" }).click();
  await page.getByRole("alert").waitFor();
  assert.equal(await page.locator("h1:focus").innerText(), "Outlet");
  assert.match(await page.getByRole("alert").innerText(), /What to do: Create a new key or password/);
  await page.getByRole("button", { name: "Replace: Password" }).waitFor({ state: "attached" });
  await inspect("source-failing");
  await page.getByRole("button", { name: "Replace: Password" }).click();
  await page.getByLabel("Password").fill("right");
  await page.getByRole("button", { name: "Test" }).click();
  await page.getByText("It works").waitFor();
  await page.getByRole("button", { name: "Save", exact: true }).first().click();
  await page.getByText("Saved.").waitFor();
  await page.getByRole("button", { name: "Replace: Password" }).waitFor({ state: "attached" });
  await page.getByRole("button", { name: "Sync now" }).click();
  await page.getByText("All right").waitFor();
  await page.locator(".run.succeeded").waitFor();
  await page.getByLabel("Sync automatically").selectOption({ label: "Every hour" });
  await page.getByLabel("Largest share").fill("30");
  await page.getByRole("button", { name: "Save", exact: true }).last().click();
  await page.getByText("Saved.").last().waitFor();
  await inspect("source");
  await page.reload();
  await page.getByLabel("Largest share").waitFor();
  assert.equal(await page.getByLabel("Largest share").inputValue(), "30");
  assert.equal(await page.getByLabel("Sync automatically").inputValue(), "3600");

  await page.getByRole("button", { name: "Remove…" }).click();
  await page.getByLabel("Remove the items too.").check();
  await inspect("source-remove");
  await page.getByRole("button", { name: "Remove the source" }).click();
  await page.getByRole("heading", { name: "Sources" }).waitFor();
  await page.getByRole("link", { name: "Outlet" }).waitFor({ state: "detached" });
});

test("the pages about sources say that they load, that there is nothing, and why they fail", {
  skip,
}, async () => {
  const { slug } = await running.api.createCatalog();
  const { page, inspect, check } = await running.open(`/c/${slug}/sources`);
  await page.getByText("This catalog has no source yet.").waitFor();
  await inspect("sources-empty");
  await page.goto(`${running.url}/c/${slug}/sources/01a1dd17-9f27-78f6-9abd-d1a8ebaea6ff`);
  await page.getByText("This catalog has no such source.").waitFor();
  await page.goto(`${running.url}/c/${slug}/runs/none`);
  await page.getByText("There is no such run.").waitFor();
  await page.goto(`${running.url}/c/${slug}/deliveries/01a1dd17-9f27-78f6-9abd-d1a8ebaea6ff`);
  await page.getByText("There is no such delivery.").waitFor();
  await check("an unknown source");

  const answered = Promise.withResolvers<void>();
  await page.route("**/api/v1/sources*", async (route) => {
    await answered.promise;
    await route.abort();
  });
  await page.goto(`${running.url}/c/${slug}/sources`);
  await page.locator("h1").waitFor();
  await page.getByText("Loading…").waitFor();
  await inspect("sources-loading");
  answered.resolve();
  await page.getByRole("alert").waitFor();
  await inspect("sources-failing");
});

test("a key that may only read sees everything, and every control says what it needs", { skip }, async () => {
  const shop = await running.api.openShop();
  await sync(shop, products(20));
  const { page, inspect, check } = await running.visit();
  await page.goto(running.url);
  await page.getByLabel("API key").fill(shop.readKey);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Catalogs" }).waitFor();

  await page.goto(`${running.url}/c/${shop.slug}/sources`);
  const button = page.getByRole("button", { name: "Sync now" });
  await button.waitFor();
  assert.equal(await button.getAttribute("aria-disabled"), "true");
  await button.click({ force: true });
  await page.getByText("Needs a key with the scope “write”.").first().waitFor();
  await inspect("sources-read-only");
  await page.getByRole("link", { name: "feed_url" }).click();
  await page.getByRole("heading", { name: "Settings", level: 2 }).waitFor();
  for (const name of ["Test", "Save", "Sync now", "Switch off", "Remove…"])
    assert.equal(
      await page.getByRole("button", { name, exact: true }).first().getAttribute("aria-disabled"),
      "true",
      name,
    );
  for (const label of ["Feed address", "Name", "Sync automatically", "Largest share"])
    assert.equal(await page.getByLabel(label).first().isDisabled(), true, label);
  assert.equal(await page.getByText("You cannot change these fields").count(), 2);
  await check("source, read-only");
  await page.goto(`${running.url}/c/${shop.slug}/sources/new?kind=feed_url`);
  await page.getByText("You cannot change these fields").waitFor();
  assert.equal(await page.getByLabel("Feed address").isDisabled(), true);
  await inspect("new-source-read-only");
  await page.goto(`${running.url}/c/${shop.slug}/upload`);
  await page.getByText("Needs a key with the scope “write”.").first().waitFor();
  await inspect("upload-read-only");
  await page.goto(`${running.url}/new-catalog`);
  await page.getByText("Only an operator of this installation can create catalogs.").waitFor();
  await inspect("new-catalog-not-allowed");
});

test("a file is uploaded by the file chooser and by dropping it, with a preview first", {
  skip,
}, async () => {
  const { slug } = await running.api.createCatalog();
  const rows = products(80);
  const csv = (some: readonly (typeof rows)[number][]) => Buffer.from(csvOf(some));
  const { page, inspect } = await running.open(`/c/${slug}/upload`);
  await page.getByLabel("Drop a file here").waitFor();
  await inspect("upload");

  await page.getByLabel("Drop a file here").setInputFiles({
    name: "kiln.csv",
    mimeType: "text/csv",
    buffer: csv([...rows.slice(0, 4), ...faultyProducts().slice(7, 20), ...rows.slice(4)]),
  });
  await page.getByText("It works").waitFor();
  await page.getByText("Replace them:").waitFor();
  assert.equal(await page.getByLabel("Replace them:").isChecked(), true);
  assert.equal(await page.getByLabel("Publish with this upload").isChecked(), true);
  await inspect("upload-preview");
  await page.getByRole("button", { name: "Upload", exact: true }).click();
  await page.getByRole("heading", { name: "Your feeds" }).waitFor();
  await page.getByRole("button", { name: "Copy URL" }).first().waitFor();
  assert.deepEqual(await page.locator(".ledger dd").allInnerTexts(), ["93", "88", "0", "5"]);
  await inspect("upload-result");

  await page.getByRole("link", { name: "Upload another file" }).click();
  const few = JSON.stringify(csvOf(rows.slice(0, 5)));
  const dropped = await page.evaluateHandle(
    `const data = new DataTransfer(); data.items.add(new File([${few}], "few.csv")); data`,
  );
  await page.locator(".drop").dispatchEvent("drop", { dataTransfer: dropped });
  await page.getByText("It works, and it is complete: 5 items").waitFor();
  await page.getByText("New: 0 · Changed: 0 · Unchanged: 5").waitFor();
  await page.getByRole("button", { name: "Upload", exact: true }).click();
  await page.getByRole("alert").waitFor();
  assert.match(await page.getByRole("alert").innerText(), /catalog_collapsed/);
  await inspect("upload-collapsed");
  await page.getByRole("button", { name: "Replace anyway…" }).click();
  await page.getByRole("button", { name: "Replace, and remove what is not in the file" }).click();
  await page.getByText("Removed because the source no longer has them: 83").waitFor();
});

test("an upload that no row can be stored from keeps the items and offers no way to remove them", {
  skip,
}, async () => {
  const { slug } = await running.api.createCatalog();
  const { page, inspect } = await running.open(`/c/${slug}/upload`);
  const send = async (name: string, content: string) => {
    await page
      .getByLabel("Drop a file here")
      .setInputFiles({ name, mimeType: "text/csv", buffer: Buffer.from(content) });
    await page.getByRole("button", { name: "Upload", exact: true }).click();
  };
  await send("good.csv", csvOf(products(30)));
  await page.getByRole("heading", { name: "Your feeds" }).waitFor();
  await page.getByRole("link", { name: "Upload another file" }).click();
  const bad = Array.from({ length: 25 }, (_, at) => `${at},Mug,\n`);
  await send("no-prices.csv", `sku,name,price\n${bad.join("")}`);

  await page.getByRole("alert").waitFor();
  const alert = await page.getByRole("alert").innerText();
  assert.match(alert, /All 25 items were rejected, the first because: .*Correct the file/s);
  assert.doesNotMatch(alert, /max_removed_ratio/);
  assert.equal(await page.getByRole("button", { name: "Replace anyway…" }).count(), 0);
  await inspect("upload-all-rejected");
});

test("a file without links and without a column to make them of says what to set, and can be uploaded as it is", {
  skip,
}, async () => {
  const { slug } = await running.api.createCatalog();
  const { page, inspect } = await running.open(`/c/${slug}/upload`);
  await page.getByLabel("Drop a file here").setInputFiles({
    name: "no-links.csv",
    mimeType: "text/csv",
    buffer: Buffer.from("sku,name,price\n1,Mug,9.50 EUR\n2,Bowl,19.50 EUR\n"),
  });
  await page.getByText("If the file has no links, enter a link template").waitFor();
  assert.equal(await page.getByRole("button", { name: "Use this suggestion" }).count(), 0);
  await page.getByRole("button", { name: "Upload", exact: true }).waitFor();
  await inspect("upload-no-suggestion");
  await page.getByText("How to read the file").click();
  await page.getByLabel("Link template").fill("https://kiln.example/{sku}");
  await page.getByRole("button", { name: "Preview again" }).click();
  await page.getByText("It works, and it is complete: 2 items").waitFor();
});

test("a file that cannot be read says why, and one with unusual columns is read with a suggestion", {
  skip,
}, async () => {
  const { slug } = await running.api.createCatalog();
  const { page, inspect } = await running.open(`/c/${slug}/upload`);
  const choose = async (name: string, content: string | Buffer) =>
    page
      .getByLabel("Drop a file here")
      .setInputFiles({ name, mimeType: "application/octet-stream", buffer: Buffer.from(content) });

  await choose("logo.png", Buffer.from("89504e470d0a1a0a0000000d49484452", "hex"));
  await page.getByRole("alert").waitFor();
  assert.match(await page.getByRole("alert").innerText(), /body_malformed/);
  await page.getByText("Upload without a preview").click();
  assert.equal(await page.getByLabel("Keep them:").isChecked(), true);
  await inspect("upload-unreadable");
  await page.getByRole("button", { name: "Choose another file" }).click();
  await choose("nothing.csv", "");
  await page.getByText("This file is empty.").waitFor();
  await page.getByRole("button", { name: "Choose another file" }).click();
  await choose(
    "odd.csv",
    "Numero producto,Nombre corto,Producto URL,final_price\n1,Mug,https://kiln.example/1,9.50 EUR\n",
  );
  await page.getByRole("button", { name: "Use this suggestion" }).click();
  await page.getByRole("button", { name: "Preview again" }).click();
  await page.getByText("It works, and it is complete: 1 items").waitFor();
  await page.getByText("Keep them:").click();
  await page.getByRole("button", { name: "Upload", exact: true }).click();
  await page.getByRole("heading", { name: "Your feeds" }).waitFor();
  assert.deepEqual(await page.locator(".ledger dd").allInnerTexts(), ["1", "1", "0", "0"]);
});

test("the preview of a file is of what is chosen: replacing items, or adding and changing some", {
  skip,
}, async () => {
  const { slug } = await running.api.createCatalog();
  const { page } = await running.open(`/c/${slug}/upload`);
  const previewOf = (mode: string) =>
    page.waitForResponse(
      (response) => response.url().includes("/catalog/preview") && response.url().includes(mode),
    );
  const first = previewOf("mode=replace");
  await page.getByLabel("Drop a file here").setInputFiles({
    name: "kiln.csv",
    mimeType: "text/csv",
    buffer: Buffer.from(csvOf(products(3))),
  });
  await first;
  await page.getByText("It works, and it is complete: 3 items").waitFor();

  const second = previewOf("mode=update");
  await page.getByRole("radio").nth(1).check();

  assert.equal((await second).status(), 200);
  await page.getByText("It works, and it is complete: 3 items").waitFor();
  assert.equal(await page.getByRole("radio").nth(1).isChecked(), true);
});
