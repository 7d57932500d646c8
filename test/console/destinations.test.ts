/** Destinations in the console: from the access that OpenAI sends to a receipt, with OpenSSH's own server. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { answer, openReceiver } from "../fakes/receiver.ts";
import type { Receiver } from "../fakes/receiver.ts";
import type { Shop } from "../api/running-api.ts";
import { NO_SSHD, startSshd } from "../sshd.ts";
import type { Sshd } from "../sshd.ts";
import { consoleOfFile, skip as noBrowser } from "./browser.ts";
import type { Visit } from "./browser.ts";
import { outdoorRows } from "./outdoor-shop.ts";
import { openNamedShop, sync } from "./stock.ts";

const skip = noBrowser || NO_SSHD;
let sshd: Sshd;
let receiver: Receiver;
let shop: Shop;
let visit: Visit;
const running = consoleOfFile(async (opened, parts) => {
  if (NO_SSHD !== false) return;
  sshd = await startSshd();
  receiver = parts.use(await openReceiver());
  shop = await openNamedShop(opened, "Outdoor shop");
  await sync(shop, outdoorRows(240));
  visit = await opened.open(`/c/${shop.slug}/destinations`);
});
after(async () => sshd?.[Symbol.asyncDispose]());

const go = async (path: string) => visit.page.goto(`${running.url}/c/${shop.slug}${path}`);

test("OpenAI's access is entered, the key of the server is compared and confirmed, and the file arrives", {
  skip,
}, async () => {
  const { page, inspect } = visit;
  await page.getByText("No destination yet").waitFor();
  await inspect("destinations-empty");

  await page.getByRole("link", { name: "Add a destination" }).click();
  await page.getByRole("link", { name: /OpenAI/ }).click();
  await page.getByText("What you need from OpenAI").waitFor();
  await inspect("destination-new");
  await page.getByRole("button", { name: "Test the connection" }).click();
  await page.getByText("Correct the 3 fields").waitFor();
  await inspect("destination-new-refused");

  await page.getByLabel("Server", { exact: true }).fill("127.0.0.1");
  await page.getByLabel("User name").fill(sshd.user);
  await page.getByLabel("With a private key").check();
  await page.getByLabel("Or choose the key file").setInputFiles({
    name: "id_ed25519",
    mimeType: "text/plain",
    buffer: Buffer.from(sshd.privateKey),
  });
  await page.getByText("More settings").click();
  await page.getByLabel("Port", { exact: false }).first().fill(String(sshd.port));
  await page.getByLabel("Folder").fill(sshd.folder);
  await page.getByRole("button", { name: "Test the connection" }).click();
  await page.getByText("Is this the key of the server?").waitFor();
  assert.equal(await page.locator(".fingerprint").innerText(), sshd.hostKey);
  await inspect("destination-host-key");

  await page.getByRole("button", { name: "It is the same: confirm" }).click();
  await page.getByText("The connection works").waitFor();
  assert.equal(await page.getByLabel("Confirmed key of the server").inputValue(), sshd.hostKey);
  await inspect("destination-tested");
  await page.getByRole("button", { name: "Save the destination" }).click();

  await page.getByRole("heading", { level: 1, name: "OpenAI (ChatGPT)" }).waitFor();
  await page.getByText("Nothing was sent yet. “Send now”").waitFor();
  await page.getByRole("button", { name: "Send now" }).click();
  // Without a reload of the page.
  await page.getByText("Delivered", { exact: true }).waitFor();
  await page.getByText("Receipt").first().click();
  await page.getByRole("row", { name: /products-0001\.csv\.gz/ }).waitFor();
  await inspect("destination");
  const sent = gunzipSync(readFileSync(join(sshd.folder, "products-0001.csv.gz"))).toString();
  assert.match(sent.split("\n")[0] ?? "", /item_id/);
  assert.ok(!(await page.content()).includes(sshd.privateKey.split("\n")[1] ?? "PRIVATE"));
});

test("another host key is shown loudly, and nothing is sent before a person confirms it", {
  skip,
}, async () => {
  const { page, inspect } = visit;
  const before = sshd.hostKey;
  const now = await sshd.changeHostKey();
  await page.getByRole("button", { name: "Send now" }).click();
  const alert = page.getByRole("alert").filter({ hasText: "another key than the one you confirmed" });
  await alert.waitFor();
  await alert.getByText(before, { exact: true }).waitFor();
  await inspect("destination-key-changed");
  await go("/destinations");
  await page.getByRole("row", { name: /OpenAI.*Server key changed/ }).waitFor();
  await page.getByRole("link", { name: "OpenAI (ChatGPT)" }).click();

  await page.getByRole("button", { name: "Connect and show the key" }).click();
  await alert.getByText(now, { exact: true }).waitFor();
  await page.getByRole("button", { name: "Confirm the new key…" }).click();
  await inspect("destination-key-confirm");
  await page.getByRole("dialog").getByRole("button", { name: "Confirm the new key" }).click();
  await page.getByText("The connection works").waitFor();
  // The delivery that failed is sent at once.
  await page.getByText("Working", { exact: true }).waitFor();
  await page.getByText(/2 attempts/).waitFor();
});

test("a destination is changed: its time, a password for another server, a pause; and removed", {
  skip,
}, async () => {
  const { page, inspect } = visit;
  await page.getByText("Settings", { exact: true }).last().click();
  await page.getByLabel("Once a day", { exact: true }).check();
  await page.getByLabel("Time", { exact: true }).fill("04:30");
  await page.getByLabel("Time zone").selectOption("Europe/Berlin");
  await page.getByText("More settings").click();
  await page.getByLabel("Speed limit, in kB per second").fill("500");
  await page.getByRole("button", { name: "Save the changes" }).click();
  await page.getByText("Saved.", { exact: true }).waitFor();
  await page.getByText("Every day at 04:30 (Europe/Berlin)").waitFor();
  await inspect("destination-changed");

  // The saved key is not sent to another server.
  await page.getByLabel("Server", { exact: true }).fill("sftp.other.example");
  await page.getByRole("button", { name: "Save the changes" }).click();
  await page.getByText(/Enter it again: it was entered for another host/).waitFor();
  await go("/destinations");
  await page.getByRole("link", { name: "OpenAI (ChatGPT)" }).click();

  await page.getByRole("button", { name: "Pause" }).click();
  await page.getByText("This destination is paused").waitFor();
  const { destinations } = ((await shop.call("/api/v1/destinations")).json as { data: Listed }).data;
  assert.deepEqual(
    destinations.map(({ enabled, daily_at: at, max_bytes_per_s: bytes, shards }) => [
      enabled,
      at,
      bytes,
      shards,
    ]),
    [[false, "04:30", 500_000, true]],
  );
  await page.getByRole("button", { name: "Resume" }).click();
  await page.getByRole("button", { name: "Pause" }).waitFor();
});

type Listed = {
  readonly destinations: readonly {
    readonly enabled: boolean;
    readonly daily_at: string;
    readonly max_bytes_per_s: number | null;
    readonly shards: boolean;
  }[];
};

test("a partner gets Google's file by HTTPS; a refusal says why, and when it is tried again", {
  skip,
}, async () => {
  const { page, inspect } = visit;
  const url = receiver.on("/partner", answer(403, { body: "who are you?" }));
  await go("/destinations/new?to=acp");
  await page.getByLabel("Feed id").waitFor();
  await inspect("destination-acp");
  await page.getByRole("link", { name: /HTTPS upload/ }).click();
  await page.getByLabel("Address").fill(url);
  await page.getByLabel("Headers").fill("Authorization: Bearer abc");
  await page.getByLabel("File", { exact: true }).selectOption("Tab-separated, compressed (gmc.tsv.gz)");
  await page.getByLabel("Name", { exact: false }).first().fill("Price comparison");
  await inspect("destination-https");
  await page.getByRole("button", { name: "Save the destination" }).click();
  await page.getByRole("heading", { level: 1, name: "Price comparison" }).waitFor();
  await page.getByRole("button", { name: "Send now" }).click();
  await page.getByText("Failing since").waitFor();
  await page.getByText(/1 attempt/).waitFor();
  await inspect("destination-failing");

  receiver.on("/partner", answer(200));
  await page.getByRole("button", { name: "Send now" }).click();
  await page.getByText("Delivered", { exact: true }).waitFor();
  const last = receiver.requests.at(-1);
  assert.deepEqual([last?.method, last?.headers["authorization"]], ["PUT", "Bearer abc"]);
  await go("/destinations");
  await page.getByRole("row", { name: /Price comparison.*Working/ }).waitFor();
  await inspect("destinations");

  await page.getByRole("link", { name: "Price comparison" }).click();
  await page.getByRole("button", { name: "Remove this destination" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await page.getByRole("heading", { level: 1, name: "Destinations" }).waitFor();
  await page.getByRole("row", { name: /Price comparison/ }).waitFor({ state: "detached" });
});

test("a key that may only read, a removed destination, and calls that fail or take long are shown as such", {
  skip,
}, async () => {
  const { page, inspect } = visit;
  await go("/destinations/0191d1f0-0000-7000-8000-000000000000");
  await page.getByText("no such destination").waitFor();
  await inspect("destination-missing");
  await page.route("**/api/v1/destinations", async (route) => route.abort());
  await go("/destinations");
  await page.getByText("The server does not answer.").waitFor();
  await inspect("destinations-failed");
  await page.unroute("**/api/v1/destinations");
  await page.route("**/api/v1/destinations", async () => new Promise(() => undefined));
  await go("/destinations");
  await page.getByRole("heading", { name: "Destinations", level: 1 }).waitFor();
  await page.getByText("Loading…").first().waitFor();
  await inspect("destinations-loading");
  await page.unroute("**/api/v1/destinations");

  const reader = await running.visit();
  await reader.page.goto(running.url);
  await reader.page.getByLabel("API key").fill(shop.readKey);
  await reader.page.keyboard.press("Enter");
  await reader.page.getByRole("heading", { name: "Catalogs" }).waitFor();
  await reader.page.goto(`${running.url}/c/${shop.slug}/destinations`);
  await reader.page.getByRole("link", { name: "OpenAI (ChatGPT)" }).click();
  await reader.page.getByText("Settings", { exact: true }).last().click();
  await reader.page.getByText("You cannot change these fields").waitFor();
  await reader.inspect("destination-read-only");
  await reader.page.context().close();
});
