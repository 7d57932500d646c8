/** Verifies a delivery as section 6.3 of the contract describes it, from the raw bytes and the headers alone. */
import assert from "node:assert/strict";
import { createHmac, timingSafeEqual } from "node:crypto";

const TOLERANCE_S = 300;

/** `receivedAt` in milliseconds. */
export function assertSigned(
  { header, rawBody, receivedAt }: { header: string; rawBody: Buffer; receivedAt: number },
  secret: string,
): void {
  const [, timestamp = "", mac = ""] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(header) ?? [];
  assert.notEqual(mac, "", `X-Service-Signature has the form t=<seconds>,v1=<hex>: ${header}`);
  assert.ok(
    Math.abs(receivedAt / 1000 - Number(timestamp)) <= TOLERANCE_S,
    `the timestamp ${timestamp} is current`,
  );
  const expected = createHmac("sha256", secret).update(`${timestamp}.`).update(rawBody).digest();
  assert.ok(timingSafeEqual(expected, Buffer.from(mac, "hex")), "the MAC is that of the raw body");
}
