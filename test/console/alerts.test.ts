/** Alerts in the console: what is wrong and what to do, who is told by mail, and what is over. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { mailClient } from "../../src/lib/outbound/mail-client.ts";
import { assessDue } from "../../src/pipeline/alerts/assess.ts";
import type { Shop } from "../api/running-api.ts";
import { closeAfterTests } from "../close-after.ts";
import { openSmtp } from "../fakes/smtp-server.ts";
import { consoleOfFile, skip } from "./browser.ts";
import type { Visit } from "./browser.ts";
import { crockery } from "./crockery.ts";
import { openNamedShop, sync } from "./stock.ts";

const smtp = closeAfterTests(await openSmtp({ disabledCommands: ["STARTTLS"] }));
let shop: Shop;
let visit: Visit;
const running = consoleOfFile(
  async (opened) => {
    shop = await openNamedShop(opened, "Kiln & Co.");
    await sync(shop, crockery());
    visit = await opened.open(`/c/${shop.slug}/alerts`);
  },
  ({ parts: { senders } }) => ({
    mail: mailClient({
      server: { host: "127.0.0.1", port: smtp.port, isSecure: false, auth: null },
      from: { name: "", address: "alerts@feeds.example" },
      sockets: senders.sockets,
    }),
  }),
);

/** What the maintenance does every minute. */
const check = async (minutes = 0) =>
  assessDue(
    { ...running.api.jobs, hasMail: false },
    { everyS: 0, now: () => new Date(Date.now() + minutes * 60_000) },
  );

test("a source that fails is an alert that says what destinations get meanwhile, and what to do", {
  skip,
}, async () => {
  const { page, inspect } = visit;
  await inspect("alerts-first");
  shop.answers({ kind: "file", body: "down for maintenance", status: 503 });
  await shop.sync();
  await check();
  await page.reload();
  await page.getByText(/"Kiln & Co\." failed/).waitFor();
  await page.getByText("What to do:").first().waitFor();
  await inspect("alerts");
  await page.getByRole("link", { name: "See what happened" }).first().click();
  await page.getByRole("heading", { level: 1, name: "Sync of Kiln & Co." }).waitFor();
});

test("recipients and the digest are saved, and a test mail arrives", { skip }, async () => {
  const { page, inspect } = visit;
  await page.goto(`${running.url}/c/${shop.slug}/alerts`);
  await page.getByLabel("Recipients").fill("feeds@kiln.example\nnot an address");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("alert").waitFor();
  await inspect("alerts-refused");
  await page.getByLabel("Recipients").fill("feeds@kiln.example\nowner@kiln.example");
  await page.getByLabel("Time", { exact: true }).fill("08:30");
  await page.getByLabel("Time zone").selectOption("Europe/London");
  await page.getByLabel("Greatest age of the files, in hours").fill("48");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved.", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Send a test mail" }).click();
  await page.getByText("accepted by the mail server").first().waitFor();
  await inspect("alerts-mail");
  assert.deepEqual(smtp.mails.flatMap(({ to }) => to).toSorted(), [
    "feeds@kiln.example",
    "owner@kiln.example",
  ]);
  const { data } = (await shop.call("/api/v1/alerts/settings")).json as { data: Record<string, unknown> };
  assert.deepEqual(
    [data["digest_at"], data["time_zone"], data["max_feed_age_h"]],
    ["08:30", "Europe/London", 48],
  );
});

test("what is over is among the resolved ones", { skip }, async () => {
  const { page, inspect } = visit;
  await sync(shop, crockery());
  await check(1);
  await check(40);
  await page.getByRole("link", { name: "Resolved" }).click();
  await page.getByText(/"Kiln & Co\." failed/).waitFor();
  await inspect("alerts-resolved");
});

test("calls that fail or take long are shown as such", { skip }, async () => {
  const { page, inspect } = visit;
  await page.route("**/api/v1/alerts?*", async (route) => route.abort());
  await page.goto(`${running.url}/c/${shop.slug}/alerts`);
  await page.getByText("The server does not answer.").waitFor();
  await inspect("alerts-failed");
});
