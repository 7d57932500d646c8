/**
 * What every page promises: few bytes, no jumps, no other host, the keyboard alone, and clear loading and error states.
 */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { createKey } from "../../src/setup/keys.ts";
import { mugs } from "../api/rows.ts";
import { ask } from "../api/running-api.ts";
import type { Shop } from "../api/running-api.ts";
import { answer, openReceiver } from "../fakes/receiver.ts";
import type { Receiver } from "../fakes/receiver.ts";
import { consoleOfFile, skip } from "./browser.ts";

let receiver: Receiver;
let shop: Shop;
const running = consoleOfFile(async (opened, parts) => {
  receiver = parts.use(await openReceiver());
  shop = await opened.api.openShop(mugs(120));
  assert.equal((await shop.sync()).status, 200);
});

const MAX_SCRIPT_BYTES = 80_000;
/** Rounding of positions causes shifts that cannot be seen. */
const MAX_SHIFT = 0.01;

/** Begins before the page: sums up what moves without the user's doing. */
const OBSERVER = `
  window.shift = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shift += entry.value;
  }).observe({ type: "layout-shift", buffered: true });`;

async function settled(page: Page): Promise<void> {
  await page.locator("h1").waitFor();
  await page.locator(".loading").waitFor({ state: "detached" });
  await page.waitForTimeout(300);
}

test("the first pages load at most 80 kB of script, nothing on them jumps, and no other host is asked", {
  skip,
}, async (context) => {
  for (const path of ["/", `/c/${shop.slug}`]) {
    const { page, check } = await running.visit();
    await page.goto(await running.signInLink());
    await page.getByRole("heading", { name: "Catalogs" }).waitFor();
    await page.context().addInitScript(OBSERVER);
    let bytes = 0;
    const scripts: Promise<void>[] = [];
    page.on("response", (response) => {
      if (response.request().resourceType() === "script")
        scripts.push(response.body().then((body) => void (bytes += gzipSync(body).length)));
    });
    // Without what the page before has left in the cache.
    await page.context().route("**/assets/*", async (route) => route.continue());
    await page.goto(running.url + path);
    await settled(page);
    await Promise.all(scripts);

    const [paint, shift] = await page.evaluate<[number, number]>(
      `[performance.getEntriesByName("first-contentful-paint")[0].startTime, window.shift]`,
    );
    context.diagnostic(
      `${path}: ${bytes} bytes of gzipped script, first contentful paint after ${Math.round(paint)} ms, layout shift ${shift.toFixed(4)}`,
    );
    assert.ok(bytes > 0 && bytes <= MAX_SCRIPT_BYTES, `${path} loads ${bytes} bytes`);
    assert.ok(shift <= MAX_SHIFT, `${path} shifts by ${shift}`);
    await check(path);
  }
});

