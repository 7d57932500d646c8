/** Alerts over the API: the list, the settings, the test mail, and the metrics. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Alert, AlertSettings, TestMail } from "../../src/contract/alerts.ts";
import { buildApp } from "../../src/http/app.ts";
import { mailClient } from "../../src/lib/outbound/mail-client.ts";
import { assessDue } from "../../src/pipeline/alerts/assess.ts";
import fastify from "fastify";
import { loopback } from "../../src/lib/outbound/loopback.fixture.ts";
import { sql } from "../../src/store/sql.ts";
import { until } from "../actions.ts";
import { closeAfterTests } from "../close-after.ts";
import { openSmtp } from "../fakes/smtp-server.ts";
import { dataOf } from "./answer-data.ts";
import { describedBy } from "./described.ts";
import { assertProblem } from "./problem.ts";
import { mugs } from "./rows.ts";
import { ask, runningApi } from "./running-api.ts";
import type { Answer, Shop } from "./running-api.ts";

const api = closeAfterTests(await runningApi());
const smtp = closeAfterTests(await openSmtp({ disabledCommands: ["STARTTLS"] }));
const assertDescribed = await describedBy(api);

const check = async (minutes = 0) =>
  assessDue(
    { ...api.jobs, hasMail: false },
    { everyS: 0, now: () => new Date(Date.now() + minutes * 60_000) },
  );
const alertsOf = async (shop: Shop, query = ""): Promise<readonly Alert[]> => {
  const answer = await shop.call(`/api/v1/alerts${query}`);
  assertDescribed("GET /api/v1/alerts", answer);
  return dataOf<{ alerts: Alert[] }>(answer).alerts;
};
const change = async (shop: Shop, body: object): Promise<Answer> =>
  shop.call("/api/v1/alerts/settings", { method: "PATCH", body });

test("a problem is an alert while it lasts, and among the resolved ones afterwards", async () => {
  const shop = await api.openShop([]);
  assert.equal((await shop.sync()).status, 200);
  await check();

  const [alert, ...others] = await alertsOf(shop);
  assert.deepEqual([alert?.code, alert?.subject, others.length], ["no_items", null, 0]);
  assert.equal(alert?.advice, "Add a source or push items, or open the last sync to see why it found none.");

  shop.sells(mugs(3));
  await shop.sync();
  await check(1);
  assert.equal(
    (await alertsOf(shop)).filter(({ code, cleared_at }) => code === "no_items" && cleared_at).length,
    1,
  );
  await check(32);
  assert.ok(!(await alertsOf(shop)).some(({ code }) => code === "no_items"));
  const resolved = await alertsOf(shop, "?state=resolved&limit=1");
  assert.deepEqual([resolved[0]?.id, resolved[0]?.resolved_at === null], [alert?.id, false]);
});

test("files older than the limit, a failing destination and a fallen score are alerts, each by its setting", async () => {
  await using refusing = await loopback((request, response) => {
    request.resume().once("end", () => response.writeHead(500).end());
  });
  const shop = await api.openShop(mugs(2));
  const settings = { url: refusing.origin };
  await shop.call("/api/v1/destinations", {
    method: "POST",
    body: { kind: "https", name: "Partner", settings },
  });
  await shop.sync();
  await until(
    async () => api.db.first(sql`select 1 from destinations where failing_since is not null`),
    "a failure",
  );
  const age = sql`interval '8 days'`;
  await api.db.execute(sql`
    update runs set started_at = started_at - ${age}, finished_at = finished_at - ${age} where catalog_id = ${shop.id}`);
  await api.db.execute(
    sql`update sync_health set last_success_at = last_success_at - ${age} where catalog_id = ${shop.id}`,
  );
  await api.db.execute(sql`update catalogs set snapshot_at = snapshot_at - ${age} where id = ${shop.id}`);
  await api.db.execute(sql`update audits set score = 80 where catalog_id = ${shop.id}`);
  await api.db.execute(sql`
    insert into audits (run_id, catalog_id, base, freshness, ruleset, score, grade, items, created_at)
    select r.id, a.catalog_id, base, freshness, ruleset, 87, grade, items, a.created_at - interval '1 hour'
      from audits a join runs r on r.catalog_id = a.catalog_id and r.kind = 'sync' where a.catalog_id = ${shop.id}`);
  await check();

  const messages = new Map((await alertsOf(shop)).map(({ code, message }) => [code, message]));
  assert.match(
    messages.get("feeds_old") ?? "",
    /^The feeds were last updated 8 days ago; the limit is 7 days\./,
  );
  assert.match(
    messages.get("destination_failing") ?? "",
    /^Deliveries to "Partner" have failed for less than a minute, and it never got a file\./,
  );
  assert.match(messages.get("score_dropped") ?? "", /^The score fell from 87 to 80 /);

  await change(shop, { max_feed_age_h: null, min_score_drop: 8 });
  await check(1);
  const open = (await alertsOf(shop)).filter(({ cleared_at }) => cleared_at === null).map(({ code }) => code);
  assert.ok(
    open.includes("destination_failing") && !open.includes("feeds_old") && !open.includes("score_dropped"),
    open.join(),
  );
});

test("alerts of another catalog are not visible", async () => {
  const [one, other] = [await api.openShop([]), await api.openShop(mugs(1))];
  await one.sync();
  await other.sync();
  await check();

  assert.ok((await alertsOf(one)).some(({ code }) => code === "no_items"));
  assert.ok(!(await alertsOf(other)).some(({ code }) => code === "no_items"));
});

test("settings are kept, and what is not named stays", async () => {
  const shop = await api.openShop(mugs(1));
  const read = async () => {
    const answer = await shop.call("/api/v1/alerts/settings");
    assertDescribed("GET /api/v1/alerts/settings", answer);
    return dataOf<AlertSettings>(answer);
  };
  const defaults = {
    recipients: [],
    digest_at: "07:00",
    time_zone: "UTC",
    max_feed_age_h: 168,
    min_score_drop: 5,
    mail_configured: false,
    mail_failing_since: null,
    mail_error: null,
  };
  assert.deepEqual(await read(), defaults);

  const changed = { recipients: ["feeds@shop.example"], digest_at: null, max_feed_age_h: 24 };
  const answer = await change(shop, changed);
  assertDescribed("PATCH /api/v1/alerts/settings", answer);
  assert.deepEqual(dataOf(answer), { ...defaults, ...changed });
  await change(shop, { time_zone: "Europe/Berlin", min_score_drop: 10 });
  assert.deepEqual(await read(), { ...defaults, ...changed, time_zone: "Europe/Berlin", min_score_drop: 10 });
  await change(shop, { max_feed_age_h: null });
  assert.equal((await read()).max_feed_age_h, null);
});

for (const [what, body] of Object.entries({
  "an address without a host": { recipients: ["feeds"] },
  "two addresses in one": { recipients: ["a@shop.example,b@shop.example"] },
  "a line break in an address": { recipients: ["a@shop.example\r\nBcc: b@shop.example"] },
  "an unknown time zone": { time_zone: "Mars/Olympus" },
  "a time that does not exist": { digest_at: "25:00" },
  "too many recipients": { recipients: Array.from({ length: 21 }, (_, i) => `a${i}@shop.example`) },
}))
  test(`${what} is refused`, async () => {
    const shop = await api.openShop(mugs(1));
    assertProblem(await change(shop, body), 400, "invalid_request");
  });

test("a key that may only read can change nothing and send nothing", async () => {
  const shop = await api.openShop(mugs(1));
  const headers = { authorization: `Bearer ${shop.readKey}` };
  const patch = { method: "PATCH", headers, body: { digest_at: null } } as const;
  assertProblem(await shop.call("/api/v1/alerts/settings", patch), 403, "insufficient_scope");
  assertProblem(
    await shop.call("/api/v1/alerts/test", { method: "POST", headers }),
    403,
    "insufficient_scope",
  );
});

test("a test mail is sent to every recipient at once, and the answer is what the server said", async () => {
  const shop = await api.openShop(mugs(1));
  const { sockets } = api.parts.senders;
  const server = { host: "127.0.0.1", port: smtp.port, isSecure: false, auth: null };
  const mail = mailClient({ server, from: { name: "", address: "alerts@feeds.example" }, sockets });
  await using app = await (async () => {
    const made = await buildApp({ ...api.parts, mail });
    return {
      url: await made.listen({ host: "127.0.0.1", port: 0 }),
      [Symbol.asyncDispose]: async () => made.close(),
    };
  })();
  const post = async () =>
    ask(`${app.url}/api/v1/alerts/test`, {
      method: "POST",
      headers: { authorization: `Bearer ${shop.key}` },
    });

  assertProblem(await shop.call("/api/v1/alerts/test", { method: "POST" }), 409, "mail_not_configured");
  assertProblem(await post(), 409, "no_recipients");
  await change(shop, { recipients: ["one@shop.example", "two@shop.example"] });
  const answer = await post();
  assertDescribed("POST /api/v1/alerts/test", answer);
  assert.deepEqual(
    dataOf<TestMail>(answer).results.map(({ recipient, sent, error }) => [recipient, sent, error]),
    [
      ["one@shop.example", true, null],
      ["two@shop.example", true, null],
    ],
  );
  assert.equal(smtp.mails.length, 2);
  assertProblem(await post(), 429, "rate_limited");
});

test("open alerts are counted in the metrics; catalogs are named on the separate port only", async () => {
  const shop = await api.openShop([]);
  await shop.sync();
  await check();

  const open = (await api.ask("/metrics")).text;
  assert.match(open, /^shelfwire_alerts\{code="no_items"\} [1-9]/m);
  assert.ok(!open.includes(shop.slug));

  const metricsApp = fastify();
  await using app = await (async () => {
    const made = await buildApp({ ...api.parts, metricsApp });
    const url = await metricsApp.listen({ host: "127.0.0.1", port: 0 });
    return {
      url,
      [Symbol.asyncDispose]: async () => void (await Promise.all([made.close(), metricsApp.close()])),
    };
  })();
  const named = (await ask(`${app.url}/metrics`)).text;
  assert.match(named, new RegExp(`^shelfwire_alerts\\{catalog="${shop.slug}",code="no_items"\\} 1`, "m"));
});
