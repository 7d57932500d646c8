/**
 * Mail by SMTP against a real server: TLS, login, refusals, a server that hangs or breaks off, and what a mail consists
 * of.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { openSmtp, SMTP_LOGIN, SMTP_PASSWORD } from "../../../test/fakes/smtp-server.ts";
import type { TestSmtp } from "../../../test/fakes/smtp-server.ts";
import { SHOP_TEST_TLS, trustShopTest } from "./http-client.fixture.ts";
import { type Mail, type MailServer, mailClient, MailFailure } from "./mail-client.ts";
import { socketClient } from "./socket-client.ts";

const never = new AbortController().signal;
const MAIL: Mail = {
  to: "feeds@shop.example",
  subject: "Größe: 3 problems",
  text: "Something is wrong.\n",
  html: "<p>Something is wrong.</p>",
  messageId: "1@shelfwire.example",
  references: ["0@shelfwire.example"],
};

type Options = Partial<MailServer> & { readonly allow?: readonly string[]; readonly stepMs?: number };

/** The name leads to loopback; the guard allows the address, but the name only if `allow` has it. */
async function send({ port }: Pick<TestSmtp, "port">, options: Options = {}, mail: Partial<Mail> = {}) {
  const { allow = ["127.0.0.0/8", "shop.test"], stepMs = 2_000, ...server } = options;
  const sockets = socketClient({ allowPrivate: allow, lookup: async () => ["127.0.0.1"] });
  const client = mailClient({
    server: { host: "shop.test", port, isSecure: false, auth: null, ...server },
    from: { name: "Shelfwire", address: "alerts@shelfwire.example" },
    sockets,
    limits: { totalMs: 2 * stepMs, stepMs },
  });
  await client.send({ ...MAIL, ...mail }, never);
}

const failure = async (sending: Promise<void>): Promise<MailFailure> =>
  sending.then(
    () => assert.fail("it was sent"),
    (error: unknown) => {
      assert.ok(error instanceof MailFailure, String(error));
      assert.ok(!error.message.includes(SMTP_PASSWORD));
      return error;
    },
  );

const NOT_NAMED = { allow: ["127.0.0.0/8"] };

test("a mail has both forms, the sender, threading headers, and says that a program sent it", async () => {
  await using smtp = await openSmtp({ disabledCommands: ["STARTTLS"] });

  await send(smtp);

  const [mail] = smtp.mails;
  assert.deepEqual([mail?.from, mail?.to], ["alerts@shelfwire.example", ["feeds@shop.example"]]);
  const source = mail?.source ?? "";
  for (const part of [
    "From: Shelfwire <alerts@shelfwire.example>",
    "To: feeds@shop.example",
    "Message-ID: <1@shelfwire.example>",
    "References: <0@shelfwire.example>",
    "Auto-Submitted: auto-generated",
    "Content-Type: text/plain; charset=utf-8",
    "Content-Type: text/html; charset=utf-8",
  ])
    assert.ok(source.includes(part), `${part}\n${source}`);
});

test("nothing in a subject or an address can add a header or a recipient", async () => {
  await using smtp = await openSmtp({ disabledCommands: ["STARTTLS"] });

  await send(smtp, {}, { subject: "One\r\nBcc: other@shop.example\r\n\r\nText", to: "a@shop.example" });

  const [mail] = smtp.mails;
  assert.deepEqual(mail?.to, ["a@shop.example"]);
  const headers = mail?.source.split("\r\n\r\n")[0] ?? "";
  assert.doesNotMatch(headers, /^Bcc:/im);
});