/** Presses Tab until the focus is on what a user looks for, as the keyboard's users do. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 200; presses++) {
    await page.keyboard.press("Tab");
    const [text, outline] = await page.evaluate<[string, string]>(`(() => {
      const e = document.activeElement;
      const label = e.getAttribute("aria-label") ?? e.labels?.[0]?.innerText ?? e.innerText ?? "";
      const { outlineStyle, outlineWidth } = getComputedStyle(e);
      return [label.trim(), outlineStyle + " " + outlineWidth];
    })()`);
    if (text !== name) continue;
    assert.match(outline, /^(solid|auto) [1-9]/, `the focus on “${name}” is not visible`);
    return;
  }
  assert.fail(`“${name}” is not reached with Tab`);
}

const headingOf = async (page: Page): Promise<string> => {
  await page.locator("h1:focus").waitFor();
  return page.locator("h1").innerText();
};

test("with the keyboard alone: sign in, open a catalog, reach every page, use a dialog", {
  skip,
}, async () => {
  const scopes = ["read", "write", "admin"];
  const { key } = await createKey(running.api.db, {
    catalogId: shop.id,
    name: "keyboard",
    scopes,
    expiresAt: null,
  });
  const { page } = await running.visit();
  await page.goto(running.url);
  await page.getByLabel("API key").waitFor();
  await tabTo(page, "API key");
  await page.keyboard.type(key);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Catalogs" }).waitFor();
  const name = `Shop ${shop.slug.split("-")[1]}`;
  await tabTo(page, name);
  await page.keyboard.press("Enter");
  await page.waitForURL(`${running.url}/c/${shop.slug}`);

  const links = await page.getByRole("navigation", { name: "Catalog" }).getByRole("link").allInnerTexts();
  assert.ok(links.length >= 10);
  // The overview is open already.
  for (const link of [...links.slice(1), ...links.slice(0, 1)]) {
    await tabTo(page, link);
    await page.keyboard.press("Enter");
    await page
      .getByRole("link", { name: link, exact: true, includeHidden: false })
      .and(page.locator("[aria-current]"))
      .waitFor();
    assert.notEqual(await headingOf(page), "", link);
  }
  await tabTo(page, "Skip to the content");

  await page.goto(`${running.url}/c/${shop.slug}/keys`);
  await page.getByRole("row").nth(1).waitFor();
  await tabTo(page, "Create a key");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").waitFor();
  // The rest of the page is out of reach while the dialog is open.
  for (let i = 0; i < 12; i++) {
    await page.keyboard.press("Tab");
    const isInside = await page.evaluate(
      `document.activeElement === document.body || document.activeElement.closest("dialog") !== null`,
    );
    assert.ok(isInside);
  }
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "hidden" });
  assert.equal(await page.evaluate("document.activeElement.innerText"), "Create a key");
  await page.keyboard.press("Enter");
  await tabTo(page, "Name");
  await page.keyboard.type("by keyboard");
  await page.keyboard.press("Enter");
  await page.getByRole("textbox", { name: "API key" }).waitFor();
  await page.getByRole("row").filter({ hasText: "by keyboard" }).waitFor();
});

/** Every address of `app.tsx`, with ids of things that exist. */
async function allPages(): Promise<readonly string[]> {
  const source = await readFile(join(import.meta.dirname, "../../console/src/app.tsx"), "utf8");
  const patterns = Array.from(source.matchAll(/^ {2}"(\/[^"]*)": lazy/gm), ([, pattern = ""]) => pattern);
  assert.ok(patterns.length > 20);
  const post = async (path: string, body: object) =>
    ((await shop.call(`/api/v1${path}`, { method: "POST", body })).json as { data: Record<string, string> })
      .data;
  const url = receiver.on("/hook", answer(200));
  const { id: webhook = "" } = await post("/webhooks", { url, events: ["sync.completed"] });
  const { delivery_id: delivery = "" } = await post("/webhooks/test", { id: webhook });
  const { run_id: run = "" } = await post("/syncs", { source_id: shop.sourceId });
  const settings = { url: "https://127.0.0.1:1/files" };
  const { id: destination = "" } = await post("/destinations", {
    kind: "https",
    settings,
    format: "gmc.tsv",
  });
  const { last_render: render } = await shop.feeds();
  const ids: Readonly<Record<string, string>> = {
    sources: shop.sourceId,
    runs: run,
    renders: render?.run_id ?? "",
    destinations: destination,
    items: "mug-001",
    webhooks: webhook,
    deliveries: delivery,
  };
  return patterns.map((pattern) =>
    pattern
      .replace(":slug", shop.slug)
      .replace(/item$/, "item?id=mug-001")
      .replace(/destinations\/new$/, "destinations/new?to=https")
      .replace(":file", "gmc.tsv")
      .replace(":rule", "image.missing")
      .replace(/(\w+)\/:id/, (_all, kind: string) => `${kind}/${ids[kind] ?? assert.fail(pattern)}`),
  );
}

/** These calls belong to the frame of every page. */
const isOfFrame = (url: string): boolean => /\/api\/v1\/(catalogs|events|session)$/.test(url);

