/**
 * How requests prove who sends them. Each is signed when it is sent, not when it is made: a request that is tried
 * again needs a fresh signature, for WooCommerce refuses a nonce it has seen.
 */
import { randomUUID } from "node:crypto";
import type { HttpClient, HttpRequest } from "../../lib/outbound/http-client.ts";
import { signedUrl } from "./oauth1.ts";
import type { Credentials } from "./settings.ts";

export type Access =
  | { readonly kind: "public" }
  /** The usual way over TLS. */
  | { readonly kind: "basic"; readonly credentials: Credentials }
  /** For hosts that strip the `Authorization` header. Only ever over TLS: the secret is in the address. */
  | { readonly kind: "query"; readonly credentials: Credentials }
  | { readonly kind: "oauth"; readonly credentials: Credentials; readonly home: string };

/** What may be tried, in this order. Without TLS nothing that sends the secret is. */
export function waysIn(credentials: Credentials, site: string, home: string | null): readonly Access[] {
  const isTls = site.startsWith("https:");
  // A server that is asked by TLS and sees none signs its address as http: that is what the last try is for.
  const seen = (home ?? site).replace(/^https:/, "http:");
  const oauth: Access = { kind: "oauth", credentials, home: seen };
  return isTls ? [{ kind: "basic", credentials }, { kind: "query", credentials }, oauth] : [oauth];
}

export function withAccess(http: HttpClient, access: Access): HttpClient {
  return { ...http, request: (request) => http.request(proved(request, access)) };
}

function proved(request: HttpRequest, access: Access): HttpRequest {
  switch (access.kind) {
    case "public":
      return request;
    case "basic": {
      const { key, secret } = access.credentials;
      const authorization = `Basic ${Buffer.from(`${key}:${secret}`).toString("base64")}`;
      return { ...request, headers: { ...request.headers, authorization } };
    }
    case "query": {
      const url = new URL(request.url);
      url.searchParams.set("consumer_key", access.credentials.key);
      url.searchParams.set("consumer_secret", access.credentials.secret);
      return { ...request, url: url.href };
    }
    case "oauth": {
      const signing = { home: access.home, nonce: randomUUID(), timestampS: Math.floor(Date.now() / 1_000) };
      return { ...request, url: signedUrl(request.url, access.credentials, signing) };
    }
    default:
      return access satisfies never;
  }
}
