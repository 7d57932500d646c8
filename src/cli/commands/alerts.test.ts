import assert from "node:assert/strict";
import { test } from "node:test";
import { closeAfterTests } from "../../../test/close-after.ts";
import { commandLine } from "../../../test/command-line.ts";
import { openSmtp } from "../../../test/fakes/smtp-server.ts";
import type { AlertSettings, TestMail } from "../../contract/alerts.ts";

const home = closeAfterTests(await commandLine());
await home.data("catalog", "create", "--slug", "shop", "--name", "Shop", "--currency", "USD");
const inShop = ["--catalog", "shop"];

test("alerts are listed with who is mailed, and settings that are not named stay", async () => {
  const none = await home.run(["alerts", ...inShop]);
  assert.match(none.out, /Nothing is open\.\nNo mail is sent/);

  const to = ["--to", "feeds@shop.example, ops@shop.example"];
  await home.data(
    "alerts",
    "set",
    ...inShop,
    ...to,
    "--max-feed-age-h",
    "never",
    "--time-zone",
    "Europe/Berlin",
  );
  const set = await home.data<AlertSettings>(
    "alerts",
    "set",
    ...inShop,
    "--digest-at",
    "08:30",
    "--min-score-drop",
    "9",
  );
  assert.deepEqual(set, {
    recipients: ["feeds@shop.example", "ops@shop.example"],
    digest_at: "08:30",
    time_zone: "Europe/Berlin",
    max_feed_age_h: null,
    min_score_drop: 9,
    mail_configured: false,
    mail_failing_since: null,
    mail_error: null,
  });
  const listed = await home.run(["alerts", "list", ...inShop, "--resolved"]);
  assert.match(listed.out, /Nothing is resolved\.\nMail is off until SMTP_URL and MAIL_FROM are set/);
});

test("a wrong address, an unknown time zone and an empty change are refused", async () => {
  for (const [options, message] of [
    [["--to", "a@b.example\nBcc: c@d.example"], /recipients\.0: Must be a mail address such as/],
    [["--time-zone", "Mars"], /no such time zone/],
    [["--digest-at", "7"], /a time such as 07:00/],
    [[], /Name what to change/],
  ] as const) {
    const { status, talk } = await home.run(["alerts", "set", ...inShop, ...options]);
    assert.equal(status, 2);
    assert.match(talk, message);
  }
});

test("a test mail says what the server said, and a refusal is the exit status", async () => {
  await using smtp = await openSmtp({ disabledCommands: ["STARTTLS"] });
  await home.data("alerts", "set", ...inShop, "--to", "feeds@shop.example");
  const off = await home.run(["alerts", "test", ...inShop]);
  assert.match(off.talk, /Set SMTP_URL and MAIL_FROM/);
  const env = {
    ...home.env,
    SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
    MAIL_FROM: "Shelfwire <alerts@shop.example>",
  };
  smtp.behavior.rejectRecipient = 550;

  const { status, out } = await home.run(["alerts", "test", ...inShop, "--json"], { env });

  const [result] = (JSON.parse(out) as TestMail).results;
  assert.equal(status, 6);
  assert.match(result?.error ?? "", /refused the mail to feeds@shop\.example for good\. It said: 550/);
});