test("every page is accessible while it loads and when its calls fail, and then shows what failed", {
  skip,
}, async () => {
  const pages = await allPages();
  const { page, check } = await running.open("/");
  let calls = 0;
  let isFailing = false;
  await page.route("**/api/v1/**", async (route) => {
    const url = route.request().url().split("?")[0] ?? "";
    if (isOfFrame(url)) return route.continue();
    // Every page of a catalog asks whether publication is held or paused; without an answer it says nothing about it.
    if (!url.endsWith("/feeds")) calls += 1;
    if (!isFailing) return undefined;
    return route.fulfill({
      status: 500,
      contentType: "application/problem+json",
      body: JSON.stringify({
        title: "Internal error",
        detail: "Something unexpected happened. The log of the server has the details.",
        code: "internal_error",
        request_id: "request-4711",
      }),
    });
  });
  for (const path of pages)
    for (const state of ["loading", "error"] as const) {
      isFailing = state === "error";
      calls = 0;
      await page.goto(running.url + path);
      await page.locator("h1").waitFor();
      if (isFailing && calls > 0) {
        const alert = page.getByRole("alert").first();
        await alert.waitFor().catch((error: unknown) => assert.fail(`${path}: ${String(error)}`));
        assert.match(
          await alert.innerText(),
          /Something unexpected[\s\S]*internal_error[\s\S]*request-4711/,
          path,
        );
      }
      await check(`${path} in the state ${state}`);
    }
});

/** A browser opens this many connections to a host; each visible page holds one for its events. */
const CONNECTIONS = 6;

test("pages that are left give their connection back, and the back button shows current pages", {
  skip,
}, async () => {
  const { page } = await running.open("/");
  const pages = ["", "/runs", "/sources", "/items", "/webhooks"];
  for (let visits = 0; visits < 2 * CONNECTIONS; visits++) {
    const streams = page.waitForResponse("**/api/v1/events");
    await page.goto(`${running.url}/c/${shop.slug}${pages[visits % pages.length]}`);
    await page.locator("h1").waitFor();
    assert.equal((await streams).status(), 200, `visit ${visits + 1}`);
  }
  await page.goto(`${running.url}/c/${shop.slug}/runs`);
  await page
    .getByRole("link", { name: /^Sync of/ })
    .first()
    .waitFor();
  const count = await page.locator(".run").count();
  await page.evaluate("window.isKept = true");
  await page.goto(`${running.url}/c/${shop.slug}/items`);
  await page.locator("h1").waitFor();
  assert.equal((await shop.sync()).status, 200);
  await page.goBack({ waitUntil: "commit" });
  await page.locator(".run").nth(count).waitFor();
  assert.equal(await page.evaluate("window.isKept"), true, "the browser kept the page");
});

test("a page that does not exist says so and leads back", { skip }, async () => {
  const { page, inspect } = await running.open(`/c/${shop.slug}/nowhere`);
  await page.getByRole("heading", { name: "Page not found" }).waitFor();
  await inspect("not-found");
  assert.equal((await page.goto(`${running.url}/nowhere`))?.status(), 404);
  await page.getByRole("heading", { name: "Page not found" }).waitFor();
  for (const path of ["/nowhere", "/%E0%A4%A", "/api/v1/nowhere"])
    assert.match((await ask(running.url + path)).text, /"code":"(not_found|invalid_request)"/, path);
});

test("on a phone the current entry of the navigation is in view, and so is every button of a table", {
  skip,
}, async () => {
  const { page } = await running.open(`/c/${shop.slug}/changes`, { viewport: { width: 360, height: 740 } });
  const isInView = async (selector: string) =>
    page.evaluate<boolean>(`(() => {
      const { left, right } = document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect();
      return left >= 0 && right <= innerWidth;
    })()`);
  const current = page.getByRole("navigation", { name: "Catalog" }).locator("[aria-current]");
  assert.equal(await current.innerText(), "Changes");
  assert.ok(await isInView("nav.side [aria-current]"));
  for (const path of ["/feeds", "/sources", "/keys"]) {
    await page.goto(`${running.url}/c/${shop.slug}${path}`);
    await page.locator("td button").first().waitFor();
    assert.ok(await isInView("td button"), path);
  }
});
