/** OAuth 1.0a without a token (RFC 5849, 3.4), for shops that are not reached over TLS. The secret is never sent. */
import { createHmac } from "node:crypto";

export type Signing = {
  readonly key: string;
  readonly secret: string;
  /** The origin that the server believes it has, whatever host the request is sent to. */
  readonly origin: string;
  /** Must be new: servers remember those that they have seen. */
  readonly nonce: string;
  readonly timestampS: number;
  readonly method?: string;
};

/** The address of a request with its signature in the query. A JSON body is not signed (RFC 5849, 3.4.1.3.1). */
export function signedUrl(
  address: string,
  { key, secret, origin, nonce, timestampS, method = "GET" }: Signing,
): string {
  const url = new URL(address);
  const parameters = {
    ...Object.fromEntries(url.searchParams),
    oauth_consumer_key: key,
    oauth_nonce: nonce,
    oauth_signature_method: "HMAC-SHA256",
    oauth_timestamp: String(timestampS),
  };
  const text = [method, encode(origin + url.pathname), encode(joined(parameters))].join("&");
  const signature = createHmac("sha256", `${secret}&`).update(text).digest("base64");
  return `${url.origin}${url.pathname}?${joined({ ...parameters, oauth_signature: signature })}`;
}

/** Sorted by their encoded names (RFC 5849, 3.4.1.3.2). */
function joined(parameters: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(parameters).map(([name, value]) => [encode(name), encode(value)] as const);
  const sorted = pairs.toSorted(([a], [b]) => (a < b ? -1 : 1));
  return sorted.map((pair) => pair.join("=")).join("&");
}

/** RFC 3986: everything but the unreserved characters. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
