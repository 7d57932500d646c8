/**
 * Who a request is from, decided as WooCommerce decides it: key and secret in the open only where it sees TLS, signed
 * requests everywhere, nonces once and for 15 minutes. Written apart from the code under test, so that the two must agree.
 */
import { createHmac } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

export type Keys = { readonly key: string; readonly secret: string };

export type Gate = {
  keys: Keys | null;
  /** The web server drops the header, as many do. */
  stripsAuthorization: boolean;
  /** False: a TLS proxy stands in front and WordPress does not know. */
  seesTls: boolean;
  /** What the site believes its address is. */
  home: string;
  /** What the key may do. */
  permission: "read" | "write" | "read_write";
  readonly nonces: Set<string>;
  /** Of the shop's clock before ours. */
  clockAheadS: number;
};

/** `stranger`: no key was seen. All others but `user`: it was seen and is not good. */
export type Caller = "user" | "stranger" | keyof typeof REFUSALS;

/** WooCommerce's own words. */
export const REFUSALS = {
  wrongKey: "Consumer key is invalid.",
  wrongSecret: "Consumer secret is invalid.",
  wrongSignature: "Invalid signature - provided signature does not match.",
  wrongTime: "Invalid timestamp.",
  usedNonce: "Invalid nonce - nonce has already been used.",
  writeOnly: "The API key provided does not have read permissions.",
} as const;

export function callerOf(url: URL, headers: IncomingHttpHeaders, gate: Gate): Caller {
  const isTls = gate.seesTls && headers["x-forwarded-proto"] === "https";
  const open = isTls ? openCaller(url, headers, gate) : "stranger";
  return open === "stranger" && url.searchParams.has("oauth_consumer_key")
    ? signedCaller(url, isTls, gate)
    : open;
}

function openCaller(url: URL, headers: IncomingHttpHeaders, { keys, stripsAuthorization }: Gate): Caller {
  const header = stripsAuthorization ? "" : (headers.authorization ?? "").replace(/^Basic /, "");
  const [user = "", password = ""] = Buffer.from(header, "base64").toString().split(":");
  const key = url.searchParams.get("consumer_key") ?? user;
  const secret = url.searchParams.get("consumer_secret") ?? password;
  // A key that nobody has is no key at all; WooCommerce says so in the words it has for strangers.
  if (keys === null || key !== keys.key) return "stranger";
  return secret === keys.secret ? "user" : "wrongSecret";
}

function signedCaller(url: URL, isTls: boolean, { keys, home, nonces, clockAheadS }: Gate): Caller {
  const asked = Object.fromEntries(url.searchParams);
  const { oauth_signature: signature, oauth_nonce: nonce = "", ...signed } = asked;
  if (keys === null || asked["oauth_consumer_key"] !== keys.key) return "wrongKey";
  const scheme = isTls ? "https" : "http";
  const address = `${scheme}://${new URL(home).host}${url.pathname}`;
  const parameters = { ...signed, oauth_nonce: nonce };
  const pairs = Object.keys(parameters)
    .toSorted()
    .map((name) => `${strict(name)}=${strict(asked[name] ?? "")}`);
  const text = `GET&${strict(address)}&${strict(pairs.join("&"))}`;
  const due = createHmac("sha256", `${keys.secret}&`).update(text).digest("base64");
  if (due !== signature) return "wrongSignature";
  const age = Math.abs(Date.now() / 1_000 + clockAheadS - Number(asked["oauth_timestamp"]));
  if (age > 900) return "wrongTime";
  if (nonces.has(nonce)) return "usedNonce";
  nonces.add(nonce);
  return "user";
}

function strict(text: string): string {
  const bytes = [...Buffer.from(text)];
  return bytes
    .map((byte) => {
      const sign = String.fromCharCode(byte);
      return /[A-Za-z0-9._~-]/.test(sign) ? sign : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
    })
    .join("");
}
