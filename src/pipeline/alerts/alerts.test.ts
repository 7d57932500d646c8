/**
 * From a problem in the database to the mail in a real server: once each, with several workers, retries and digests.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { freshDb } from "../../../test/fresh.ts";
import { openSmtp } from "../../../test/fakes/smtp-server.ts";
import type { TestSmtp } from "../../../test/fakes/smtp-server.ts";
import { memoryLog } from "../../../test/installation.ts";
import { seedCatalog, seedSource } from "../../../test/seed.ts";
import { mailClient } from "../../lib/outbound/mail-client.ts";
import { socketClient } from "../../lib/outbound/socket-client.ts";
import { saveAlertSettings } from "../../store/alert-settings.ts";
import type { ChangedAlertSettings } from "../../store/alert-settings.ts";
import { countAlerts, pruneAlerts } from "../../store/alerts.ts";
import { newId } from "../../lib/id.ts";
import type { Db } from "../../store/db.ts";
import { recordRender } from "../../store/renders.ts";
import { sql } from "../../store/sql.ts";
import { alertSettings, listAlerts, sendTestMail } from "./alerts.ts";
import { assessDue } from "./assess.ts";
import { ALERT_DEFAULTS, sendNext } from "./run.ts";

const MINUTE = 60_000;
const TOKEN = "feed-token-that-must-not-leak";
const RECIPIENTS = ["one@shop.example", "two@shop.example"];
const never = new AbortController().signal;

/** A catalog with a source that was never synced: `source_stale`. */
async function troubled(db: Db, changed: ChangedAlertSettings = {}) {
  const catalogId = await seedCatalog(db);
  const sourceId = await seedSource(db, catalogId);
  await db.execute(sql`
    update sources set created_at = now() - interval '9 days', next_sync_at = now() + interval '1 day' where id = ${sourceId}`);
  await saveAlertSettings(db, catalogId, { recipients: RECIPIENTS, ...changed });
  return { catalogId, sourceId };
}

const heal = async (db: Db, sourceId: string) =>
  db.execute(sql`update sources set created_at = now() + interval '30 days' where id = ${sourceId}`);

const deps = (db: Db) => ({
  db,
  log: memoryLog(),
  baseUrl: "https://feeds.example",
  feedUrl: (_: unknown, file: string) => `https://feeds.example/f/shop/${TOKEN}/${file}`,
  hasMail: true,
});
const check = async (db: Db, minutes: number) =>
  assessDue(deps(db), { everyS: 0, now: () => new Date(Date.now() + minutes * MINUTE) });

function sender(db: Db, { port }: TestSmtp) {
  const sockets = socketClient({ allowPrivate: ["127.0.0.1"] });
  const mail = mailClient({
    server: { host: "127.0.0.1", port, isSecure: false, auth: null },
    from: { name: "", address: "alerts@feeds.example" },
    sockets,
    limits: { totalMs: 2_000, stepMs: 1_000 },
  });
  const log = memoryLog();
  const sendAll = async () => {
    let sent = 0;
    while (await sendNext({ db, log, mail }, never, ALERT_DEFAULTS)) sent += 1;
    return sent;
  };
  return { log, mail, sendAll };
}

const queued = async (db: Db) =>
  db.query<{ recipient: string; subject: string; text: string; state: string; attempts: number }>(
    sql`select recipient, subject, text, state, attempts from alert_mails order by created_at, recipient`,
  );

const decoded = (source: string): string =>
  source
    .replaceAll("=\r\n", "")
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));

