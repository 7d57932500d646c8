/** The audit in the console: from the score to a rule to an item, and why the score changed. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Audit } from "../../src/contract/audits.ts";
import type { Shop } from "../api/running-api.ts";
import { mugs } from "../api/rows.ts";
import { consoleOfFile, skip } from "./browser.ts";
import type { Visit } from "./browser.ts";
import { outdoorRow, outdoorRows } from "./outdoor-shop.ts";
import { openNamedShop, sync } from "./stock.ts";

const LIMIT = /Your score can reach at most 9\d until these are fixed\./;

let shop: Shop;
/** The score of the first audit. */
let first: number;
const running = consoleOfFile(async (opened) => {
  shop = await openNamedShop(opened, "Outdoor shop");
  first = (await synced(outdoorRows(240))).catalog_score;
});

async function synced(rows: ReturnType<typeof outdoorRows>): Promise<Audit> {
  await sync(shop, rows);
  const { data } = (await shop.call("/api/v1/audit")).json as { readonly data: { readonly audit: Audit } };
  return data.audit;
}

/** How much the page moved while it was loaded, apart from what a user did. */
const LAYOUT_SHIFT = `new Promise((resolve) => {
  let sum = 0;
  new PerformanceObserver((list) => {
    for (const { value } of list.getEntries()) sum += value;
  }).observe({ type: "layout-shift", buffered: true });
  setTimeout(() => resolve(Math.round(sum * 1000) / 1000), 500);
})`;

const row = ({ page }: Visit, table: string, name: RegExp) =>
  page.getByRole("region", { name: table, exact: true }).getByRole("row", { name });

test("the limit of the score comes first, then the rule, then the item that has the problem", {
  skip,
}, async () => {
  const visit = await running.open(`/c/${shop.slug}/audit`);
  const { page, inspect } = visit;
  const limit = page.getByRole("region", { name: "What limits the score" });

  await limit.getByText(LIMIT).waitFor();
  assert.match(await limit.innerText(), /With all of these fixed the score is 9\d \(A\), \+\d/);
  assert.match(await limit.innerText(), /Brand is missing: 20 items refused, \+\d if this alone is fixed/);
  assert.match(await limit.innerText(), /Rows of the source were rejected: 4 rows rejected/);
  assert.match(await page.getByText("There is one audit so far").innerText(), /next one/);
  const fixes = "Problems by what fixing them gains";
  await row(visit, fixes, /Brand is missing Channels refuse 20 items for this\..*\+\d/).waitFor();
  await row(visit, fixes, /Rows of the source were rejected 4 rows are not stored\./).waitFor();
  await inspect("audit");
  await page.reload();
  await limit.waitFor();
  assert.equal(await page.evaluate(LAYOUT_SHIFT), 0);

  await limit.getByRole("link", { name: "Brand is missing" }).click();
  await page.getByRole("heading", { level: 1, name: "Brand is missing" }).waitFor();
  assert.equal(page.url(), `${running.url}/c/${shop.slug}/audit/eligibility.brand`);
  await row(visit, "Effect on each channel", /OpenAI Refuses items/).waitFor();
  await row(visit, "Effect on each channel", /Merchant Center Accepts the item/).waitFor();
  const affected = page.getByRole("region", { name: "Items with this problem, by id" });
  await affected.waitFor();
  assert.equal(await affected.getByRole("row").count(), 21);
  await page.getByRole("link", { name: "Set it by a rule" }).waitFor();
  await inspect("audit-rule");

  await affected.getByRole("link").first().click();
  await page.getByRole("heading", { name: "What each feed makes of it" }).waitFor();
  assert.match(
    await page.getByText("Will be refused (acp.csv, acp.json).").locator("..").innerText(),
    /no brand/,
  );
  await page.goBack();
  await affected.waitFor();
});

test("problems are filtered by channel, dimension and severity, in the address", { skip }, async () => {
  const { page } = await running.open(`/c/${shop.slug}/audit`);
  const problems = page.getByRole("region", { name: "Problems by points lost", exact: true });
  await problems.waitFor();
  const all = await problems.getByRole("row").count();

  await page.getByRole("link", { name: "Google Merchant Center" }).click();
  await page.waitForURL(/channel=gmc/);
  await page.getByRole("combobox", { name: "Severity" }).selectOption("critical");
  await page.waitForURL(/severity=critical/);
  const few = await problems.getByRole("row").count();
  assert.ok(few > 1 && few < all);
  await page.reload();
  await problems.waitFor();
  assert.equal(await problems.getByRole("row").count(), few);

  await page.getByRole("combobox", { name: "Dimension" }).selectOption("fresh");
  await page.getByText("No problem matches these filters.").waitFor();
  await page.getByRole("link", { name: "Show all problems" }).click();
  assert.equal(await problems.getByRole("row").count(), all);
});

test("rejected rows are a rule with reasons, and a rule about settings leads to them", { skip }, async () => {
  const visit = await running.open(`/c/${shop.slug}/audit/eligibility.rejected`);
  const { page, inspect } = visit;
  await row(visit, "Reasons, most frequent first", /invalid_price 4$/).waitFor();
  await row(visit, "Examples of rejected rows", /TPTT-1007/).waitFor();
  await page.getByRole("link", { name: /^Rejected rows of / }).waitFor();
  await inspect("audit-rule-rejected");

  await page.goto(`${running.url}/c/${shop.slug}/audit/eligibility.store_facts`);
  assert.equal(
    await page.getByRole("link", { name: "Open the settings" }).getAttribute("href"),
    `/c/${shop.slug}/settings`,
  );
  await page.goto(`${running.url}/c/${shop.slug}/audit/no.such_rule`);
  await page.getByText("There is no such rule in the newest audit.").waitFor();
  await page.goto(`${running.url}/c/${shop.slug}/audit/eligibility.price`);
  await page.getByText("No item has this problem. There is nothing to do.").waitFor();
  await visit.check("a rule that found nothing");
});

