/**
 * Verification with Node's own crypto: synchronous, and compared in constant time. It computes one HMAC per secret,
 * whatever the header says.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import type { RawBody } from "./body.ts";
import { acceptDelivery, readDelivery } from "./delivery.ts";
import type { WebhookEvent } from "./events.ts";
import type { SignatureHeader } from "./header.ts";
import type { Secrets } from "./secret.ts";
import type { VerifyOptions } from "./tolerance.ts";

/**
 * Returns the event if the delivery is genuine and recent, and throws a `SignatureError` if not. A `TypeError` says
 * that the call is wrong (a parsed body, no secret): that is a fault of the receiver, not of the sender.
 */
export function verify(
  rawBody: RawBody,
  header: SignatureHeader,
  secret: Secrets,
  options: VerifyOptions = {},
): WebhookEvent {
  const delivery = readDelivery(rawBody, header, secret, options);
  const expected = delivery.secrets.map((key) =>
    createHmac("sha256", key).update(`${delivery.t}.`).update(delivery.body).digest("hex"),
  );
  return acceptDelivery(delivery, expected, isSame);
}

function isSame(expected: string, claimed: string): boolean {
  return timingSafeEqual(Buffer.from(expected), Buffer.from(claimed));
}
