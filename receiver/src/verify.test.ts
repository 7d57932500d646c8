import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { anyCharacter } from "../../src/lib/any-character.fixture.ts";
import type { RawBody } from "./body.ts";
import type { WebhookEvent } from "./events.ts";
import type { SignatureHeader } from "./header.ts";
import type { Secrets } from "./secret.ts";
import { sign } from "./sign.ts";
import { SignatureError, type SignatureErrorCode } from "./signature-error.ts";
import type { VerifyOptions } from "./tolerance.ts";
import { verifyAsync } from "./verify-async.ts";
import { verify } from "./verify.ts";

const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const OTHER = `whsec_${Buffer.alloc(32, 8).toString("base64")}`;
const NOW = new Date("2026-01-01T00:00:00.000Z");
const T = NOW.getTime() / 1000;
const EVENT = {
  event: "webhook.test",
  created_at: "2026-01-01T00:00:00.000Z",
  data: { message: "Grüße 🛒" },
};
const BODY = JSON.stringify(EVENT);

type Verify = (
  rawBody: RawBody,
  header: SignatureHeader,
  secret: Secrets,
  options?: VerifyOptions,
) => WebhookEvent | Promise<WebhookEvent>;

const VERIFIERS: readonly [string, Verify][] = [
  ["verify", verify],
  ["verifyAsync", verifyAsync],
];

async function refusal(call: () => unknown): Promise<SignatureErrorCode | undefined> {
  try {
    await call();
    return undefined;
  } catch (error) {
    if (error instanceof SignatureError) return error.code;
    throw error;
  }
}

/** Signed by plain node:crypto, so that no test passes only because sign and verify share a bug. */
function header(body: string | Uint8Array, { secret = SECRET, t = String(T) } = {}): string {
  return `t=${t},v1=${createHmac("sha256", secret).update(`${t}.`).update(body).digest("hex")}`;
}

const anyEventBody = fc
  .record({ event: fc.string(), created_at: fc.string(), data: fc.dictionary(fc.string(), fc.jsonValue()) })
  .map((event) => JSON.stringify(event));
const anySecret = fc.string({ minLength: 1, unit: anyCharacter });
const anyNow = fc.date({ min: new Date(0), max: new Date("4000-01-01"), noInvalidDate: true });

