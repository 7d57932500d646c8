/** Keys, settings, changes and the page about the installation, in a real browser. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { SETTING_NAMES } from "../../src/contract/catalog-setting-table.ts";
import type { CatalogSettingsAnswer } from "../../src/contract/catalog-settings.ts";
import type { Wire } from "../../src/contract/shapes.ts";
import { markRestored } from "../../src/pipeline/restored.ts";
import { restoredSince } from "../../src/store/restores.ts";
import { createKey } from "../../src/setup/keys.ts";
import { mugs } from "../api/rows.ts";
import { ask } from "../api/running-api.ts";
import type { Shop } from "../api/running-api.ts";
import { consoleOfFile, skip } from "./browser.ts";
import type { Visit } from "./browser.ts";

let shop: Shop;
let visit: Visit;
const running = consoleOfFile(async (opened) => {
  shop = await opened.api.openShop(mugs(30));
  assert.equal((await shop.sync()).status, 200);
  visit = await opened.open(`/c/${shop.slug}/keys`, { permissions: ["clipboard-read", "clipboard-write"] });
});

const callWith = async (key: string, path: string) =>
  ask(`${running.api.url}/api/v1${path}`, { headers: { authorization: `Bearer ${key}` } });

async function signIn(key: string): Promise<Visit> {
  const signedIn = await running.visit();
  await signedIn.page.goto(running.url);
  await signedIn.page.getByLabel("API key").fill(key);
  await signedIn.page.keyboard.press("Enter");
  await signedIn.page.getByRole("heading", { name: "Catalogs" }).waitFor();
  return signedIn;
}

async function keyWith(name: string, scopes: readonly string[]): Promise<string> {
  const { key } = await createKey(running.api.db, { catalogId: shop.id, name, scopes, expiresAt: null });
  return key;
}

const rowOf = (page: Visit["page"], name: string) => page.getByRole("row").filter({ hasText: name });

test("a key made in the console works with the API until it is revoked there", { skip }, async () => {
  const { page, inspect } = visit;
  await page.getByRole("button", { name: "Create a key" }).click();
  await page.getByRole("button", { name: "Create", exact: true }).click();
  await page.getByRole("alert").waitFor();
  assert.match(await page.getByRole("alert").innerText(), /^Correct the field that is marked\.\s+Code/);
  assert.equal(await page.getByRole("dialog").locator(":focus").getAttribute("name"), "name");
  await inspect("keys-create-refused");
  await page.getByLabel("Name").fill("Nightly export to the warehouse");
  await page.getByLabel("It stops working").selectOption("in 90 days");
  await page.getByRole("button", { name: "Create", exact: true }).click();
  const field = page.getByRole("textbox", { name: "API key" });
  await field.waitFor();
  const key = await field.inputValue();
  await page.getByRole("button", { name: "Copy the key" }).click();
  assert.equal(await page.evaluate("navigator.clipboard.readText()"), key);
  await rowOf(page, "Nightly export").getByText("in 3 months").waitFor();
  await inspect("keys-created");
  await page.getByRole("button", { name: "Create a key" }).click();
  assert.equal(await page.getByLabel("Name").inputValue(), "", "a dialog begins anew");
  assert.equal(await page.getByLabel("It stops working").inputValue(), "");
  await page.getByRole("button", { name: "Cancel" }).click();

  assert.equal((await callWith(key, "/items")).status, 200);
  assert.equal((await callWith(key, "/keys")).status, 403);
  await page.reload();
  await rowOf(page, "Nightly export").getByText("just now").first().waitFor();
  assert.equal(await page.getByText(key).count(), 0);

  await rowOf(page, "Nightly export").getByRole("button", { name: "Revoke" }).click();
  await inspect("keys-revoke-dialog");
  await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
  await rowOf(page, "Nightly export").getByText("Revoked").waitFor();
  assert.equal((await callWith(key, "/items")).status, 401);
});

test("the last key with admin is revoked only on purpose, and one's own key ends the session", {
  skip,
}, async () => {
  const owner = await keyWith("Owner's laptop", ["read", "write", "admin"]);
  const { page, inspect } = await signIn(owner);
  await page.goto(`${running.url}/c/${shop.slug}/keys`);
  const row = rowOf(page, "Owner's laptop");
  await row.getByText("Your session").waitFor();
  await row.getByRole("button", { name: "Revoke" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("This is the key of your own session").waitFor();
  await dialog.getByRole("button", { name: "Revoke" }).click();
  await dialog.getByRole("alert").waitFor();
  assert.match(await dialog.getByRole("alert").innerText(), /last key with the scope "admin"[\s\S]*conflict/);
  await inspect("keys-last-admin");
  await dialog.getByLabel("Revoke it nevertheless").check();
  await dialog.getByRole("button", { name: "Revoke" }).click();

  await page.getByText("Your session has ended").waitFor();
  await inspect("session-ended");
  assert.equal((await callWith(owner, "/items")).status, 401);
  // The page offers to sign in, and then shows what it showed before.
  await page.getByLabel("API key").fill(shop.readKey);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "API keys" }).waitFor();
});

test("a key without admin sees itself, and which scope the rest needs", { skip }, async () => {
  const { page, inspect } = await signIn(shop.readKey);
  await page.goto(`${running.url}/c/${shop.slug}/keys`);
  await page.getByText("The key of your session").waitFor();
  await page.getByText(shop.readKey.slice(0, 10)).waitFor();
  await page.getByRole("button", { name: "Create a key" }).press("Enter");
  assert.equal(await page.getByRole("dialog").count(), 0);
  await page.getByText("Needs a key with the scope “admin”.").waitFor();
  await inspect("keys-read-only");

  await page.getByRole("link", { name: "Settings" }).click();
  const save = page.getByRole("button", { name: "Save the changes" });
  await save.waitFor();
  // The settings, and the limits of publication.
  const notes = page.getByText("You cannot change these fields: that needs a key with the scope “admin”.");
  await notes.nth(1).waitFor();
  for (const field of await page.getByRole("main").locator("input, select").all())
    assert.equal(await field.isDisabled(), true, (await field.getAttribute("name")) ?? "");
  for (const button of [save, page.getByRole("button", { name: "Remove this catalog" })])
    assert.equal(await button.getAttribute("aria-disabled"), "true");
  await inspect("settings-read-only");
  await page.getByRole("link", { name: "Changes" }).click();
  await page.getByRole("row").nth(1).waitFor();
});

const settings = async () =>
  ((await shop.call("/api/v1/catalog/settings")).json as Wire<typeof CatalogSettingsAnswer>).data;

test("settings: every one has a field, only what changed is sent, and the feeds are rendered with it", {
  skip,
}, async () => {
  const { page, inspect } = visit;
  await page.goto(`${running.url}/c/${shop.slug}/settings`);
  await page.getByLabel("Currency", { exact: true }).waitFor();
  const names = await page.evaluate<string[]>(
    `[...new FormData(document.querySelector("form")).keys()].filter((name) => name !== "name")`,
  );
  assert.deepEqual(names.toSorted(), SETTING_NAMES.toSorted());
  await inspect("settings");
  await page.getByRole("button", { name: "Save the changes" }).click();
  await page.getByText("Nothing was changed yet.").waitFor();

  for (const [label, wrong] of [
    ["Days to return", "soon"],
    ["Language", "klingon!"],
  ] as const) {
    const right = await page.getByLabel(label).inputValue();
    await page.getByLabel(label).fill(wrong);
    await page.getByRole("button", { name: "Save the changes" }).click();
    await page.locator(`[aria-invalid="true"]`).waitFor();
    assert.equal(await page.getByLabel(label).getAttribute("aria-invalid"), "true");
    if (label === "Days to return") await page.getByLabel(label).fill(right);
  }
  await inspect("settings-refused");

  const before = await settings();
  const sent = page.waitForRequest((request) => request.method() === "PATCH");
  await page.getByLabel("Language").fill("");
  await page.getByLabel("Currency", { exact: true }).selectOption("Euro (EUR)");
  await page.getByLabel("Days to return").fill("30");
  await page.getByLabel("Accepts returns").selectOption("Yes");
  await page.getByLabel("Incomplete items").selectOption("Leave them out of the file for Google");
  await chooseCountries(page);
  await inspect("settings-changed");
  await page.getByLabel("Seller").fill("");
  await page.getByLabel("Name of the catalog").fill("Kiln & Co. <Berlin>");
  await page.getByRole("button", { name: "Save the changes" }).click();
  assert.deepEqual((await sent).postDataJSON(), {
    name: "Kiln & Co. <Berlin>",
    settings: {
      currency: "EUR",
      target_countries: ["DE", "AT"],
      seller_name: null,
      accepts_returns: true,
      return_days: 30,
      incomplete_items: { google: "leave_out" },
    },
  });
  await page.getByText("the feeds were rendered with the new settings").waitFor();
  await page.getByRole("navigation", { name: "Catalog" }).getByText("Kiln & Co. <Berlin>").waitFor();
  const after = await settings();
  assert.equal(after.name, "Kiln & Co. <Berlin>");
  assert.deepEqual(after.settings, {
    ...before.settings,
    currency: "EUR",
    target_countries: ["DE", "AT"],
    seller_name: null,
    accepts_returns: true,
    return_days: 30,
    incomplete_items: { google: "leave_out" },
  });
  await page.reload();
  assert.equal(await page.getByLabel("Incomplete items").inputValue(), "google");
});

/** Germany and Austria, by keyboard. The last one is chosen without pressing "Add". */
async function chooseCountries(page: Page): Promise<void> {
  const list = page.getByRole("combobox", { name: "Sells to" });
  const chosen = page.getByRole("list", { name: "Sells to" }).getByRole("listitem");
  await list.focus();
  for (const country of ["Germany (DE)", "France (FR)"]) {
    await list.selectOption(country);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await chosen.filter({ hasText: country }).waitFor();
  }
  await page.getByRole("button", { name: "Remove France (FR)" }).press("Enter");
  assert.deepEqual(await chosen.allInnerTexts().then((all) => all.map((one) => one.split("\n")[0])), [
    "Germany (DE)",
  ]);
  await page.getByRole("combobox", { name: "Sells to" }).and(page.locator(":focus")).waitFor();
  await list.selectOption("Austria (AT)");
}

