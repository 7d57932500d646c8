/**
 * Secrets and signatures. A secret is `whsec_` and 32 random bytes in base64, stored encrypted. Every delivery is
 * signed twice over the same bytes: in our header, `t=<seconds>,v1=<hex>` over `t.body`, keyed with the whole text of
 * the secret (the form that Stripe's libraries verify), and in the headers of Standard Webhooks, keyed with the bytes
 * after the prefix. During a rotation each header has one signature per secret.
 */
import { createHmac, createSecretKey, randomBytes } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { memoize } from "../lib/memoize.ts";
import { maskUrl } from "../lib/url-secrets.ts";
import type { Encryption } from "../lib/encryption.ts";
import { ENCRYPTION_PURPOSES } from "../store/encrypted-columns.ts";

const PREFIX = "whsec_";
const SECRET_BYTES = 32;

export function newSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString("base64");
}

export const secretBytes = (secret: string): Buffer => Buffer.from(secret.slice(PREFIX.length), "base64");

export function encryptSecret(encryption: Encryption, secret: string): Buffer {
  return encryption.encrypt(secret, ENCRYPTION_PURPOSES.webhookSecret);
}

export type EncryptedSecrets = {
  readonly secretEncrypted: Buffer;
  readonly previousSecretEncrypted: Buffer | null;
  /** Both secrets sign until then. */
  readonly previousSecretUntil: Date | null;
};

/** The secrets that sign at a given time, the newest first. */
export type DecryptSigningSecrets = (encrypted: EncryptedSecrets, now: Date) => readonly string[];

/** More endpoints and catalogs than one worker usually delivers for at a time. */
const MAX_MEMOIZED = 1_000;

export function secretDecryptor(encryption: Encryption): DecryptSigningSecrets {
  const decrypt = memoizedDecrypt(encryption, ENCRYPTION_PURPOSES.webhookSecret);
  return ({ secretEncrypted, previousSecretEncrypted, previousSecretUntil }, now) => {
    const isOverlap = previousSecretUntil !== null && previousSecretUntil > now;
    const both =
      isOverlap && previousSecretEncrypted ? [secretEncrypted, previousSecretEncrypted] : [secretEncrypted];
    return both.map(decrypt);
  };
}

/** Decrypts the feed token that is stored with an event. */
export const feedTokenDecryptor = (encryption: Encryption) =>
  memoizedDecrypt(encryption, ENCRYPTION_PURPOSES.feedToken);

/** An address as it is stored: masked, and encrypted as a whole if it has secrets. */
export function encryptUrl(encryption: Encryption, url: string): EncryptedUrl {
  const masked = maskUrl(url);
  const urlEncrypted = masked === url ? null : encryption.encrypt(url, ENCRYPTION_PURPOSES.webhookUrl);
  return { url: masked, urlEncrypted };
}

export type EncryptedUrl = {
  /** Masked, if it has secrets. */
  readonly url: string;
  /** The whole address, if it has secrets. */
  readonly urlEncrypted: Buffer | null;
};

/** The whole address of an endpoint. */
export type DecryptUrl = (stored: EncryptedUrl) => string;

export function urlDecryptor(encryption: Encryption): DecryptUrl {
  const decrypt = memoizedDecrypt(encryption, ENCRYPTION_PURPOSES.webhookUrl);
  return ({ url, urlEncrypted }) => (urlEncrypted === null ? url : decrypt(urlEncrypted));
}

/** Decryption costs about as much as signing, and the same few values are decrypted again and again. */
function memoizedDecrypt(encryption: Encryption, purpose: string): (encrypted: Buffer) => string {
  const decrypt = memoize(MAX_MEMOIZED, (encrypted) =>
    encryption.decrypt(Buffer.from(encrypted, "latin1"), purpose),
  );
  return (encrypted) => decrypt(encrypted.toString("latin1"));
}

export type SignatureInput = {
  readonly eventId: string;
  readonly payload: string | Uint8Array;
  /** The newest first. */
  readonly secrets: readonly string[];
  /** The time of the attempt: receivers refuse a signature that is five minutes old. */
  readonly at: Date;
};

export function signatureHeaders({ eventId, payload, secrets, at }: SignatureInput) {
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

/** Making a key costs as much as signing with it. */
const keysOf = memoize(MAX_MEMOIZED, (secret) => ({
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
