/** First visits: by a sign-in link, and by a key. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createSignInLink } from "../../src/setup/sessions.ts";
import { mugs } from "../api/rows.ts";
import { consoleOfFile, skip } from "./browser.ts";

const running = consoleOfFile();

test("a sign-in link opens the console on the catalogs, and leaves no code in the address", {
  skip,
}, async () => {
  const shop = await running.api.openShop(mugs(3));
  assert.equal((await shop.sync()).status, 200);
  const { page, check } = await running.visit();

  await page.goto(await running.signInLink());
  await page.getByRole("heading", { name: "Catalogs" }).waitFor();
  assert.equal(page.url(), `${running.url}/`);
  await check("the catalogs");

  await page.getByRole("link", { name: `Shop ${shop.slug.split("-")[1]}` }).click();
  await page.getByRole("link", { name: "acp.csv" }).waitFor();
  assert.equal(page.url(), `${running.url}/c/${shop.slug}`);
  await check("the overview");
});

test("the link of the first start opens the console on the demo catalog", { skip }, async () => {
  const shop = await running.api.openShop(mugs(2));
  assert.equal((await shop.sync()).status, 200);
  const { page } = await running.visit();

  await page.goto(await createSignInLink(running.api.db, running.url, shop.slug));
  await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();

  assert.equal(page.url(), `${running.url}/c/${shop.slug}`);
});

test("a link that was used before says so, and a key signs in instead", { skip }, async () => {
  const { readKey } = await running.api.createCatalog();
  const link = await running.signInLink();
  const first = await running.visit();
  await first.page.goto(link);
  await first.page.getByRole("heading", { name: "Catalogs" }).waitFor();
  const { page, check } = await running.visit({ colorScheme: "dark" });

  await page.goto(link);
  await page.getByRole("alert").waitFor();
  assert.match(await page.getByRole("alert").innerText(), /used before or has expired[\s\S]*unauthorized/);
  await check("the refusal");
  await page.getByLabel("API key").fill(readKey);
  await page.keyboard.press("Enter");

  await page.getByRole("heading", { name: "Catalogs" }).waitFor();
  const cookies = await page.context().cookies();
  assert.deepEqual(
    cookies.map(({ httpOnly, sameSite }) => [httpOnly, sameSite]),
    [[true, "Strict"]],
  );
  assert.equal(await page.evaluate("document.cookie"), "");
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByLabel("API key").waitFor();
});

test("on a phone nothing is wider than the screen", { skip }, async () => {
  const shop = await running.api.openShop(mugs(1));
  assert.equal((await shop.sync()).status, 200);
  const { page, check } = await running.visit({ viewport: { width: 360, height: 740 } });

  await page.goto(await running.signInLink());
  await page.getByRole("heading", { name: "Catalogs" }).waitFor();
  await page.goto(`${running.url}/c/${shop.slug}`);
  await page.getByRole("link", { name: "acp.csv" }).waitFor();

  assert.equal(await page.evaluate("document.documentElement.scrollWidth"), 360);
  await check("the overview on a phone");
});
