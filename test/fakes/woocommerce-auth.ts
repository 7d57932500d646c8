/**
 * Who sent a request, as WooCommerce decides it: key and secret only over TLS, signatures always, each nonce once in 15
 * minutes. Written without the code under test, so that the two must agree.
 */
import { createHmac } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

export type Keys = { readonly key: string; readonly secret: string };

export type AuthState = {
  keys: Keys | null;
  /** Whether the web server removes the header, as many do. */
  stripsAuthorization: boolean;
  /** False if WordPress does not know of the TLS proxy in front of it. */
  seesTls: boolean;
  /** The address that the site has in its settings. */
  home: string;
  /** What the key may do. */
  permission: "read" | "write" | "read_write";
  readonly nonces: Set<string>;
  /** How far the shop's clock is ahead of ours. */
  clockAheadS: number;
};

/** `anonymous`: there is no known key. All others but `user`: the key is refused. */
export type Caller = "user" | "anonymous" | keyof typeof REFUSALS;

/** WooCommerce's own messages. */
export const REFUSALS = {
  wrongKey: "Consumer key is invalid.",
  wrongSecret: "Consumer secret is invalid.",
  wrongSignature: "Invalid signature - provided signature does not match.",
  wrongTime: "Invalid timestamp.",
  usedNonce: "Invalid nonce - nonce has already been used.",
  readOnly: "The API key provided does not have write permissions.",
  writeOnly: "The API key provided does not have read permissions.",
} as const;

export function callerOf(url: URL, headers: IncomingHttpHeaders, auth: AuthState, method = "GET"): Caller {
  const isTls = auth.seesTls && headers["x-forwarded-proto"] === "https";
  const unsigned = isTls ? unsignedCaller(url, headers, auth) : "anonymous";
  return unsigned === "anonymous" && url.searchParams.has("oauth_consumer_key")
    ? signedCaller(url, { isTls, method }, auth)
    : unsigned;
}

function unsignedCaller(
  url: URL,
  headers: IncomingHttpHeaders,
  { keys, stripsAuthorization }: AuthState,
): Caller {
  const header = stripsAuthorization ? "" : (headers.authorization ?? "").replace(/^Basic /, "");
  const [user = "", password = ""] = Buffer.from(header, "base64").toString().split(":");
  const key = url.searchParams.get("consumer_key") ?? user;
  const secret = url.searchParams.get("consumer_secret") ?? password;
  // WooCommerce treats an unknown key as no key.
  if (keys === null || key !== keys.key) return "anonymous";
  return secret === keys.secret ? "user" : "wrongSecret";
}

function signedCaller(
  url: URL,
  { isTls, method }: { readonly isTls: boolean; readonly method: string },
  { keys, home, nonces, clockAheadS }: AuthState,
): Caller {
  const query = Object.fromEntries(url.searchParams);
  const { oauth_signature: signature, oauth_nonce: nonce = "", ...signed } = query;
  if (keys === null || query["oauth_consumer_key"] !== keys.key) return "wrongKey";
  const scheme = isTls ? "https" : "http";
  const address = `${scheme}://${new URL(home).host}${url.pathname}`;
  const parameters = { ...signed, oauth_nonce: nonce };
  const pairs = Object.keys(parameters)
    .toSorted()
    .map((name) => `${encode(name)}=${encode(query[name] ?? "")}`);
  const text = `${method}&${encode(address)}&${encode(pairs.join("&"))}`;
  const expected = createHmac("sha256", `${keys.secret}&`).update(text).digest("base64");
  if (expected !== signature) return "wrongSignature";
  const age = Math.abs(Date.now() / 1_000 + clockAheadS - Number(query["oauth_timestamp"]));
  if (age > 900) return "wrongTime";
  if (nonces.has(nonce)) return "usedNonce";
  nonces.add(nonce);
  return "user";
}

function encode(text: string): string {
  const bytes = [...Buffer.from(text)];
  return bytes
    .map((byte) => {
      const sign = String.fromCharCode(byte);
      return /[A-Za-z0-9._~-]/.test(sign) ? sign : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
    })
    .join("");
}
