/** A real browser on the console of a running installation. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { delimiter, join } from "node:path";
import { after, before } from "node:test";
import { accessSync } from "node:fs";
import axe from "axe-core";
import { chromium } from "playwright-core";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { buildApp } from "../../src/http/app.ts";
import { createSignInLink } from "../../src/setup/sessions.ts";
import { WAIT_LIMIT_MS } from "../actions.ts";
import type { Disposable } from "../fresh.ts";
import { runningApi } from "../api/running-api.ts";
import type { RunningApi } from "../api/running-api.ts";

type AppParts = Parameters<typeof buildApp>[0];

const ROOT = join(import.meta.dirname, "../..");

function findBrowser(): string | undefined {
  const names = ["chromium", "chromium-browser", "google-chrome"];
  for (const folder of (process.env["PATH"] ?? "").split(delimiter))
    for (const name of names) {
      const path = join(folder, name);
      try {
        accessSync(path);
        return path;
      } catch {
        // Not here.
      }
    }
  return undefined;
}

const BROWSER = findBrowser();
/** For `test`: why there is nothing to test with, or false. */
export const skip: string | false =
  BROWSER === undefined ? "no Chromium is installed, so the console is not tested" : false;

export type Visit = {
  readonly page: Page;
  /** Fails if axe-core finds anything, or the page asked another host for something. */
  readonly check: (what: string) => Promise<void>;
  /**
   * Checks the page in light and dark, wide and on a phone: axe-core finds nothing, nothing is wider than the screen,
   * and no table of records is cut off. Leaves a screenshot of each as `<name>-<size>-<color>.png` in the folder
   * `screenshots`.
   */
  readonly inspect: (name: string) => Promise<void>;
};

export type Console = {
  readonly api: RunningApi;
  readonly url: string;
  /** A new browser profile, without cookies. */
  readonly visit: (options?: Parameters<Browser["newContext"]>[0]) => Promise<Visit>;
  readonly signInLink: () => Promise<string>;
  /** A new browser profile that is signed in to all catalogs, on a page. */
  readonly open: (path: string, options?: Parameters<Browser["newContext"]>[0]) => Promise<Visit>;
};

/** Not part of the repository: artifacts of a test run. */
export const SCREENSHOTS = join(ROOT, "screenshots");
/** The pictures of README.md and docs/. `UPDATE_SCREENSHOTS=1 npm run test:console` takes them again. */
const DOCUMENTED: readonly string[] = ["overview-attention", "audit-changed", "run", "new-source-tested"];
const SIZES = { wide: { width: 1280, height: 800 }, phone: { width: 360, height: 740 } } as const;

/** Tables of records whose last columns are outside of their frame. */
const CUT_TABLES = `[...document.querySelectorAll(".table-scroll.records")]
  .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
  .map((table) => table.getAttribute("aria-label") + ": " + table.scrollWidth + " in " + table.clientWidth)`;

/** The console of a test file: open while its tests run. `setUp` may leave more in `parts` to close after them. */
export function consoleOfFile(
  setUp: (running: Console, parts: AsyncDisposableStack) => Promise<void> = async () => undefined,
  /** Parts of the server that differ from those of other tests, such as one that sends mail. */
  morePartsOf: (api: RunningApi) => Partial<AppParts> = () => ({}),
): Console {
  const running = {} as Console;
  const parts = new AsyncDisposableStack();
  before(async () => {
    if (skip !== false) return;
    Object.assign(running, parts.use(await openConsole(morePartsOf)));
    await setUp(running, parts);
  });
  after(async () => parts.disposeAsync());
  return running;
}

async function openConsole(
  morePartsOf: (api: RunningApi) => Partial<AppParts>,
): Promise<Disposable<Console>> {
  const parts = new AsyncDisposableStack();
  execFileSync(process.execPath, [join(ROOT, "console/build.ts"), "--if-changed"]);
  const api = parts.use(await runningApi());
  const app = await buildApp({ ...api.parts, ...morePartsOf(api), consoleDir: join(ROOT, "console/dist") });
  parts.defer(async () => app.close());
  const url = await app.listen({ host: "127.0.0.1", port: 0 });
  const browser = await chromium.launch({
    ...(BROWSER !== undefined && { executablePath: BROWSER }),
    args: ["--no-sandbox"],
    // Playwright turns off what users have: the page before is kept for the back button, and must not keep connections.
    ignoreDefaultArgs: ["--disable-back-forward-cache"],
  });
  parts.defer(async () => browser.close());
  const signInLink = async () => createSignInLink(api.db, url);
  const start = async (options?: Parameters<Browser["newContext"]>[0]) =>
    visit(await browser.newContext(options), url);
  return {
    api,
    url,
    visit: start,
    signInLink,
    open: async (path, options) => {
      const visited = await start(options);
      await visited.page.goto(await signInLink());
      await visited.page.getByRole("heading", { level: 1, name: "Catalogs" }).waitFor();
      await visited.page.goto(url + path);
      await visited.page.locator("h1").waitFor();
      return visited;
    },
    [Symbol.asyncDispose]: async () => parts.disposeAsync(),
  };
}

async function visit(context: BrowserContext, url: string): Promise<Visit> {
  context.setDefaultTimeout(WAIT_LIMIT_MS);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on("request", (request) => {
    if (!request.url().startsWith(url) && !request.url().startsWith("data:")) faults.push(request.url());
  });
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("console", (message) => {
    if (message.text().includes("Content Security Policy")) faults.push(message.text());
  });
  const check = async (what: string, options = {}) => {
    // axe is not part of the page: the page's policy does not apply to what the test evaluates.
    await page.evaluate(axe.source);
    const found = await page.evaluate<string[]>(
      `axe.run(${JSON.stringify(options)}).then(({ violations }) => violations.map(({ id, nodes }) => id + ": " + nodes.map((n) => n.html).join(" ")))`,
    );
    assert.deepEqual(found, [], what);
    assert.deepEqual(faults, [], what);
  };
  const inspect = async (name: string) => {
    for (const [size, viewport] of Object.entries(SIZES)) {
      await page.setViewportSize(viewport);
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
        await page.screenshot({
          path: join(SCREENSHOTS, `${name}-${size}-${colorScheme}.png`),
          fullPage: true,
        });
        // Of what axe finds, only contrast depends on the colors.
        await check(
          `${name}, ${size}, ${colorScheme}`,
          colorScheme === "dark" ? { runOnly: ["color-contrast"] } : {},
        );
      }
      const width = await page.evaluate<number>("document.documentElement.scrollWidth");
      assert.ok(width <= viewport.width, `${name} is ${width} pixels wide on a screen of ${viewport.width}`);
      assert.deepEqual(
        await page.evaluate<string[]>(CUT_TABLES),
        [],
        `${name}, ${size}: tables that are cut off`,
      );
    }
    await page.setViewportSize(SIZES.wide);
    await page.emulateMedia({ colorScheme: "light" });
    if (process.env["UPDATE_SCREENSHOTS"] === "1" && DOCUMENTED.includes(name))
      await page.screenshot({ path: join(ROOT, "docs/images", `${name}.png`) });
  };
  return { page, check, inspect };
}
