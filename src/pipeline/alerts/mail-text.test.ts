/** What mails say: read them in docs/alerts.md, which has them from here. */
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { ATTENTION_CODES } from "../../contract/status.ts";
import type { AlertRow } from "../../store/alerts.ts";
import { ADVICE } from "./advice.ts";
import { digestMail, type MailedCatalog, problemMail, testMail } from "./mail-text.ts";

const CATALOG: MailedCatalog = {
  slug: "kiln",
  name: "Kiln & Co.",
  timeZone: "Europe/Berlin",
  renderedAt: new Date("2026-11-16T03:12:00.000Z"),
  items: 1_240,
  isBehind: false,
  consoleUrl: "https://feeds.example.com",
};

const row = (more: Partial<AlertRow>): AlertRow => ({
  id: "01a1dd17-9f27-78f6-9abd-d1a8ebaea600",
  catalogId: "01a1dd17-9f27-78f6-9abd-d1a8ebaea601",
  code: "source_failing",
  subject: "01a1dd17-9f27-78f6-9abd-d1a8ebaea602",
  severity: "failing",
  message:
    'The last 4 syncs of "Shop" failed, the first 9 hours ago (source_unauthorized). The shop answered 401: the access token is not valid any more.',
  action: { kind: "open_source", target: "01a1dd17-9f27-78f6-9abd-d1a8ebaea602" },
  since: new Date("2026-11-16T03:12:00.000Z"),
  openedAt: new Date("2026-11-16T03:13:00.000Z"),
  lastSeenAt: new Date("2026-11-16T12:00:00.000Z"),
  clearedAt: null,
  resolvedAt: null,
  times: 0,
  notifiedAt: null,
  resolvedNotifiedAt: null,
  mailId: null,
  ...more,
});

const PROBLEMS = [
  row({}),
  row({
    code: "destination_failing",
    severity: "attention",
    message:
      'Deliveries to "OpenAI" have failed for 40 minutes: it has the files of 9 hours ago. The login was refused.',
    action: { kind: "open_destination", target: "01a1dd17-9f27-78f6-9abd-d1a8ebaea603" },
    since: new Date("2026-11-16T11:20:00.000Z"),
    times: 1,
  }),
];
const RESOLVED = [
  row({
    code: "webhook_failing",
    message: "Webhook deliveries to hooks.example.com have failed for 2 hours.",
    resolvedAt: new Date("2026-11-16T05:12:00.000Z"),
  }),
];

test("docs/alerts.md shows a mail as it is sent", async () => {
  const path = join(import.meta.dirname, "../../../docs/alerts.md");
  const page = await readFile(path, "utf8");
  const { subject, text } = problemMail(CATALOG, { problems: PROBLEMS, resolved: RESOLVED });
  const shown = `Subject: ${subject}\n\n${text.trimEnd()}`;
  const place = /(?<=<!-- a mail -->\n```text\n)[^]*?(?=\n```\n<!-- end of the mail -->)/;
  const expected = page.replace(place, () => shown);
  assert.match(page, place);
  if (process.env["UPDATE_DOCS"]) await writeFile(path, expected);
  else assert.equal(page, expected);
});

test("the subject names the first problem and counts the others", () => {
  const all = { problems: PROBLEMS, resolved: RESOLVED };
  assert.equal(
    problemMail(CATALOG, all).subject,
    '[Shelfwire] Kiln & Co.: The last 4 syncs of "Shop" failed, the first 9 hours ago (source_unauthorized). (and 1 more)',
  );
  assert.equal(
    problemMail(CATALOG, { problems: [], resolved: RESOLVED }).subject,
    "[Shelfwire] Kiln & Co.: Resolved: Webhook deliveries to hooks.example.com have failed for 2 hours.",
  );
  assert.equal(
    digestMail(CATALOG, all).subject,
    "[Shelfwire] Kiln & Co.: Daily digest: 2 problems open, 1 resolved",
  );
});

test("the mail about a held render links to the page where it is decided", () => {
  const problems = [row({ code: "render_held", action: { kind: "open_render", target: "01a1dd17" } })];
  const { text } = problemMail(CATALOG, { problems, resolved: [] });
  assert.match(text, /https:\/\/feeds\.example\.com\/c\/[^/]+\/renders\/01a1dd17/);
});

test("without a public address of the console there is no link", () => {
  const { text, html } = problemMail({ ...CATALOG, consoleUrl: null }, { problems: PROBLEMS, resolved: [] });
  assert.doesNotMatch(text + html, /https?:/);
});

test("an address in a message is shown without path, query and password", () => {
  const message =
    'The feed at https://me:pw@shop.example/f/shop/tok3n/gmc.tsv?key=s3cret failed ("sftp://u:p@h.example/x").';
  const { subject, text, html } = problemMail(CATALOG, { problems: [row({ message })], resolved: [] });
  for (const part of [subject, text, html]) {
    assert.match(part, /https:\/\/shop\.example\/…/);
    assert.doesNotMatch(part, /tok3n|s3cret|pw@|u:p/);
  }
});

test("whatever catalogs and messages are called, the subject is one short line and the HTML has only our tags", () => {
  const tags = (html: string) =>
    new Set([...html.matchAll(/<\/?([a-z!][a-z0-9]*)/gi)].map(([, tag = ""]) => tag));
  const usual = tags(problemMail(CATALOG, { problems: PROBLEMS, resolved: RESOLVED }).html);
  const text = fc.string({
    unit: fc.constantFrom(
      "a",
      "<b>",
      '"',
      "'",
      "&",
      "\r\n",
      "\0",
      "\u2028",
      "\ud800",
      "é",
      " ",
      "https://x/<i>",
    ),
  });
  fc.assert(
    fc.property(text, text, (name, message) => {
      const problems = [row({ message, action: { kind: "open_run", target: message } })];
      for (const mail of [
        problemMail({ ...CATALOG, name }, { problems, resolved: problems }),
        digestMail({ ...CATALOG, name }, { problems, resolved: [] }),
        testMail({ ...CATALOG, name }),
      ]) {
        assert.doesNotMatch(mail.subject, /[\p{Cc}\u2028\u2029]/u);
        assert.ok(mail.subject.isWellFormed() && mail.subject.length < 250);
        for (const tag of tags(mail.html)) assert.ok(usual.has(tag), tag);
      }
    }),
  );
});

test("every code says what destinations get and what to do", () => {
  for (const code of ATTENTION_CODES) {
    const { meanwhile, advice } = ADVICE[code];
    for (const text of [meanwhile, advice]) assert.match(text, /^[A-Z].*\.$/, code);
  }
});

test("while the newest render is not published, every block says that destinations get the files from before", () => {
  const codes = ["render_held", "items_removed", "source_failing", "rows_rejected", "no_items"] as const;
  const problems = codes.map((code) => row({ code }));
  const got = ({ isBehind }: { isBehind: boolean }) =>
    [
      ...problemMail({ ...CATALOG, isBehind }, { problems, resolved: [] }).text.matchAll(
        /Destinations get: (.+)/g,
      ),
    ].map(([, text = ""]) => text);

  assert.equal(got({ isBehind: true }).length, codes.length);
  for (const text of got({ isBehind: true })) assert.match(text, /^The files from before, at the same URLs/);
  assert.equal(got({ isBehind: false })[1], "The feeds without these items.");
});
