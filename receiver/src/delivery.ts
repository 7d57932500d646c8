/**
 * What both verifiers share, so that they check the same things in the same order: the call, the header, the time, and
 * last the signature. They differ in the code that computes and compares the HMAC.
 */
import { bodyBytes, parseEvent, type RawBody } from "./body.ts";
import type { WebhookEvent } from "./events.ts";
import { type Claim, readHeader, type SignatureHeader } from "./header.ts";
import { listSecrets, mismatch, type Secrets } from "./secret.ts";
import { checkTime, type VerifyOptions } from "./tolerance.ts";

/** Well formed and recent, but not verified yet. */
export type Delivery = Claim & {
  readonly body: Uint8Array;
  readonly secrets: readonly string[];
};

export function readDelivery(
  rawBody: RawBody,
  header: SignatureHeader,
  secret: Secrets,
  options: VerifyOptions,
): Delivery {
  const secrets = listSecrets(secret);
  const body = bodyBytes(rawBody);
  const claim = readHeader(header);
  checkTime(claim.t, options);
  return { ...claim, body, secrets };
}

/** The event, if any claimed MAC is one of those expected. `isSame` gets two texts of 64 characters. */
export function acceptDelivery(
  { body, macs, secrets }: Delivery,
  expected: readonly string[],
  isSame: (expected: string, claimed: string) => boolean,
): WebhookEvent {
  const isGenuine = expected.some((mac) => macs.some((claimed) => isSame(mac, claimed)));
  if (!isGenuine) throw mismatch(secrets);
  return parseEvent(body);
}
