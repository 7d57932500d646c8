/** Webhooks in the console: from the registration to a delivered test event; a failing receiver and its repair. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { programsIn, readPage } from "../../receiver/test/verify-page.ts";
import { verify } from "../../receiver/src/index.ts";
import { sql } from "../../src/store/sql.ts";
import { until } from "../actions.ts";
import { answer, openReceiver } from "../fakes/receiver.ts";
import type { Receiver } from "../fakes/receiver.ts";
import { mugs } from "../api/rows.ts";
import type { Shop } from "../api/running-api.ts";
import { consoleOfFile, skip } from "./browser.ts";
import type { Visit } from "./browser.ts";

let receiver: Receiver;
let shop: Shop;
let visit: Visit;
const running = consoleOfFile(async (opened, parts) => {
  receiver = parts.use(await openReceiver());
  shop = await opened.api.openShop(mugs(40));
  visit = await opened.open(`/c/${shop.slug}/webhooks`, {
    permissions: ["clipboard-read", "clipboard-write"],
  });
});

const ROOT = join(import.meta.dirname, "../..");

/** The state of a row of the deliveries, by its event. */
const rowOf = (event: string, { page } = visit) => page.getByRole("row").filter({ hasText: event }).first();

test("a webhook is registered, shows its secret once, and a test event arrives with a valid signature", {
  skip,
}, async () => {
  const { page, inspect } = visit;
  const url = receiver.on("/hook", answer(200, { body: "thank you" }));
  await page.getByText("No webhook is registered").waitFor();
  await inspect("webhooks-empty");

  await page.getByRole("link", { name: "Register a webhook" }).click();
  await page.getByLabel("Address").fill("ftp://nowhere");
  await page.getByRole("button", { name: "Register" }).click();
  await page.getByRole("alert").waitFor();
  assert.match(await page.locator(".field-error").innerText(), /https:\/\//);
  await inspect("webhook-register-refused");
  await page.getByLabel("Address").fill(url);
  await page.getByLabel("feeds.rendered").uncheck();
  await page.getByRole("button", { name: "Register" }).click();
  await page.getByRole("heading", { name: "Webhook registered" }).waitFor();
  const secret = await page.getByRole("textbox", { name: "Secret" }).inputValue();
  await page.getByRole("button", { name: "Copy the secret" }).click();
  assert.equal(await page.evaluate("navigator.clipboard.readText()"), secret);
  await page.getByRole("button", { name: "Send a test event" }).click();
  await page.getByText("Status 200").waitFor();
  await inspect("webhook-registered");

  const [request] = await receiver.received(1);
  assert.ok(request);
  const event = verify(request.body, request.headers["x-service-signature"], secret);
  assert.equal(event.event, "webhook.test");
  assert.match(await page.locator(".attempt").innerText(), /thank you/);

  await page.getByRole("link", { name: "Open the webhook" }).click();
  await rowOf("webhook.test").getByText("Delivered").waitFor();
  assert.equal(await page.getByText(secret).count(), 0);
  await page.getByText("sync.completed, audit.completed", { exact: true }).waitFor();
});

test("the code for receivers is that of the documentation, and the command for curl works", {
  skip,
}, async () => {
  const { page } = visit;
  const snippet = async (name: string) => readFile(join(ROOT, "console/src/snippets", name), "utf8");
  const programs = programsIn(await readPage());
  const commands = programsIn(await readFile(join(ROOT, "docs/webhooks.md"), "utf8"));
  assert.equal(await snippet("verify-python.txt"), programs.get("python/verify.py"));
  assert.equal(await snippet("verify-php.txt"), programs.get("php/verify.php"));
  assert.equal(await snippet("check-with-curl.txt"), commands.get("check.sh"));
  const example = await readFile(join(ROOT, "receiver/examples/express.mjs"), "utf8");
  assert.ok(example.includes(await snippet("receive-express.txt")));

  await page.goto(`${running.url}/c/${shop.slug}/webhooks/new`);
  await page.getByLabel("Address").fill(receiver.url("/it's"));
  await page.getByRole("button", { name: "Register" }).click();
  const secret = await page.getByRole("textbox", { name: "Secret" }).inputValue();
  for (const [language, code] of [
    ["Node.js", "receive-express.txt"],
    ["Python", "verify-python.txt"],
    ["PHP", "verify-php.txt"],
  ] as const) {
    await page.getByRole("link", { name: language }).click();
    await page.getByLabel(language, { exact: true }).waitFor();
    assert.equal(await page.locator("pre code").textContent(), await snippet(code));
  }
  await page.getByRole("link", { name: "Check with curl" }).click();
  await page.getByText("openssl dgst").waitFor();
  await page.getByRole("button", { name: "Copy the code" }).click();
  const command = await page.evaluate<string>("navigator.clipboard.readText()");
  const count = receiver.requests.length;
  const shell = spawn("sh", ["-c", command], { stdio: "ignore" });
  const [requests] = await Promise.all([receiver.received(count + 1), once(shell, "exit")]);
  const request = requests[count];
  assert.ok(request);
  assert.equal(request.path, "/it's");
  assert.equal(verify(request.body, request.headers["x-service-signature"], secret).event, "webhook.test");
});

test("a receiver that fails: the reason, the dead delivery, and sending it again after the repair", {
  skip,
}, async () => {
  const { page, inspect } = visit;
  const path = "/failing";
  const url = receiver.on(path, answer(503, { body: '{"error":"The order service is being updated."}' }));
  await page.goto(`${running.url}/c/${shop.slug}/webhooks/new`);
  await page.getByLabel("Address").fill(url);
  await page.getByLabel("feeds.rendered").uncheck();
  await page.getByLabel("audit.completed").uncheck();
  await page.getByRole("button", { name: "Register" }).click();
  await page.getByRole("link", { name: "Open the webhook" }).click();
  await page.getByText("Nothing was sent yet").waitFor();
  await inspect("webhook-unused");

  // Events arrive without a reload of the page.
  assert.equal((await shop.sync()).status, 200);
  await rowOf("sync.completed").getByText("Pending").waitFor();
  await page.getByText("answered with status 503").first().waitFor();
  const dead = await until(async () => {
    const changed = await running.api.db.execute(sql`
      with gone as (delete from webhook_queue where lease_until is null returning id)
      update webhook_deliveries d set state = 'dead', next_attempt_at = null, finished_at = now()
        from gone where gone.id = d.id and d.attempts > 0`);
    return changed > 0;
  }, "the delivery to be dead");
  assert.ok(dead);
  await page.reload();
  await rowOf("sync.completed").getByText("Dead").waitFor();
  await inspect("webhook-failing");

  await page.getByRole("link", { name: "sync.completed" }).click();
  await page.getByText("The order service is being updated.").waitFor();
  await page.getByText("Every attempt failed").waitFor();
  await inspect("delivery-dead");
  receiver.on(path, answer(204));
  await page.getByRole("button", { name: "Send again" }).click();
  await page.getByText("Attempt 2").waitFor();
  await page.getByText("The receiver has it.").waitFor();
  await inspect("delivery-resent");
  const ids = receiver.requests
    .filter((request) => request.path === path)
    .map(({ headers }) => headers["webhook-id"]);
  assert.deepEqual([ids.length, new Set(ids).size], [2, 1]);
});

test("the overview of webhooks counts, filters in the address, and sends all dead deliveries again", {
  skip,
}, async () => {
  const { page, inspect } = visit;
  await running.api.db.execute(sql`
    update webhook_deliveries set state = 'dead', finished_at = now()
     where state = 'delivered' and event_id in (select id from webhook_events where type = 'sync.completed')`);
  await page.goto(`${running.url}/c/${shop.slug}/webhooks`);
  await rowOf("sync.completed").waitFor();
  await inspect("webhooks");

  await page.getByLabel("State").selectOption("Dead");
  await page.waitForURL(/state=dead/);
  await page.getByLabel("Event").selectOption("webhook.test");
  await page.getByText("No delivery matches these filters").waitFor();
  await inspect("webhooks-filtered");
  await page.goBack();
  await rowOf("sync.completed").waitFor();
  await page.getByRole("button", { name: "Send dead ones again" }).click();
  await inspect("webhooks-resend-dialog");
  await page.getByRole("button", { name: "Send again", exact: true }).click();
  await page.getByText(/deliver(y is|ies are) sent again\./).waitFor();
  await page.getByText("No delivery matches these filters").waitFor();
});

test("a secret is replaced with an overlap, the address is changed, a webhook is removed after a question", {
  skip,
}, async () => {
  const { page, inspect } = visit;
  await page.goto(`${running.url}/c/${shop.slug}/webhooks`);
  await page.getByRole("link", { name: /\/failing$/ }).click();
  await page.getByRole("button", { name: "Replace the secret" }).click();
  await page.getByLabel("The old secret signs until").selectOption("seven days from now");
  await page.getByRole("button", { name: "Replace", exact: true }).click();
  await page.getByRole("heading", { name: "The secret was replaced" }).waitFor();
  const secret = await page.getByRole("textbox", { name: "Secret" }).inputValue();
  await page.getByText("Two secrets sign until").waitFor();
  await inspect("webhook-rotated");
  const count = receiver.requests.length;
  await page.getByRole("button", { name: "Send a test event" }).click();
  const requests = await receiver.received(count + 1);
  verify(requests[count]?.body ?? "", requests[count]?.headers["x-service-signature"], secret);

  await page.getByRole("button", { name: "Change" }).click();
  await page.getByRole("checkbox", { name: "feeds.rendered" }).check();
  await page.getByLabel("Address").fill("http://hooks.example/plain");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("alert").waitFor();
  await inspect("webhook-change-refused");
  await page.getByLabel("Address").fill(receiver.url("/moved"));
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("heading", { level: 1, name: /\/moved$/ }).waitFor();
  await page.getByText("sync.completed, feeds.rendered").waitFor();

  await page.getByRole("button", { name: "Remove" }).click();
  await inspect("webhook-remove-dialog");
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "Remove" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await page.getByRole("heading", { level: 1, name: "Webhooks" }).waitFor();
  assert.equal(await page.getByRole("link", { name: /\/moved$/ }).count(), 0);
});

test("a key that may only read sees everything, and each control says which scope is missing", {
  skip,
}, async () => {
  const reader = await running.visit();
  const { page, inspect } = reader;
  await page.goto(running.url);
  await page.getByLabel("API key").fill(shop.readKey);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Catalogs" }).waitFor();
  await page.goto(`${running.url}/c/${shop.slug}/webhooks`);
  await rowOf("sync.completed", reader).waitFor();
  await page
    .getByRole("link", { name: /\/hook$/ })
    .first()
    .click();
  await rowOf("webhook.test", reader).waitFor();

  for (const name of [
    "Send a test event",
    "Change",
    "Replace the secret",
    "Disable",
    "Remove",
    "Send dead ones again",
  ]) {
    const button = page.getByRole("button", { name });
    assert.equal(await button.getAttribute("aria-disabled"), "true", name);
    await button.press("Enter");
    assert.equal(await page.getByRole("dialog").count(), 0);
  }
  assert.equal(
    await page.getByText("Needs a key with the scope “write”.").filter({ visible: true }).count(),
    6,
  );
  await inspect("webhook-read-only");
});

test("a webhook that was disabled says why, and can be enabled again", { skip }, async () => {
  const { page, inspect } = visit;
  const { api } = running;
  await page.goto(`${running.url}/c/${shop.slug}/webhooks`);
  await page
    .getByRole("link", { name: /\/hook$/ })
    .first()
    .click();
  await page.getByRole("button", { name: "Disable" }).waitFor();
  const id = page.url().split("/").at(-1)?.split("?")[0] ?? "";
  await api.db.execute(sql`
    update webhook_endpoints set disabled_at = now(), disabled_by = 'failures', last_failure = 'It answered with status 500.'
     where id = ${id}`);
  await page.reload();

  await page.getByText("Disabled after five days without a successful delivery").waitFor();
  await inspect("webhook-disabled");
  await page.getByRole("button", { name: "Enable" }).click();

  await page.getByRole("button", { name: "Disable" }).waitFor();
  const row = await api.db.first(
    sql`select 1 from webhook_endpoints where id = ${id} and disabled_at is null`,
  );
  assert.ok(row);
});
