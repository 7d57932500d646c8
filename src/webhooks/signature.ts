/**
 * Signs a delivery twice over the same bytes: in our own header, `t=<seconds>,v1=<hex>` over `t.body`, which is the
 * form Stripe's libraries verify, and in the three headers of Standard Webhooks. During a rotation each header carries
 * one signature per secret, and a receiver that knows either of them is content.
 */
import { createHmac, createSecretKey } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { memoize } from "../lib/memoize.ts";
import { secretBytes } from "./secret.ts";

export type Signing = {
  readonly eventId: string;
  readonly payload: string | Uint8Array;
  /** The newest first. */
  readonly secrets: readonly string[];
  /** Renewed for every attempt: receivers refuse a signature that is five minutes old. */
  readonly at: Date;
};

export function signatureHeaders({ eventId, payload, secrets, at }: Signing) {
  const seconds = Math.floor(at.getTime() / 1_000);
  const ours = secrets.map((secret) => `v1=${hmac(keysOf(secret).ours, [`${seconds}.`, payload], "hex")}`);
  const standard = secrets.map(
    (secret) => `v1,${hmac(keysOf(secret).standard, [`${eventId}.${seconds}.`, payload], "base64")}`,
  );
  return {
    "x-service-signature": [`t=${seconds}`, ...ours].join(","),
    "webhook-id": eventId,
    "webhook-timestamp": String(seconds),
    "webhook-signature": standard.join(" "),
  };
}

/** Making a key costs as much as signing with it, and the same few secrets sign all day. */
const keysOf = memoize(1_000, (secret) => ({
  ours: createSecretKey(Buffer.from(secret)),
  standard: createSecretKey(secretBytes(secret)),
}));

function hmac(
  key: KeyObject,
  [prefix, payload]: readonly [string, string | Uint8Array],
  encoding: "hex" | "base64",
): string {
  return createHmac("sha256", key).update(prefix).update(payload).digest(encoding);
}
