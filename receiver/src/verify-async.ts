/**
 * Verification with WebCrypto, for runtimes without Node's modules: Workers, Deno, Bun, edge functions. The same as
 * `verify.ts`, and a promise because WebCrypto gives nothing else.
 */
import type { RawBody } from "./body.ts";
import { acceptDelivery, type Delivery, readDelivery } from "./delivery.ts";
import type { WebhookEvent } from "./events.ts";
import type { SignatureHeader } from "./header.ts";
import type { Secrets } from "./secret.ts";
import type { VerifyOptions } from "./tolerance.ts";

/** As `verify`: the event, or a rejection with a `SignatureError` or, for a wrong call, a `TypeError`. */
export async function verifyAsync(
  rawBody: RawBody,
  header: SignatureHeader,
  secret: Secrets,
  options: VerifyOptions = {},
): Promise<WebhookEvent> {
  const delivery = readDelivery(rawBody, header, secret, options);
  const signed = signedBytes(delivery);
  const expected = await Promise.all(delivery.secrets.map((key) => hmacHex(key, signed)));
  return acceptDelivery(delivery, expected, isSame);
}

function signedBytes({ t, body }: Delivery): Uint8Array<ArrayBuffer> {
  const head = new TextEncoder().encode(`${t}.`);
  const bytes = new Uint8Array(head.length + body.length);
  bytes.set(head);
  bytes.set(body, head.length);
  return bytes;
}

async function hmacHex(secret: string, bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const { subtle } = webCrypto();
  const keyBytes = new TextEncoder().encode(secret);
  const key = await subtle.importKey("raw", keyBytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  const mac = new Uint8Array(await subtle.sign("HMAC", key, bytes));
  return Array.from(mac, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function webCrypto(): typeof globalThis.crypto {
  const { crypto }: { readonly crypto?: typeof globalThis.crypto } = globalThis;
  if (crypto !== undefined) return crypto;
  throw new TypeError("This runtime has no WebCrypto. In Node 18, use verify from @shelfwire/receiver.");
}

/** Compares every character, so that the time does not reveal how much of a guess is correct. */
function isSame(expected: string, claimed: string): boolean {
  let difference = 0;
  for (let i = 0; i < expected.length; i += 1) difference |= expected.charCodeAt(i) ^ claimed.charCodeAt(i);
  return difference === 0;
}
