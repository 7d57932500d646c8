/** Renders in the console: a held one is seen on every page, understood, and decided with a reason. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Locator } from "playwright-core";
import { sql } from "../../src/store/sql.ts";
import { until } from "../actions.ts";
import type { Shop } from "../api/running-api.ts";
import { csvOf } from "../fakes/shop.ts";
import type { Row } from "../fakes/shop.ts";
import { consoleOfFile, skip } from "./browser.ts";
import type { Visit } from "./browser.ts";
import type { ItemsAnswer } from "../../src/contract/items.ts";
import { dataOf } from "../api/answer-data.ts";
import { crockery } from "./crockery.ts";
import { openNamedShop, stock, sync } from "./stock.ts";

let shop: Shop;
let visit: Visit;
const running = consoleOfFile(async (opened) => {
  shop = await openNamedShop(opened, "Kiln & Co.");
  await sync(shop, crockery());
  await sync(shop, crockery({ discount: 0.95 }));
  visit = await opened.open(`/c/${shop.slug}/renders`);
});

const go = async (path: string) => visit.page.goto(`${running.url}/c/${shop.slug}${path}`);
const publishedRun = async () => (await shop.feeds()).last_render?.run_id;

/** The shop sells these rows, and the render after the sync is held. */
async function accident(rows: readonly Row[]): Promise<string> {
  stock(shop, rows);
  const before = (await shop.feeds()).held?.run_id;
  await shop.sync({}, { guard: "hold" });
  return until(async () => {
    const { held } = await shop.feeds();
    return held && held.run_id !== before ? held.run_id : undefined;
  }, "a held render");
}

const free = (): readonly Row[] =>
  crockery().map((row, at) => ({ ...row, ...(at % 3 > 0 && { price: "0.00 USD" }) }));

test("prices that turn to zero are not published: every page says so with the age of the files, and the render says why", {
  skip,
}, async () => {
  const { page, inspect } = visit;
  await page.getByRole("row", { name: /Published now/ }).waitFor();
  await inspect("renders");

  const published = (await shop.feeds()).last_render;
  await go("/sources");
  const held = await accident(free());
  // Without a reload of the page.
  const banner = page.getByRole("complementary", { name: "Publication" });
  await banner.getByText("A render is held: the feeds are not updated.").waitFor();
  const servedFrom = async (part: Locator) =>
    part.getByText("The feed URLs serve files from").locator("time").getAttribute("datetime");
  assert.equal(await servedFrom(banner), published?.finished_at);
  await inspect("render-held-banner");
  await go("");
  await page.getByRole("status").getByText("New files of the feeds are held").first().waitFor();
  assert.equal(await banner.count(), 0, "the overview says it once");
  await page.getByRole("status").getByRole("link", { name: "Look at it and decide" }).click();
  await page.waitForURL(`**/renders/${held}`);
  await page.getByText("Because of").waitFor();
  await page.getByText("a sync", { exact: true }).waitFor();
  await go("/sources");
  await banner.getByRole("link", { name: "Look at it and decide" }).click();
  await page.getByRole("row", { name: /Items cost nothing/ }).waitFor();
  assert.equal(await banner.count(), 0);
  assert.equal(await servedFrom(page.locator("main")), published?.finished_at);
  await inspect("render-held");
  assert.equal(await publishedRun(), published?.run_id);
});

test("the pages of runs call a held render held, and lead to where it is decided", { skip }, async () => {
  const { page, inspect } = visit;
  const address = page.url();
  const id = (await shop.feeds()).held?.run_id ?? "";
  await go("/runs?kind=render");
  const entry = page.locator(".run").first();
  await entry.getByText("Held", { exact: true }).waitFor();
  await inspect("runs-held");
  await entry.getByRole("link").click();
  await page.waitForURL(`**/runs/${id}`);
  await page.getByText("The render is held.").waitFor();
  await page.locator(".page-heading").getByText("Held", { exact: true }).waitFor();
  assert.equal(await page.getByText(/failed/i).count(), 0);
  await inspect("run-held");
  await page.getByRole("link", { name: "Look at the held render and decide" }).click();
  await page.waitForURL(address);
  await page.getByRole("row", { name: /Items cost nothing/ }).waitFor();
});

