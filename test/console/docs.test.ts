/** The page that shows the OpenAPI document. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import axe from "axe-core";
import { buildApp } from "../../src/http/app.ts";
import { runningApi } from "../api/running-api.ts";
import { consoleOfFile, skip } from "./browser.ts";
import type { Console, Visit } from "./browser.ts";

const running = consoleOfFile();

type Page = Visit["page"];
type Document = Readonly<
  Record<"paths" | "webhooks", Record<string, Record<string, { operationId: string }>>>
>;

/** Opens the page in a new browser profile. `faults`: requests to other hosts, and what the policy refused. */
async function open(options?: Parameters<Console["visit"]>[0]) {
  const { page } = await running.visit(options);
  const faults: string[] = [];
  page.on("request", (request) => {
    if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(running.url))
      faults.push(request.url());
  });
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("console", (message) => {
    if (message.text().includes("Content Security Policy")) faults.push(message.text());
  });
  await page.goto(`${running.url}/docs`);
  await page.locator(".opblock").first().waitFor();
  return { page, faults };
}

const operation = (page: Page, id: string) => page.locator(`[id^="operations-"][id$="-${id}"]`);

async function expand(page: Page, id: string): Promise<void> {
  await operation(page, id).locator(".opblock-summary-control").click();
  await operation(page, id).locator(".responses-inner").waitFor();
}

/** What axe-core calls serious or critical. Swagger UI's landmarks and order of headings are only moderate. */
async function seriousFindings(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  return page.evaluate<string[]>(
    `axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(({ id, nodes }) => id + ": " + nodes.map((node) => node.html).join(" ")))`,
  );
}

test("every operation and every webhook of the document is on the page", { skip }, async () => {
  const { paths, webhooks } = (await running.api.ask("/api/v1/openapi.json")).json as Document;
  const ids = Object.values(paths).flatMap((methods) =>
    Object.values(methods).map(({ operationId }) => operationId),
  );

  const { page, faults } = await open();

  assert.equal(await page.locator(".opblock").count(), ids.length + Object.keys(webhooks).length);
  for (const id of ids) assert.equal(await operation(page, id).count(), 1, id);
  assert.equal(await page.title(), "API – Shelfwire");
  assert.deepEqual(faults, []);
});

for (const colorScheme of ["light", "dark"] as const) {
  test(`in ${colorScheme} colors axe finds nothing serious, and nothing breaks the policy`, {
    skip,
  }, async () => {
    const { page, faults } = await open({ colorScheme });

    for (const id of ["listItems", "replaceCatalog", "updateCatalog", "revokeKey"]) await expand(page, id);

    assert.deepEqual(await seriousFindings(page), []);
    assert.deepEqual(faults, []);
    const isDark = await page.evaluate(`document.documentElement.classList.contains("dark-mode")`);
    assert.equal(isDark, colorScheme === "dark");
  });
}

test("on a phone nothing is wider than the screen", { skip }, async () => {
  const { page } = await open({ viewport: { width: 360, height: 740 } });

  await expand(page, "replaceCatalog");

  assert.equal(await page.evaluate("document.documentElement.scrollWidth"), 360);
});

test("with the keyboard alone an operation opens, takes a pasted key and shows the answer", {
  skip,
}, async () => {
  const { readKey } = await running.api.createCatalog();
  const { page, faults } = await open();
  const press = async (name: string | RegExp, within = page.locator("body")) => {
    const button = within.getByRole("button", { name }).first();
    await button.focus();
    await page.keyboard.press("Enter");
  };

  await press("Authorize");
  await page.getByLabel(/value/i).fill(readKey);
  await page.keyboard.press("Enter");
  await press("Close");
  await press(/currentKey|keys\/current/, operation(page, "getCurrentKey"));
  await press("Try it out", operation(page, "getCurrentKey"));
  const answered = page.waitForResponse(/keys\/current$/);
  await press("Execute", operation(page, "getCurrentKey"));

  assert.equal((await answered).status(), 200);
  assert.deepEqual(faults, []);
});

test("a call from the page never uses the session of the console", { skip }, async () => {
  await running.api.createCatalog();
  const { page } = await open();
  await page.goto(await running.signInLink());
  await page.getByRole("heading", { name: "Catalogs" }).waitFor();
  assert.equal((await page.context().cookies()).length, 1);
  await page.goto(`${running.url}/docs#/Catalog/listCatalogs`);
  await operation(page, "listCatalogs").locator(".responses-inner").waitFor();

  await operation(page, "listCatalogs").getByRole("button", { name: "Try it out" }).click();
  const asked = page.waitForRequest(/catalogs$/);
  await operation(page, "listCatalogs").getByRole("button", { name: "Execute" }).click();

  const request = await asked;
  assert.equal((await request.allHeaders())["cookie"], undefined);
  assert.equal((await request.response())?.status(), 401);
});

test("without a build the page says where the document is", async () => {
  const folder = await mkdtemp(join(tmpdir(), "shelfwire-no-console-"));
  await using api = await runningApi({ hasWorker: false });
  const app = await buildApp({ ...api.parts, consoleDir: folder });
  try {
    const answer = await app.inject("/docs");

    assert.equal(answer.statusCode, 200);
    assert.match(answer.body, /OpenAPI document of this API is at \/api\/v1\/openapi\.json\./);
    assert.equal((await app.inject("/api/v1/openapi.json")).statusCode, 200);
  } finally {
    await app.close();
    await rm(folder, { recursive: true });
  }
});