test("a problem is listed, mailed to each recipient once, and its end is a reply to that mail", async () => {
  await using db = await freshDb();
  await using smtp = await openSmtp({ disabledCommands: ["STARTTLS"] });
  const { sendAll } = sender(db, smtp);
  const { catalogId, sourceId } = await troubled(db);

  await check(db, 0);
  const { alerts } = await listAlerts(db, catalogId, {});
  assert.deepEqual(
    alerts.map(({ code, severity, subject, notified_at }) => [code, severity, subject, notified_at]),
    [["source_stale", "failing", sourceId, null]],
  );
  assert.match(alerts[0]?.advice ?? "", /^Sync the source now\./);
  assert.equal(await sendAll(), 0);

  for (const minutes of [6, 7, 20, 60]) await check(db, minutes);
  assert.equal(await sendAll(), 2);
  assert.deepEqual(smtp.mails.flatMap(({ to }) => to).toSorted(), RECIPIENTS);
  const body = decoded(smtp.mails[0]?.source ?? "");
  assert.deepEqual(
    (await queued(db)).map(({ subject }) => subject),
    Array.from(
      { length: 2 },
      () => '[Shelfwire] Shop: "Feed" was added 9 days ago and has never been synced.',
    ),
  );
  assert.match(body, /What to do: +Sync the source now\./);
  assert.match(body, new RegExp(`https://feeds.example/c/shop-\\w+/sources/${sourceId}`));
  assert.ok(!body.includes(TOKEN));

  await heal(db, sourceId);
  for (const minutes of [61, 70, 92, 120]) await check(db, minutes);
  assert.equal(await sendAll(), 2);
  const [first, , last] = smtp.mails.map(({ source }) => source);
  const messageId = /^Message-ID: (<.+>)/m.exec(first ?? "")?.[1] ?? "";
  assert.match((await queued(db))[2]?.subject ?? "", /^\[Shelfwire\] Shop: Resolved: "Feed" was added/);
  assert.ok(last?.includes(`In-Reply-To: ${messageId}`));
  const resolved = await listAlerts(db, catalogId, { state: "resolved" });
  assert.equal(resolved.alerts.length, 1);
  assert.deepEqual((await listAlerts(db, catalogId, {})).alerts, []);
});

test("any number of workers that check and send at once mail a problem once", async () => {
  await using db = await freshDb();
  await using smtp = await openSmtp({ disabledCommands: ["STARTTLS"] });
  const { sendAll } = sender(db, smtp);
  for (let i = 0; i < 3; i += 1) await troubled(db);

  for (const minutes of [0, 6, 7])
    await Promise.all(Array.from({ length: 6 }, async () => check(db, minutes)));
  await Promise.all(Array.from({ length: 4 }, sendAll));

  assert.equal(smtp.mails.length, 3 * RECIPIENTS.length);
});

test("a server that refuses for now gets the mail later; meanwhile the status says that mail fails", async () => {
  await using db = await freshDb();
  await using smtp = await openSmtp({ disabledCommands: ["STARTTLS"] });
  const { sendAll, log } = sender(db, smtp);
  const { catalogId } = await troubled(db, { recipients: ["one@shop.example"] });
  smtp.behavior.rejectRecipient = 451;
  for (const minutes of [0, 6]) await check(db, minutes);

  assert.equal(await sendAll(), 1);
  const [waiting] = await queued(db);
  assert.deepEqual([waiting?.state, waiting?.attempts], ["pending", 1]);
  await check(db, 7);
  const codes = (await listAlerts(db, catalogId, {})).alerts.map(({ code }) => code);
  assert.deepEqual(codes, ["source_stale", "mail_failing"]);
  assert.match(
    JSON.stringify(log.lines),
    /alert could not be mailed: The mail server 127\.0\.0\.1 does not take/,
  );

  smtp.behavior.rejectRecipient = 0;
  await db.execute(sql`update alert_mails set next_attempt_at = now()`);
  assert.equal(await sendAll(), 1);
  assert.equal(smtp.mails.length, 1);
  for (const minutes of [8, 60]) await check(db, minutes);
  assert.deepEqual(
    (await listAlerts(db, catalogId, {})).alerts.map(({ code }) => code),
    ["source_stale"],
  );
  // No mail is sent about mails that failed.
  assert.equal((await queued(db)).length, 1);
});

test("mail fails until the newest one to every recipient was sent, or a test reached all of them", async () => {
  await using db = await freshDb();
  await using smtp = await openSmtp({ disabledCommands: ["STARTTLS"] });
  const { sendAll, mail } = sender(db, smtp);
  const { catalogId } = await troubled(db);
  const isFailing = async () => (await alertSettings({ db }, catalogId)).mail_error !== null;
  for (const minutes of [0, 6]) await check(db, minutes);
  // Of two recipients, the server takes the second one only.
  smtp.behavior.rejectRecipient = 550;
  await db.execute(
    sql`update alert_mails set next_attempt_at = now() + interval '1 hour' where recipient = ${RECIPIENTS[1]}`,
  );
  await sendAll();
  smtp.behavior.rejectRecipient = 0;
  await db.execute(sql`update alert_mails set next_attempt_at = now() where recipient = ${RECIPIENTS[1]}`);
  assert.equal(await sendAll(), 1);
  assert.equal(await isFailing(), true);

  const { results } = await sendTestMail({ ...deps(db), mail }, catalogId, never);
  assert.ok(results.every(({ sent }) => sent));
  assert.equal(await isFailing(), false);
});