test("a held render is discarded with a reason, which is kept and shown", { skip }, async () => {
  const { page, inspect } = visit;
  await page.getByRole("button", { name: "Discard it…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Discard" }).click();
  await page.getByRole("dialog").getByRole("alert").waitFor();
  await page
    .getByRole("textbox", { name: "Reason" })
    .fill("The export had no prices. The shop is repairing it.");
  await inspect("render-discard");
  await page.getByRole("dialog").getByRole("button", { name: "Discard" }).click();
  await page.getByText("It was decided not to publish this render.").waitFor();
  await page.getByText("The export had no prices.").first().waitFor();
  await inspect("render-discarded");
  await page.getByRole("link", { name: /^[0-9a-f-]{36}$/ }).click();
  await page.getByText("It was decided not to publish this render.").waitFor();
  await page.locator(".page-heading").getByText("Discarded", { exact: true }).waitFor();
  assert.equal(await page.getByText(/held/i).count(), 0);
  await inspect("run-discarded");
  await go("/renders");
  await page.getByRole("row", { name: /Discarded The export had no prices/ }).waitFor();
  const banner = page.getByRole("complementary", { name: "Publication" });
  await banner.getByText("The catalog has changes that the feeds do not have").waitFor();
  await banner.getByRole("link", { name: "Look at what was not published" }).waitFor();
  const { items } = dataOf<ItemsAnswer["data"]>(await shop.call("/api/v1/items"));
  await go(`/items/${items.find(({ price }) => Number(price.amount) === 0)?.id}`);
  const served = page.getByRole("region", { name: "Values in the served files and in the catalog" });
  await served.getByRole("row", { name: /price/ }).getByText("0.00 USD").first().waitFor();
  await inspect("item-behind");
});

test("a held render that is right is published with a reason", { skip }, async () => {
  const { page, inspect } = visit;
  const id = await accident(crockery({ without: 100 }));
  await page.getByRole("link", { name: "Look at it and decide" }).click();
  await page.getByRole("row", { name: /Many items are gone/ }).waitFor();
  await page.getByRole("button", { name: "Publish it…" }).click();
  await page.getByRole("textbox", { name: "Reason" }).fill("The summer range has ended.");
  await page.getByRole("dialog").getByRole("button", { name: "Publish" }).click();
  await page.getByText("The feed URLs serve the files of this render.").waitFor();
  await inspect("render-promoted");
  assert.equal(await publishedRun(), id);
});

