/** Attacks on a signed-in user: from other sites, with stolen links and cookies, and by hostile names. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { createKey } from "../../src/setup/keys.ts";
import { revokeKey } from "../../src/store/keys.ts";
import { dump } from "../dump.ts";
import { mugs } from "../api/rows.ts";
import { ask } from "../api/running-api.ts";
import type { Shop } from "../api/running-api.ts";
import type { Disposable } from "../fresh.ts";
import { consoleOfFile, skip } from "./browser.ts";
import type { Visit } from "./browser.ts";

let otherSite: Disposable<{ readonly port: number }>;
let shop: Shop;
const running = consoleOfFile(async (opened, parts) => {
  otherSite = parts.use(await openOtherSite());
  shop = await opened.api.openShop(mugs(3));
  assert.equal((await shop.sync()).status, 200);
});

/** An attacker's web server: every address is an empty page. */
async function openOtherSite(): Promise<Disposable<{ readonly port: number }>> {
  const server = createServer((_request, response) =>
    response.setHeader("content-type", "text/html").end("<!doctype html><title>other site</title>"),
  );
  server.listen(0);
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function keyWith(name: string, scopes = ["read", "write", "admin"]) {
  return createKey(running.api.db, { catalogId: shop.id, name, scopes, expiresAt: null });
}

async function signedIn(name: string): Promise<Visit & { readonly keyId: string }> {
  const { id, key } = await keyWith(name);
  const visit = await running.visit();
  await visit.page.goto(running.url);
  await visit.page.getByLabel("API key").fill(key);
  await visit.page.keyboard.press("Enter");
  await visit.page.getByRole("heading", { name: "Catalogs" }).waitFor();
  return { ...visit, keyId: id };
}

const open = async (page: Page, path: string): Promise<void> => {
  await page.goto(`${running.url}/c/${shop.slug}${path}`);
  await page.locator("h1").waitFor();
};

test("scripts find no credential in the page: not in the cookie, in storage, or in the document", {
  skip,
}, async () => {
  const { page } = await signedIn("careful");
  await open(page, "/keys");

  const [cookie] = await page.context().cookies();
  assert.ok(cookie);
  assert.deepEqual([cookie.httpOnly, cookie.sameSite], [true, "Strict"]);
  const readable = await page.evaluate<string>(
    `document.cookie + JSON.stringify(localStorage) + JSON.stringify(sessionStorage) + document.documentElement.outerHTML`,
  );
  assert.ok(!readable.includes(cookie.value));
  assert.doesNotMatch(readable, /sw_[0-9A-Za-z]{12}_[0-9A-Za-z]{8}/);
});

/** Each tries something with the user's session; the result is what the attacker could read. */
const ATTACKS: Readonly<Record<string, string>> = {
  "reading with credentials": `fetch(api + "/keys", { credentials: "include" }).then((r) => r.text())`,
  "reading as the console would": `fetch(api + "/keys", { credentials: "include", headers: { "x-shelfwire-console": "1" } }).then((r) => r.text())`,
  "reading without CORS": `fetch(api + "/keys", { credentials: "include", mode: "no-cors" }).then((r) => r.text())`,
  "listening to events": `new Promise((resolve, reject) => { const s = new EventSource(api + "/events", { withCredentials: true }); s.onopen = () => resolve("open"); s.onerror = reject; })`,
  "changing with a simple request": `fetch(api + "/feeds/rotate", { method: "POST", credentials: "include", mode: "no-cors" }).then((r) => r.text())`,
  "changing with JSON as text": `fetch(api + "/keys", { method: "POST", credentials: "include", mode: "no-cors", headers: { "content-type": "text/plain" }, body: '{"name":"attacker","scopes":["admin"]}' }).then((r) => r.text())`,
  "changing as the console would": `fetch(api + "/keys", { method: "POST", credentials: "include", headers: { "x-shelfwire-console": "1", "content-type": "application/json" }, body: '{"name":"attacker","scopes":["admin"]}' }).then((r) => r.text())`,
  "removing the catalog": `fetch(api + "/catalog", { method: "DELETE", credentials: "include", headers: { "content-type": "application/json" }, body: JSON.stringify({ slug }) }).then((r) => r.text())`,
  "signing the user out": `fetch(api + "/session", { method: "DELETE", credentials: "include" }).then((r) => r.text())`,
  "signing the user in as the attacker": `fetch(api + "/session", { method: "POST", credentials: "include", mode: "no-cors", headers: { "content-type": "text/plain" }, body: JSON.stringify({ key }) }).then((r) => r.text())`,
  "loading as an image": `new Promise((resolve, reject) => { const i = new Image(); i.onload = () => resolve("image"); i.onerror = reject; i.src = api + "/feeds"; })`,
  "loading as a script": `new Promise((resolve, reject) => { const s = document.createElement("script"); s.onload = () => resolve(""); s.onerror = reject; s.src = api + "/catalogs"; document.head.append(s); })`,
  "reading a window": `new Promise((resolve, reject) => { const w = window.open(origin + "/c/" + slug + "/keys"); setTimeout(() => { try { resolve(w.document.body.innerText); } catch (error) { reject(error); } }, 1000); })`,
};

/** What an attacker could have changed. */
async function stateOf(): Promise<object> {
  const { catalogs, api_keys: keys, changes, sessions } = await dump(running.api.db);
  assert.ok(catalogs !== undefined && changes !== undefined && sessions !== undefined);
  // A key's last use is written by the user's own calls.
  return { catalogs, keys: keys?.split("\n").length, changes, sessions };
}

// A page on another port of the same host is another origin, but the same site: the browser sends the cookie along.
for (const host of ["localhost", "127.0.0.1"])
  test(`a page of http://${host} on another port can neither read nor change anything with the user's session`, {
    skip,
  }, async () => {
    const { page } = await signedIn(`victim of ${host}`);
    const { key: attackersKey } = await keyWith("attacker", ["read"]);
    const before = await stateOf();
    const cookies = await page.context().cookies();
    const evil = await page.context().newPage();
    const sent: Promise<Record<string, string>>[] = [];
    evil.on("request", (request) => {
      if (request.url().startsWith(running.url)) sent.push(request.allHeaders());
    });
    await evil.goto(`http://${host}:${otherSite.port}/`);

    const names = `const origin = ${JSON.stringify(running.url)}, api = origin + "/api/v1", slug = ${JSON.stringify(shop.slug)}, key = ${JSON.stringify(attackersKey)};`;
    for (const [what, attack] of Object.entries(ATTACKS)) {
      const read = await evil.evaluate<string>(
        `(async () => { ${names} try { return "read " + await (${attack}); } catch { return "refused"; } })()`,
      );
      // An opaque answer has no text; a script that does not parse gives nothing to the page.
      assert.match(read, /^(refused|read )$/, what);
    }
    await submitForms(evil, host);
    await evil.evaluate(`document.body.innerHTML = '<iframe src="${running.url}/c/${shop.slug}"></iframe>'`);
    await evil.waitForTimeout(500);
    const framed = await evil
      .frames()[1]
      ?.evaluate<string>("document.body.innerText")
      .catch(() => "");
    assert.doesNotMatch(framed ?? "", /Shelfwire|Overview/);
    assert.ok(!evil.frames()[1]?.url().startsWith(running.url), "the console is not framed");

    assert.deepEqual(await page.context().cookies(), cookies);
    assert.deepEqual(await stateOf(), before);
    const hasCookie = (await Promise.all(sent)).some(({ cookie }) => cookie?.includes("shelfwire_session"));
    assert.equal(hasCookie, host === "127.0.0.1");
    await open(page, "/keys");
    await page
      .getByRole("row")
      .filter({ hasText: `victim of ${host}` })
      .waitFor();
  });

/** Forms need no permission of the other side; the answer replaces the attacker's page. */
async function submitForms(evil: Page, host: string): Promise<void> {
  for (const [path, type, field] of [
    ["/feeds/rotate", "application/x-www-form-urlencoded", "a=b"],
    ["/keys", "text/plain", `{"name":"attacker","scopes":["admin"],"x":"=`],
    ["/session", "text/plain", `{"code":"`],
  ] as const) {
    await evil.goto(`http://${host}:${otherSite.port}/form`);
    await evil.evaluate(`(() => {
      const form = Object.assign(document.createElement("form"), { method: "POST", action: ${JSON.stringify(`${running.url}/api/v1${path}`)}, enctype: ${JSON.stringify(type)} });
      form.append(Object.assign(document.createElement("input"), { name: ${JSON.stringify(field)}, value: '"}' }));
      document.body.append(form);
      form.submit();
    })()`);
    await evil.waitForURL(`${running.url}/api/v1${path}`);
    assert.match(
      await evil.locator("body").innerText(),
      /unauthorized|unsupported_media_type|invalid_request/,
      path,
    );
  }
  await evil.goto(`http://${host}:${otherSite.port}/`);
}

test("a stolen sign-in link works once: of two who open it at the same time, one gets in", {
  skip,
}, async () => {
  const link = await running.signInLink();
  const visits = [await running.visit(), await running.visit()];
  await Promise.all(visits.map(async ({ page }) => page.goto(link)));
  const outcomes = await Promise.all(
    visits.map(async ({ page }) => {
      await page.getByRole("heading", { name: "Catalogs" }).or(page.getByRole("alert")).waitFor();
      return page.getByRole("alert").count();
    }),
  );
  assert.deepEqual(new Set(outcomes), new Set([0, 1]));
  const { page } = await running.visit();
  await page.goto(link);
  await page.getByRole("alert").waitFor();
  assert.match(await page.getByRole("alert").innerText(), /used before or has expired/);
  assert.deepEqual(await page.context().cookies(), []);
});

test("when its key is revoked, an open page says that the session has ended and offers to sign in", {
  skip,
}, async () => {
  const { page, keyId, check } = await signedIn("short-lived");
  await open(page, "/webhooks");

  await revokeKey(running.api.db, keyId);

  await page.getByText("Your session has ended").waitFor();
  await page.getByLabel("API key").waitFor();
  assert.equal(await page.getByText("Register a webhook").count(), 0);
  await check("the ended session");
});

test("signing out in one tab ends the other, and a copied cookie is worthless afterwards", {
  skip,
}, async () => {
  const { page } = await signedIn("two tabs");
  const other = await page.context().newPage();
  await open(other, "/settings");
  await open(page, "");
  const [cookie] = await page.context().cookies();
  const headers = { cookie: `${cookie?.name}=${cookie?.value}`, "x-shelfwire-console": "1" };
  assert.equal((await ask(`${running.url}/api/v1/feeds`, { headers })).status, 200);

  await page.getByRole("button", { name: "Sign out" }).click();

  await page.getByLabel("API key").waitFor();
  await other.getByText("Your session has ended").waitFor();
  assert.equal((await ask(`${running.url}/api/v1/feeds`, { headers })).status, 401);
});

test("the policy of every page allows no inline script, and none runs", { skip }, async () => {
  const { page } = await signedIn("policy");
  for (const path of ["/", "/sign-in", "/about", `/c/${shop.slug}`, `/c/${shop.slug}/webhooks/new`]) {
    const { headers } = await ask(running.url + path);
    const policy = String(headers["content-security-policy"]);
    assert.match(policy, /default-src 'none'/);
    assert.match(policy, /frame-ancestors 'none'/);
    assert.doesNotMatch(policy, /unsafe-|\*|https?:/);
  }
  await page.evaluate(`(() => {
    document.body.append(Object.assign(document.createElement("script"), { textContent: "window.hacked = 1" }));
    const span = document.createElement("span");
    span.innerHTML = '<img src="data:," onerror="window.hacked = 2">';
    document.body.append(span);
  })()`);
  await page.waitForTimeout(200);
  assert.equal(await page.evaluate("window.hacked"), undefined);
});

const HOSTILE = `"><img src=x onerror="window.hacked=1"><script>window.hacked=2</script>{{7*7}}`;

test("names with HTML in them are shown as text on every page", { skip }, async () => {
  const catalog = await running.api.createCatalog({ name: HOSTILE });
  const { key } = await createKey(running.api.db, {
    catalogId: catalog.id,
    name: HOSTILE,
    scopes: ["read", "write", "admin"],
    expiresAt: null,
  });
  const call = async (method: "PUT" | "POST", path: string, body: unknown) => {
    const headers = { authorization: `Bearer ${key}` };
    const answer = await ask(`${running.api.url}/api/v1${path}`, { method, body, headers });
    assert.ok(answer.status < 300, answer.text);
    return (answer.json as { data: Record<string, string> }).data;
  };
  const product = {
    id: HOSTILE,
    title: HOSTILE,
    brand: HOSTILE,
    link: "https://shop.example/p",
    price: "5 USD",
  };
  const { run_id: run } = await call("PUT", "/catalog", [product, { id: `bad${HOSTILE}` }]);
  const settings = { url: "http://127.0.0.1:9/a.csv" };
  const { id: source } = await call("POST", "/sources", {
    kind: "feed_url",
    name: HOSTILE,
    enabled: false,
    settings,
  });
  const url = `http://127.0.0.1:9/?q='><img/src=x/onerror=window.hacked=3>`;
  const { id: webhook } = await call("POST", "/webhooks", { url, events: ["sync.completed"] });
  const { delivery_id: delivery } = await call("POST", "/webhooks/test", { id: webhook });

  const { page } = await running.open("/");
  const item = encodeURIComponent(HOSTILE);
  for (const path of [
    "",
    "/sources",
    `/sources/${source}`,
    "/runs",
    `/runs/${run}`,
    "/items",
    `/items/${item}`,
    "/audit",
    "/feeds",
    "/feeds/gmc.tsv",
    "/webhooks",
    `/webhooks/${webhook}`,
    `/deliveries/${delivery}`,
    "/keys",
    "/settings",
    "/changes",
  ]) {
    await page.goto(`${running.url}/c/${catalog.slug}${path}`);
    await page.locator("h1").waitFor();
    await page.waitForLoadState("load");
    await page.locator(".loading").first().waitFor({ state: "detached" });
    const found = await page.evaluate(`[window.hacked ?? null, document.querySelectorAll("[src=x]").length]`);
    assert.deepEqual(found, [null, 0], path);
    assert.ok((await page.locator("nav.side").innerText()).includes("<script>"), path);
  }
});