test("changes are listed in pages with who made them, what they concern and whether they failed", {
  skip,
}, async () => {
  const { page, inspect } = visit;
  await shop.call("/api/v1/catalog", { method: "PATCH", body: { products: 7 } });
  for (let i = 0; i < 55; i++)
    await shop.call("/api/v1/feeds/rotate", { method: "POST", body: { overlap_s: 0 } });
  await page.goto(`${running.url}/c/${shop.slug}/changes`);
  await page.getByRole("row").nth(1).waitFor();
  await page.getByRole("link", { name: "Next page" }).click();
  await page.waitForURL(/cursor=/);
  await page.locator(".table-scroll:focus").waitFor();
  const settingsRow = rowOf(page, "Changed the settings");
  await settingsRow.getByText("name, Currency, Sells to").waitFor();
  assert.match(await settingsRow.innerText(), /sign-in links/);
  await rowOf(page, "Revoked a key").first().waitFor();
  await rowOf(page, "Started a sync").getByRole("link", { name: "Run" }).waitFor();
  await rowOf(page, "Pushed items").getByText("Failed").waitFor();
  await inspect("changes");
});

test("the page about the installation has its version, state, license and documentation", {
  skip,
}, async () => {
  const { page, inspect } = visit;
  await page.goto(running.url);
  await page.getByRole("link", { name: "About" }).click();
  await page.getByText("Running").waitFor();
  await page.getByText("Apache License 2.0").waitFor();
  assert.equal(
    await page.getByRole("link", { name: "OpenAPI document" }).getAttribute("href"),
    "/api/v1/openapi.json",
  );
  await inspect("about");
});