test("two renders are compared: totals by cause that add up, and items with their fields", {
  skip,
}, async () => {
  const { page, inspect } = visit;
  await go("/renders");
  await page.getByRole("link", { name: "Compare two renders" }).click();
  await page.getByRole("heading", { level: 1, name: "Compare renders" }).waitFor();
  await page.getByRole("heading", { name: "What caused the differences" }).waitFor();
  await inspect("render-compare");
  await page.setViewportSize({ width: 1280, height: 800 });
  const table = page.getByRole("region", { name: "Differences by item" });
  assert.ok(
    await table.evaluate((region) => region.scrollWidth <= region.clientWidth),
    "the cause, which is the last column, is not cut off",
  );
  // The first two renders differ by their prices.
  const { renders } = ((await shop.call("/api/v1/renders")).json as Listed).data;
  const [second, first] = renders.slice(-2).map(({ run_id: id }) => id);
  await go(`/renders/compare?before=${first}&after=${second}&file=gmc.tsv`);
  await page
    .getByRole("row", { name: /KC-1236 price gmc\.tsv 49\.00 USD 46\.55 USD The shop's data/ })
    .waitFor();
  await inspect("render-compare-file");
  await page.getByRole("combobox", { name: "Cause" }).selectOption("The rules");
  await page.getByText("No item matches these filters.").waitFor();
  await go(`/renders/compare?before=${first}&after=${first}`);
  await page.getByText("The files of both renders are the same.").waitFor();
  await inspect("render-compare-same");
});

test("prices that jump have no figures of the files in the table, also of renders of earlier versions", {
  skip,
}, async () => {
  const { page, inspect } = visit;
  const id = await accident(crockery({ without: 100, discount: 100 }));
  const figures = async (problem: RegExp) => {
    await go(`/renders/${id}`);
    const row = page.getByRole("row", { name: problem });
    await row.waitFor();
    return (await row.getByRole("cell").allInnerTexts()).map((text) => text.trim());
  };
  assert.deepEqual(await figures(/Prices have jumped/), ["–", "–", "100%", "5%"]);
  assert.match((await figures(/Prices are much higher/)).join(" "), /^\d+\.\d+ USD [\d,.]+ USD [\d.]+ times/);
  await inspect("render-held-prices");
  await running.api.db.execute(sql`
    update renders set exceeded = (
      select jsonb_agg(one || case when one ->> 'signal' = 'price_jumps' then '{"before": 139, "after": 0}' else '{}' end::jsonb)
      from jsonb_array_elements(exceeded) one)
    where run_id = ${id}`);
  assert.deepEqual(await figures(/Prices have jumped/), ["–", "–", "100%", "5%"]);
});

type Listed = { readonly data: { readonly renders: readonly { readonly run_id: string }[] } };

test("an earlier render is served again; publication is paused on every page until it is released", {
  skip,
}, async () => {
  const { page, inspect } = visit;
  const before = await publishedRun();
  await go("/renders");
  await page
    .getByRole("row", { name: /Was published/ })
    .first()
    .getByRole("link")
    .click();
  await page.getByRole("button", { name: "Roll back to it…" }).click();
  await page.getByRole("textbox", { name: "Reason" }).fill("The summer range is sold for another week.");
  await inspect("render-rollback");
  await page.getByRole("dialog").getByRole("button", { name: "Roll back" }).click();
  const banner = page.getByRole("complementary", { name: "Publication" });
  await banner.getByText("Publication is paused: the feeds stay as they are.").waitFor();
  assert.notEqual(await publishedRun(), before);
  await page.getByRole("row", { name: /Published now.*a rollback/ }).waitFor();
  await inspect("renders-paused");

  // What comes meanwhile waits.
  const waiting = await accident(crockery({ without: 100, discount: 0.9 }));
  await banner.getByRole("link", { name: "Look at the render that waits" }).click();
  await page.getByText("Publication is paused, so this render waits.").waitFor();
  await inspect("render-held-paused");
  await banner.getByRole("button", { name: "Publish again…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Publish again" }).click();
  await banner.getByText("Publication is paused").waitFor({ state: "detached" });
  assert.ok(waiting);
});

test("the limits are settings: changed, switched off, and set to the default again", { skip }, async () => {
  const { page, inspect } = visit;
  await go("/settings");
  await page.getByLabel("Many items are gone (%)").fill("80");
  await page.getByLabel("Images are on another site (%)").fill("");
  await inspect("settings-guard");
  await page.getByRole("button", { name: "Save the limits" }).click();
  await page.getByText("Saved. If a render is held").waitFor();
  const limits = async () => {
    const { json } = await shop.call("/api/v1/publish-guard");
    return Object.fromEntries((json as Guard).data.limits.map(({ signal, limit }) => [signal, limit]));
  };
  const { items_removed: removed, image_host: images } = await limits();
  assert.deepEqual([removed, images], [0.8, null]);
  await page.getByLabel("Many items are gone (%)").fill("30");
  await page.getByRole("button", { name: "Save the limits" }).click();
  await until(async () => (await limits())["items_removed"] === 0.3, "the default");
});

type Guard = { readonly data: { readonly limits: readonly { signal: string; limit: number | null }[] } };

test("a render after a push says that a push or an upload caused it", { skip }, async () => {
  const { page } = visit;
  const { slug, key } = await running.api.createCatalog({ slug: "pushed-shop", name: "Pushed shop" });
  const headers = { authorization: `Bearer ${key}`, "content-type": "text/csv" };
  const body = csvOf(crockery());
  const { status } = await running.api.ask("/api/v1/catalog", { method: "PUT", headers, body });
  assert.equal(status, 200);
  await page.goto(`${running.url}/c/${slug}/renders`);
  await page
    .getByRole("row", { name: /Published now/ })
    .getByRole("link")
    .click();
  await page.locator(".facts").getByText("a push or an upload", { exact: true }).waitFor();
});

test("a catalog without a render, one that is unknown, a key that may only read, and failing calls", {
  skip,
}, async () => {
  const { page, inspect } = visit;
  await running.api.createCatalog({ slug: "new-shop", name: "New shop" });
  await page.goto(`${running.url}/c/new-shop/renders`);
  await page.getByText("Nothing was rendered yet").waitFor();
  await inspect("renders-empty");
  await go("/renders/0191d1f0-0000-7000-8000-000000000000");
  await page.getByText("There is no such render").waitFor();
  await inspect("render-missing");
  await page.route("**/api/v1/renders?*", async (route) => route.abort());
  await go("/renders");
  await page.getByText("The server does not answer.").waitFor();
  await inspect("renders-failed");
  await page.unroute("**/api/v1/renders?*");

  await accident(free());
  const reader = await running.visit();
  await reader.page.goto(running.url);
  await reader.page.getByLabel("API key").fill(shop.readKey);
  await reader.page.keyboard.press("Enter");
  await reader.page.getByRole("heading", { name: "Catalogs" }).waitFor();
  await reader.page.goto(`${running.url}/c/${shop.slug}/feeds`);
  await reader.page.getByRole("link", { name: "Look at it and decide" }).click();
  await reader.page.getByRole("button", { name: "Publish it…" }).click({ force: true });
  await reader.page.getByText("Needs a key with the scope “write”.").first().waitFor();
  await reader.inspect("render-held-read-only");
  await reader.page.context().close();
});

test("a render that was discarded by mistake is published after all", { skip }, async () => {
  const { page } = visit;
  const before = await publishedRun();
  const id = await accident(crockery().map((row) => ({ ...row, price: "0.00 USD" })));
  await go(`/renders/${id}`);
  await page.getByRole("button", { name: "Discard it…" }).click();
  await page.getByRole("textbox", { name: "Reason" }).fill("Looks wrong.");
  await page.getByRole("dialog").getByRole("button", { name: "Discard" }).click();
  assert.equal(await publishedRun(), before);
  await page.getByRole("button", { name: "Publish it after all…" }).click();
  await page.getByRole("textbox", { name: "Reason" }).fill("All of it is a gift.");
  await page.getByRole("dialog").getByRole("button", { name: "Publish" }).click();
  await page.getByText("The feed URLs serve the files of this render.").waitFor();
  assert.equal(await publishedRun(), id);
});