for (const [name, verifyOne] of VERIFIERS) {
  test(`${name}: whatever is signed is accepted, with any body, secret and time`, async () => {
    await fc.assert(
      fc.asyncProperty(anyEventBody, anySecret, anyNow, async (body, secret, now) => {
        const signed = header(body, { secret, t: String(Math.floor(now.getTime() / 1000)) });

        const event = await verifyOne(body, signed, secret, { now });

        assert.deepEqual(event, JSON.parse(body));
      }),
    );
  });

  test(`${name}: any signed bytes verify, even if they are no event`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array(), async (body) => {
        assert.equal(
          await refusal(() => verifyOne(body, header(body), SECRET, { now: NOW })),
          "malformed_body",
        );
      }),
    );
  });

  test(`${name}: one changed byte of the body is a mismatch`, async () => {
    const good = Buffer.from(BODY);
    await fc.assert(
      fc.asyncProperty(fc.nat(good.length - 1), fc.integer({ min: 1, max: 255 }), async (at, mask) => {
        const bad = Uint8Array.from(good, (byte, i) => (i === at ? byte ^ mask : byte));

        const code = await refusal(() => verifyOne(bad, header(good), SECRET, { now: NOW }));

        assert.equal(code, "signature_mismatch");
      }),
    );
  });

  test(`${name}: one changed character anywhere in the header is refused`, async () => {
    const good = header(BODY);
    const anyCharacter = fc.oneof(
      fc.constantFrom(...Array.from("tv1=,09aAfF \0٣")),
      fc.string({ minLength: 1, maxLength: 1 }),
    );
    await fc.assert(
      fc.asyncProperty(fc.nat(good.length - 1), anyCharacter, async (at, character) => {
        fc.pre(good[at] !== character);
        const bad = good.slice(0, at) + character + good.slice(at + 1);

        assert.notEqual(await refusal(() => verifyOne(BODY, bad, SECRET, { now: NOW })), undefined);
      }),
      { numRuns: 300 },
    );
  });

  test(`${name}: every digit of a signature counts, the first and the last as well`, async () => {
    const good = header(BODY);
    const start = good.indexOf("v1=") + 3;
    for (let at = start; at < good.length; at += 1) {
      const bad = good.slice(0, at) + (good[at] === "0" ? "1" : "0") + good.slice(at + 1);

      const code = await refusal(() => verifyOne(BODY, bad, SECRET, { now: NOW }));

      assert.equal(code, "signature_mismatch", `digit ${at - start}`);
    }
  });

  test(`${name}: one changed character of the secret is a mismatch`, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(SECRET.length - 1),
        fc.string({ minLength: 1, maxLength: 1 }),
        async (at, character) => {
          fc.pre(SECRET[at] !== character);
          const bad = SECRET.slice(0, at) + character + SECRET.slice(at + 1);

          const code = await refusal(() => verifyOne(BODY, header(BODY), bad, { now: NOW }));

          assert.equal(code, "signature_mismatch");
        },
      ),
    );
  });

  test(`${name}: a signature is valid for exactly the tolerance, before and after`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(1000), fc.integer({ min: -1200, max: 1200 }), async (toleranceS, offsetS) => {
        const signed = header(BODY, { t: String(T + offsetS) });

        const code = await refusal(() => verifyOne(BODY, signed, SECRET, { now: NOW, toleranceS }));

        assert.equal(code, Math.abs(offsetS) <= toleranceS ? undefined : "timestamp_out_of_tolerance");
      }),
    );
  });

  test(`${name}: the default tolerance is 300 seconds`, async () => {
    const at = (offsetS: number) =>
      refusal(() => verifyOne(BODY, header(BODY, { t: String(T + offsetS) }), SECRET, { now: NOW }));

    const codes = await Promise.all([-301, -300, 300, 301].map(at));

    assert.deepEqual(codes, [
      "timestamp_out_of_tolerance",
      undefined,
      undefined,
      "timestamp_out_of_tolerance",
    ]);
  });

  test(`${name}: the default clock is the system clock`, async () => {
    assert.equal(await refusal(() => verifyOne(BODY, sign(BODY, SECRET), SECRET)), undefined);
    assert.equal(
      await refusal(() => verifyOne(BODY, header(BODY, { t: "1" }), SECRET)),
      "timestamp_out_of_tolerance",
    );
  });

  test(`${name}: a tolerance or clock that is not a number throws, and accepts nothing`, async () => {
    const old = header(BODY, { t: "1" });
    for (const options of [{ toleranceS: Number.NaN }, { toleranceS: -1 }, { now: new Date(Number.NaN) }]) {
      await assert.rejects(async () => verifyOne(BODY, old, SECRET, options), TypeError);
    }
  });

  test(`${name}: during a rotation the old and the new secret both verify, and either alone is enough`, async () => {
    const both = sign(BODY, [OTHER, SECRET], { now: NOW });

    assert.equal(await refusal(() => verifyOne(BODY, both, SECRET, { now: NOW })), undefined);
    assert.equal(await refusal(() => verifyOne(BODY, both, OTHER, { now: NOW })), undefined);
    assert.equal(
      await refusal(() => verifyOne(BODY, header(BODY), [OTHER, SECRET], { now: NOW })),
      undefined,
    );
    assert.equal(
      await refusal(() => verifyOne(BODY, both, ["whsec_x", "whsec_y"], { now: NOW })),
      "signature_mismatch",
    );
  });

  test(`${name}: a body can be text, bytes, a view into a larger buffer, or an ArrayBuffer`, async () => {
    const bytes = new TextEncoder().encode(BODY);
    const larger = new Uint8Array(bytes.length + 9);
    larger.set(bytes, 4);
    const view = larger.subarray(4, 4 + bytes.length);

    for (const body of [BODY, Buffer.from(BODY), bytes, view, bytes.buffer]) {
      assert.deepEqual(await verifyOne(body, header(BODY), SECRET, { now: NOW }), EVENT);
    }
  });

  test(`${name}: typed arrays of another realm are accepted`, async () => {
    const bytes = [...Buffer.from(BODY)];
    const foreign = runInNewContext("Uint8Array.from(bytes)", { bytes }) as Uint8Array<ArrayBuffer>;
    assert.notEqual(Object.getPrototypeOf(foreign), Uint8Array.prototype);

    assert.deepEqual(await verifyOne(foreign, header(BODY), SECRET, { now: NOW }), EVENT);
    assert.deepEqual(await verifyOne(foreign.buffer, header(BODY), SECRET, { now: NOW }), EVENT);
  });

  test(`${name}: a parsed body throws, and the message says to use the raw one`, async () => {
    for (const parsed of [EVENT, [], 7, undefined, null]) {
      const call = async () => verifyOne(parsed as unknown as string, header(BODY), SECRET, { now: NOW });

      await assert.rejects(call, (error: Error) => {
        assert.ok(error instanceof TypeError);
        assert.match(error.message, /needs the raw request body.*express\.raw.*parseAs.*arrayBuffer/);
        return true;
      });
    }
  });

  test(`${name}: a missing or empty secret throws, even for a body signed with an empty one`, async () => {
    const mac = createHmac("sha256", "").update(`${T}.${BODY}`).digest("hex");
    for (const secret of ["", [], [""], [SECRET, ""], undefined, null, [undefined]]) {
      const call = async () => verifyOne(BODY, `t=${T},v1=${mac}`, secret as string, { now: NOW });

      await assert.rejects(call, /signing secret is missing/);
    }
  });

  test(`${name}: a mismatch names a likely mistake in the secret, without showing it`, async () => {
    const message = async (secret: string) => {
      const call = async () => verifyOne(BODY, header(BODY), secret, { now: NOW });
      return call().then(
        () => "",
        (error: Error) => error.message,
      );
    };

    assert.match(await message(`${SECRET}\n`), /white space/);
    assert.match(await message(SECRET.slice(6)), /whole string/);
    assert.match(await message(OTHER), /another endpoint's/);
    for (const secret of [`${SECRET}\n`, SECRET.slice(6), OTHER]) {
      assert.ok(!(await message(secret)).includes(secret.slice(0, 12)));
    }
  });

  test(`${name}: a byte order mark is signed, and is not part of the event`, async () => {
    const marked = `\uFEFF${BODY}`;

    assert.deepEqual(await verifyOne(marked, header(marked), SECRET, { now: NOW }), EVENT);
    assert.equal(
      await refusal(() => verifyOne(marked, header(BODY), SECRET, { now: NOW })),
      "signature_mismatch",
    );
  });

  test(`${name}: a signed body that is no event is a malformed body`, async () => {
    const bodies = [
      "",
      "null",
      "[]",
      "{}",
      '"text"',
      "{",
      '{"event":1,"created_at":"","data":{}}',
      '{"event":"x","created_at":1,"data":{}}',
      '{"event":"x","created_at":"","data":[]}',
      '{"event":"x","created_at":"","data":null}',
      Uint8Array.of(0xff, 0xfe),
      // Not UTF-8; it would be an event if the invalid byte were replaced.
      Buffer.from('{"event":"x\xff","created_at":"","data":{}}', "latin1"),
    ];
    for (const body of bodies) {
      const code = await refusal(() => verifyOne(body, header(body), SECRET, { now: NOW }));

      assert.equal(code, "malformed_body", String(body));
    }
  });

  test(`${name}: a body is not parsed before its signature is verified`, async () => {
    assert.equal(
      await refusal(() => verifyOne("{", header(BODY), SECRET, { now: NOW })),
      "signature_mismatch",
    );
  });

  test(`${name}: an unknown event type is accepted`, async () => {
    const body = '{"event":"sale.started","created_at":"2026-01-01T00:00:00.000Z","data":{"__proto__":1}}';

    const event = await verifyOne(body, header(body), SECRET, { now: NOW });

    const type: string = event.event;
    assert.equal(type, "sale.started");
    assert.equal(Object.getPrototypeOf(event.data), Object.prototype);
  });
}