test("a recipient that is refused for good is tried once, and a server that never answers until the schedule ends", async () => {
  await using db = await freshDb();
  await using smtp = await openSmtp({ disabledCommands: ["STARTTLS"] });
  const { sendAll } = sender(db, smtp);
  await troubled(db, { recipients: ["one@shop.example"] });
  smtp.behavior.rejectRecipient = 550;
  for (const minutes of [0, 6]) await check(db, minutes);
  await sendAll();
  assert.deepEqual(
    (await queued(db)).map(({ state, attempts }) => [state, attempts]),
    [["dead", 1]],
  );

  await db.execute(
    sql`update alert_mails set state = 'pending', next_attempt_at = now(), finished_at = null, attempts = 0`,
  );
  smtp.behavior.rejectRecipient = 0;
  smtp.behavior.breaksOff = true;
  for (let i = 0; i < 6; i += 1) {
    await db.execute(sql`update alert_mails set next_attempt_at = now() where state = 'pending'`);
    assert.equal(await sendAll(), 1);
  }
  assert.deepEqual(
    (await queued(db)).map(({ state, attempts }) => [state, attempts]),
    [["dead", 6]],
  );
});

test("a mail whose sender died is sent by another one after its lease, and one that is stopped waits as before", async () => {
  await using db = await freshDb();
  await using smtp = await openSmtp({ disabledCommands: ["STARTTLS"] });
  const { sendAll, mail, log } = sender(db, smtp);
  await troubled(db, { recipients: ["one@shop.example"] });
  for (const minutes of [0, 6]) await check(db, minutes);
  const stop = new AbortController();
  const stopped = { ...mail, send: async () => (stop.abort(), Promise.reject(new Error("stopped"))) };
  assert.equal(await sendNext({ db, log, mail: stopped }, stop.signal, ALERT_DEFAULTS), false);
  assert.equal((await queued(db))[0]?.attempts, 0);
  await db.execute(sql`
    update alert_mails set lease_owner = gen_random_uuid(), lease_until = now() + interval '1 minute'`);
  assert.equal(await sendAll(), 0);
  await db.execute(sql`update alert_mails set lease_until = now() - interval '1 second'`);

  assert.equal(await sendAll(), 1);
  assert.equal(smtp.mails.length, 1);
});

test("the digest comes at its time if something is open or happened, and not otherwise", async () => {
  await using db = await freshDb();
  const { catalogId, sourceId } = await troubled(db, {
    recipients: ["one@shop.example"],
    digestAt: "07:00",
    timeZone: "Europe/Berlin",
  });
  const digests = async () => (await queued(db)).filter(({ subject }) => subject.includes("Daily digest"));
  const makeDue = async () =>
    db.execute(
      sql`update alert_settings set next_digest_at = now() - interval '1 minute' where catalog_id = ${catalogId}`,
    );
  const next = await db.first<{ time: string }>(
    sql`select to_char(next_digest_at at time zone 'Europe/Berlin', 'HH24:MI') as time from alert_settings where catalog_id = ${catalogId}`,
  );
  assert.equal(next?.time, "07:00");
  await check(db, 0);
  assert.equal((await digests()).length, 0);

  await makeDue();
  await check(db, 1);
  await check(db, 2);
  const [digest, ...more] = await digests();
  assert.equal(more.length, 0);
  assert.match(digest?.subject ?? "", /Daily digest: 1 problem open, 0 resolved$/);
  assert.match(digest?.text ?? "", /"Feed" was added 9 days ago/);

  await heal(db, sourceId);
  for (const minutes of [3, 40]) await check(db, minutes);
  await makeDue();
  await check(db, 41);
  assert.match((await digests())[1]?.subject ?? "", /nothing is open, 1 resolved$/);

  await makeDue();
  await check(db, 100);
  assert.equal((await digests()).length, 2);
});

test("without recipients or a mail server alerts are kept and nothing is queued", async () => {
  await using db = await freshDb();
  const { catalogId } = await troubled(db, { recipients: [] });
  for (const minutes of [0, 6]) await check(db, minutes);
  await saveAlertSettings(db, catalogId, { recipients: RECIPIENTS });
  await assessDue(
    { ...deps(db), hasMail: false },
    { everyS: 0, now: () => new Date(Date.now() + 7 * MINUTE) },
  );
  assert.deepEqual(await queued(db), []);

  // As soon as there are both, they are told what is open.
  await check(db, 8);
  assert.equal((await queued(db)).length, 2);
});