test("the items with a problem can be saved as a table", { skip }, async () => {
  const { page } = await running.open(`/c/${shop.slug}/audit/content.description_depth`);
  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download as CSV" }).click();
  assert.equal((await saved).suggestedFilename(), "findings-content.description_depth.csv");
});

test("a sync that fixes and breaks items shows why the score changed, with no remainder and without a reload", {
  skip,
}, async () => {
  const visit = await running.open(`/c/${shop.slug}/audit`);
  const { page, inspect } = visit;
  await page.getByText(LIMIT).waitFor();
  const fixed = outdoorRows(230).map((one, at) => ({
    ...one,
    ...(at % 12 === 5 && { brand: "Windhag" }),
    ...(at % 10 === 4 && { additional_image_link: "" }),
  }));

  const audit = await synced([...fixed, outdoorRow(400), outdoorRow(401)]);

  assert.equal(audit.change?.kind, "explained");
  const { parts = [] } = audit.change;
  assert.ok(parts.length > 4);
  const table = page.getByRole("region", { name: "From the score before to the score after" });
  await table.waitFor();
  const rows = await table.getByRole("row").allInnerTexts();
  const cells = rows.slice(1).map((text) => text.split("\t").map((cell) => cell.trim()));
  assert.deepEqual([cells[0]?.at(-1), cells.at(-1)?.at(-1)], [String(first), String(audit.catalog_score)]);
  let sum = 100 * first;
  for (const [, , points = "", total = ""] of cells.slice(1, -1)) {
    sum += Math.round(100 * Number(points.replace("−", "-")));
    assert.equal(sum, Math.round(100 * Number(total)));
  }
  assert.equal(sum, 100 * audit.catalog_score);
  const shown = (points: number) => `${points < 0 ? "−" : "+"} ${Math.abs(points).toFixed(2)}`;
  const identity = [first, ...parts.map(({ points }) => shown(points)), "=", audit.catalog_score].join(" ");
  await page.getByText(identity, { exact: true }).waitFor();
  await page.getByRole("img", { name: `Score over time: ${first} → ${audit.catalog_score}` }).waitFor();
  await inspect("audit-changed");

  // Later audits that change nothing do not hide the last change.
  await synced([...fixed, outdoorRow(400), outdoorRow(401)]);
  await shop.call("/api/v1/renders", { method: "POST" });
  await page.reload();
  await page.getByText(identity, { exact: true }).waitFor();

  // Nor does a later change hide an earlier one.
  const worse = await synced([
    ...fixed.slice(0, 200),
    ...fixed.slice(200).map((one) => ({ ...one, price: "?" })),
  ]);
  await page.getByText(`Score over time`).waitFor();
  const earlier = page
    .getByRole("combobox", { name: "Change" })
    .locator("option", { hasText: `: ${first} → ${audit.catalog_score}` });
  await earlier.waitFor({ state: "attached" });
  await page.getByText(new RegExp(`^${audit.catalog_score} .* = ${worse.catalog_score}$`)).waitFor();
  await page
    .getByRole("combobox", { name: "Change" })
    .selectOption((await earlier.getAttribute("value")) ?? "");
  await page.waitForURL(/change=/);
  await page.getByText(identity, { exact: true }).waitFor();
});

test("before the first sync there is no score, and an empty catalog has none either", { skip }, async () => {
  const fresh = await running.api.openShop([]);
  const { page, inspect } = await running.open(`/c/${fresh.slug}/audit`);
  await page.getByRole("heading", { name: "Not scored yet" }).waitFor();
  assert.equal(
    await page.getByRole("link", { name: "Go to the sources" }).getAttribute("href"),
    `/c/${fresh.slug}/sources`,
  );
  assert.doesNotMatch(await page.locator("main").innerText(), /\b(0|100)\b/);
  await inspect("audit-not-scored");

  assert.equal((await fresh.sync()).status, 200);
  await page.getByText("The catalog has no items").waitFor();

  fresh.sells(mugs(3));
  assert.equal((await fresh.sync()).status, 200);
  await page.getByText("Nothing: every row was stored").waitFor();
});

test("loading and failing say so", { skip }, async () => {
  const { page, check } = await running.open(`/c/${shop.slug}`);
  await page.route("**/api/v1/audit", async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    await route.fulfill({
      status: 503,
      contentType: "application/problem+json",
      body: JSON.stringify({ detail: "The database is away.", code: "unavailable", request_id: "r-1" }),
    });
  });
  await page.goto(`${running.url}/c/${shop.slug}/audit`);
  await page.getByRole("heading", { name: "Audit", level: 1 }).waitFor();
  await page.getByText("Loading…").waitFor();
  await check("loading");
  await page.getByRole("alert").waitFor();
  assert.match(
    await page.getByRole("alert").innerText(),
    /The database is away\.[\s\S]*unavailable[\s\S]*r-1/,
  );
  await check("failed");
  await page.unroute("**/api/v1/audit");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("heading", { name: "What to fix first" }).waitFor();
});