describe("TLS", () => {
  test("STARTTLS and the login are used with a server whose certificate is trusted", async (context) => {
    trustShopTest(context);
    await using smtp = await openSmtp(SHOP_TEST_TLS);

    await send(smtp, { ...NOT_NAMED, auth: SMTP_LOGIN });

    assert.deepEqual([smtp.mails[0]?.isSecure, smtp.mails[0]?.user], [true, "mailer"]);
  });

  test("smtps is TLS from the first byte", async (context) => {
    trustShopTest(context);
    await using smtp = await openSmtp({ ...SHOP_TEST_TLS, secure: true });

    await send(smtp, { ...NOT_NAMED, isSecure: true, auth: SMTP_LOGIN });

    assert.equal(smtp.mails[0]?.isSecure, true);
  });

  test("a certificate that is not trusted ends the attempt before the login", async () => {
    for (const isSecure of [true, false]) {
      await using smtp = await openSmtp({ ...SHOP_TEST_TLS, secure: isSecure });

      const { message, isFinal } = await failure(send(smtp, { ...NOT_NAMED, isSecure, auth: SMTP_LOGIN }));

      assert.match(message, /certificate/);
      assert.equal(isFinal, false);
      assert.deepEqual(smtp.mails, []);
    }
  });

  test("a server without STARTTLS gets neither login nor mail", async () => {
    await using smtp = await openSmtp({ disabledCommands: ["STARTTLS"] });

    const { message } = await failure(send(smtp, NOT_NAMED));

    assert.match(message, /no safe connection/);
    assert.deepEqual(smtp.mails, []);
  });

  test("a server that the operator has named may use a certificate of its own, or none", async () => {
    for (const options of [SHOP_TEST_TLS, { disabledCommands: ["STARTTLS"] }]) {
      await using smtp = await openSmtp(options);
      await send(smtp);
      assert.equal(smtp.mails.length, 1);
    }
  });
});

test("a private address that nobody has named is refused", async () => {
  await using smtp = await openSmtp();

  const { message } = await failure(send(smtp, { allow: [] }));

  assert.match(message, /private or local address/);
  assert.equal(smtp.connections(), 0);
});

test("a refused login is told, without the password", async () => {
  await using smtp = await openSmtp({ disabledCommands: ["STARTTLS"], allowInsecureAuth: true });

  const { message, isFinal } = await failure(send(smtp, { auth: { user: "mailer", pass: "wrong" } }));

  assert.match(message, /refused the login\. Check user and password in SMTP_URL\. It said: 535/);
  assert.equal(isFinal, false);
});

describe("a server that", () => {
  const plain = { disabledCommands: ["STARTTLS"] };

  test("refuses a recipient for good is not asked again", async () => {
    await using smtp = await openSmtp(plain);
    smtp.behavior.rejectRecipient = 550;
    const { message, isFinal } = await failure(send(smtp));
    assert.match(message, /refused the mail to feeds@shop.example for good\. It said: 550/);
    assert.equal(isFinal, true);
  });

  test("refuses for now is asked again", async () => {
    for (const when of ["rejectRecipient", "rejectMessage"] as const) {
      await using smtp = await openSmtp(plain);
      smtp.behavior[when] = 451;
      const { message, isFinal } = await failure(send(smtp));
      assert.match(message, /does not take the mail .* now\. It said: 451/);
      assert.equal(isFinal, false);
    }
  });

  test("breaks off in the middle of the message is asked again", async () => {
    await using smtp = await openSmtp(plain);
    smtp.behavior.breaksOff = true;
    const { message, isFinal } = await failure(send(smtp));
    assert.match(message, /connection to the mail server shop.test broke/);
    assert.equal(isFinal, false);
  });

  test("hangs is given up after the time limit", async () => {
    await using smtp = await openSmtp(plain);
    smtp.behavior.hangs = true;
    const began = performance.now();
    const { message, isFinal } = await failure(send(smtp, { stepMs: 300 }));
    assert.match(message, /did not answer in time|broke/);
    assert.equal(isFinal, false);
    assert.ok(performance.now() - began < 5_000);
  });

  test("is not there is told", async () => {
    const { port } = await (async () => {
      await using smtp = await openSmtp(plain);
      return { port: smtp.port };
    })();
    const { message } = await failure(send({ port }));
    assert.match(message, /cannot be reached/);
  });
});
