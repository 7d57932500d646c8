/**
 * Signing secrets: `whsec_` and 32 random bytes in base64. Our own signature takes the whole text as its key, as the
 * interface says; Standard Webhooks takes the bytes behind the prefix. One secret serves both. They are kept sealed,
 * because signing needs them back.
 */
import { randomBytes } from "node:crypto";
import { memoize } from "../lib/memoize.ts";
import type { Sealer } from "../lib/seal.ts";

const PREFIX = "whsec_";
const BYTES = 32;
/** Bound into the seal: what was sealed for something else does not open here. */
const PURPOSE = "webhook-secret";

export type SealedSecrets = {
  readonly secretSealed: Buffer;
  readonly previousSecretSealed: Buffer | null;
  /** Until then both sign. */
  readonly previousSecretUntil: Date | null;
};

export function newSecret(): string {
  return PREFIX + randomBytes(BYTES).toString("base64");
}

export function secretBytes(secret: string): Buffer {
  return Buffer.from(secret.slice(PREFIX.length), "base64");
}

export function sealSecret(sealer: Sealer, secret: string): Buffer {
  return sealer.seal(secret, PURPOSE);
}

/** The secrets that sign at a moment, the newest first. */
export type OpenSecrets = (sealed: SealedSecrets, now: Date) => readonly string[];

/** More endpoints than a node meets in a while; opening a seal costs about as much as signing. */
const REMEMBERED = 1_000;

export function secretOpener(sealer: Sealer): OpenSecrets {
  const open = memoize(REMEMBERED, (sealed) => sealer.open(Buffer.from(sealed, "latin1"), PURPOSE));
  return ({ secretSealed, previousSecretSealed, previousSecretUntil }, now) => {
    const isOverlap = previousSecretUntil !== null && previousSecretUntil > now;
    const both = isOverlap && previousSecretSealed ? [secretSealed, previousSecretSealed] : [secretSealed];
    return both.map((sealed) => open(sealed.toString("latin1")));
  };
}