test("a batch of catalogs costs the same queries as one, and a check that finds nothing new writes nothing", async () => {
  await using db = await freshDb();
  for (let i = 0; i < 30; i += 1) await troubled(db);
  await check(db, 0);
  const before = await db.first<{ writes: number }>(
    sql`select sum(xmin::text::bigint) as writes from alerts`,
  );
  let queries = 0;
  const counting = (on: Db): Db => ({
    ...on,
    query: async (statement) => ((queries += 1), on.query(statement)),
    execute: async (statement) => ((queries += 1), on.execute(statement)),
  });

  await assessDue({ ...deps(db), db: counting(db), hasMail: false }, { everyS: 0 });

  assert.ok(queries <= 12, `${queries} queries for 30 catalogs`);
  const after = await db.first<{ writes: number }>(sql`select sum(xmin::text::bigint) as writes from alerts`);
  assert.deepEqual(after, before);
});

test("a catalog that cannot be checked does not keep the others unchecked", async () => {
  await using db = await freshDb();
  const [broken, fine] = [await troubled(db), await troubled(db)];
  await db.execute({
    text: `alter table alerts add constraint broken check (catalog_id <> '${broken.catalogId}')`,
    values: [],
  });
  await check(db, 0);
  const codes = async (id: string) => (await listAlerts(db, id, {})).alerts.map(({ code }) => code);
  assert.deepEqual([await codes(broken.catalogId), await codes(fine.catalogId)], [[], ["source_stale"]]);
});

test("a problem that seems to be over is listed last, is not counted, and the digest says so", async () => {
  await using db = await freshDb();
  const { catalogId, sourceId } = await troubled(db);
  await check(db, 0);
  const counted = async () => (await countAlerts(db, 10)).map(({ code, count }) => [code, count]);
  assert.deepEqual(await counted(), [["source_stale", 1]]);

  await heal(db, sourceId);
  await check(db, 1);
  assert.deepEqual(await counted(), []);
  await db.execute(sql`
    update alert_settings set mail_failing_since = now(), mail_error = 'Refused.', next_digest_at = now() - interval '1 minute'
     where catalog_id = ${catalogId}`);
  await check(db, 2);

  const { alerts } = await listAlerts(db, catalogId, {});
  assert.deepEqual(
    alerts.map(({ code, cleared_at }) => [code, cleared_at === null]),
    [
      ["mail_failing", true],
      ["source_stale", false],
    ],
  );
  const digest = (await queued(db)).find(({ subject }) => subject.includes("Daily digest"));
  assert.match(digest?.subject ?? "", /Daily digest: 1 problem open, 0 resolved$/);
  assert.match(digest?.text ?? "", /Seems to be over\n=+\n\n"Feed" was added/);
  assert.doesNotMatch(digest?.text ?? "", /Failing/);
});

test("while publication is paused or a render is held, the list says that destinations get the files from before", async () => {
  await using db = await freshDb();
  const { catalogId } = await troubled(db);
  await check(db, 0);
  const meanwhile = async () => (await listAlerts(db, catalogId, {})).alerts[0]?.meanwhile ?? "";
  assert.match(await meanwhile(), /^The items of the last good sync/);

  await db.execute(sql`update catalogs set publication_paused_at = now() where id = ${catalogId}`);
  assert.match(await meanwhile(), /^The files from before/);
  await db.execute(sql`update catalogs set publication_paused_at = null where id = ${catalogId}`);
  assert.match(await meanwhile(), /^The items of the last good sync/);

  const runId = newId();
  await db.execute(sql`
    insert into runs (id, catalog_id, kind, state, cause, finished_at)
    values (${runId}, ${catalogId}, 'render', 'succeeded', 'sync', now())`);
  const render = { runId, catalogId, folder: newId(), figures: null, exceeded: [] };
  await recordRender(db, { ...render, state: "discarded" });
  assert.match(await meanwhile(), /^The files from before/);
});

test("what is over is kept for a while and then deleted", async () => {
  await using db = await freshDb();
  const { sourceId } = await troubled(db);
  await check(db, 0);
  await heal(db, sourceId);
  for (const minutes of [1, 40]) await check(db, minutes);

  await pruneAlerts(db, new Date(Date.now() - 86_400_000));
  assert.equal((await db.query(sql`select 1 from alerts`)).length, 1);
  await pruneAlerts(db, new Date(Date.now() + 86_400_000));
  assert.equal((await db.query(sql`select 1 from alerts`)).length, 0);
});