test("a restored copy says on every page that it sends nothing, and an operator makes it live", {
  skip,
}, async () => {
  await running.api.db.tx(markRestored);
  const { page: reader } = await signIn(await keyWith("Reader", ["read"]));
  await reader.getByText("It sends nothing").waitFor();
  assert.equal(await reader.getByRole("button", { name: "Make it live" }).count(), 0);
  const { page, inspect } = visit;
  await page.goto(`${running.url}/c/${shop.slug}/items`);
  const banner = page.getByRole("complementary", { name: "Restored copy" });
  await banner.getByRole("button", { name: "Make it live…" }).click();
  await inspect("restored-copy");
  await page.getByRole("dialog").getByRole("button", { name: "Make it live", exact: true }).click();

  await banner.waitFor({ state: "detached" });
  assert.equal(await restoredSince(running.api.db), null);
});

test("a catalog is removed after its slug was typed", { skip }, async () => {
  const other = await running.api.openShop(mugs(5));
  assert.equal((await other.sync()).status, 200);
  const { page, inspect } = visit;
  await page.goto(`${running.url}/c/${other.slug}/settings`);
  await page.getByRole("button", { name: "Remove this catalog" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel(`Type ${other.slug} to confirm`).fill("shop");
  await dialog.getByRole("button", { name: "Remove for good" }).click();
  await dialog.getByRole("alert").waitFor();
  await inspect("settings-remove-refused");
  assert.equal((await other.call("/api/v1/items")).status, 200);
  await dialog.getByLabel(`Type ${other.slug} to confirm`).fill(other.slug);
  await dialog.getByRole("button", { name: "Remove for good" }).click();

  await page.getByRole("heading", { level: 1, name: "Catalogs" }).waitFor();
  await page.getByRole("link", { name: "Kiln & Co. <Berlin>" }).waitFor();
  await page.getByRole("link", { name: `Shop ${other.slug.split("-")[1]}` }).waitFor({ state: "detached" });
  assert.equal((await other.call("/api/v1/items")).status, 401);
});
