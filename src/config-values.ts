/**
 * Reads the values of settings. A problem is thrown as the end of a sentence that begins with the name of the setting.
 */
import type { MailAddress, MailServer } from "./lib/outbound/mail-client.ts";
import { parseAllowList } from "./lib/outbound/allow-list.ts";
import { isLoopbackHost, isLoopbackUrl } from "./lib/outbound/net-guard.ts";
import { MAIL_ADDRESS } from "./contract/alerts.ts";

const SECONDS = { m: 60, h: 3600, d: 86_400 } as const;

export const oneOf = (text: string, names: readonly string[]): string => {
  if (names.includes(text)) return text;
  throw new Error(`must be ${names.slice(0, -1).join(", ")} or ${names.at(-1)}`);
};

export function match(text: string, pattern: RegExp, problem: string): string {
  if (!pattern.test(text)) throw new Error(problem);
  return text;
}

export function whole(text: string, { min, max }: { min: number; max: number }): number {
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!(number >= min && number <= max)) throw new Error(`must be a whole number from ${min} to ${max}`);
  return number;
}

export function duration(text: string): number {
  const [, count, unit] = /^(\d+)([mhd])$/.exec(text) ?? [];
  const seconds = Number(count) * SECONDS[(unit ?? "m") as keyof typeof SECONDS];
  if (!(seconds >= 60 && seconds <= 366 * 86_400))
    throw new Error("must be a number with m, h or d, from 1m to 366d");
  return seconds;
}

const BYTES = { MB: 1024 ** 2, GB: 1024 ** 3, TB: 1024 ** 4 } as const;

export function bytes(text: string): number {
  const [, count, unit] = /^(\d{1,6})([MGT]B)$/.exec(text) ?? [];
  const size = Number(count) * BYTES[(unit ?? "MB") as keyof typeof BYTES];
  if (!(size >= 0 && size <= 1_000 * BYTES.TB))
    throw new Error("must be a number with MB, GB or TB, up to 1000TB");
  return size;
}

export function baseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  // Checked in the text: a trailing `?` or `#` is not a query, but a path appended to it would be.
  if (!url || !/^https?:$/.test(url.protocol) || /[?#]/.test(text) || url.username || url.password) {
    throw new Error("must be an address such as https://feeds.example.com, without query or credentials");
  }
  return url.href.replace(/\/$/, "");
}

/**
 * Returns BASE_URL with its default. `allowLoopback`: it and HOST are loopback addresses, so only this machine reaches
 * the service.
 */
export function servedAt({ host, port, baseUrl: url }: Served): { baseUrl: string; allowLoopback: boolean } {
  // An IPv6 address needs brackets in a URL.
  const address = url || `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
  return { baseUrl: address, allowLoopback: isLoopbackUrl(address) && isLoopbackHost(host.toLowerCase()) };
}

type Served = { readonly host: string; readonly port: number; readonly baseUrl: string };

export function allowList(text: string): readonly string[] {
  const entries = text
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
  parseAllowList(entries);
  return entries;
}

export function mailServer(text: string): MailServer {
  // Nothing after the host: a # or ? in a password that is not encoded would end it.
  const url = /^smtps?:\/\/[^\s/?#]+\/?$/i.test(text) ? URL.parse(text) : null;
  if (url === null || url.hostname === "")
    throw new Error("must be of the form smtps://user:password@host or smtp://user:password@host:port");
  if ((url.username === "") !== (url.password === ""))
    throw new Error("must have both a user and a password, or neither");
  const isSecure = url.protocol === "smtps:";
  const usualPort = isSecure ? 465 : 587;
  return {
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: url.port === "" ? usualPort : Number(url.port),
    isSecure,
    auth: url.username === "" ? null : { user: decoded(url.username), pass: decoded(url.password) },
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error("has a user or password with a % that is not written as %25");
  }
}

const ADDRESS = new RegExp(MAIL_ADDRESS);

/** `name <address>`, or the address alone. */
export function mailAddress(text: string): MailAddress {
  const [, name = "", inBrackets] = /^([^<>\p{Cc}]{0,100}?)\s*<([^<>\s]+)>$/u.exec(text) ?? [];
  const address = inBrackets ?? text;
  if (!ADDRESS.test(address))
    throw new Error("must be an address such as alerts@example.com, or Name <alerts@example.com>");
  return { name: name.replaceAll('"', "").trim(), address };
}
