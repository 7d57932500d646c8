/**
 * OAuth 1.0a without a token (RFC 5849, 3.4), as WooCommerce wants it where it sees no TLS. The secret signs and is
 * never sent. WooCommerce puts its own home address into what it signs, whatever host the request was sent to.
 */
import { createHmac } from "node:crypto";
import type { Credentials } from "./settings.ts";

export type Signing = {
  /** The address the server believes it has: scheme, host and folder. */
  readonly home: string;
  /** Never used before: WooCommerce remembers them for 15 minutes. */
  readonly nonce: string;
  readonly timestampS: number;
};

export function signedUrl(address: string, { key, secret }: Credentials, signing: Signing): string {
  const url = new URL(address);
  const parameters = {
    ...Object.fromEntries(url.searchParams),
    oauth_consumer_key: key,
    oauth_nonce: signing.nonce,
    oauth_signature_method: "HMAC-SHA256",
    oauth_timestamp: String(signing.timestampS),
  };
  const text = ["GET", encode(new URL(signing.home).origin + url.pathname), encode(joined(parameters))].join(
    "&",
  );
  const signature = createHmac("sha256", `${secret}&`).update(text).digest("base64");
  return `${url.origin}${url.pathname}?${joined({ ...parameters, oauth_signature: signature })}`;
}

/** Sorted by their encoded names (RFC 5849, 3.4.1.3.2). */
function joined(parameters: Readonly<Record<string, string>>): string {
  return Object.entries(parameters)
    .map(([name, value]) => [encode(name), encode(value)] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map((pair) => pair.join("="))
    .join("&");
}

/** RFC 3986: everything but the unreserved characters. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
