/** Settings of connectors: a short form for their fields, and the checks that several of them need. */
import { isPublic, parseAddress } from "../../lib/outbound/ip-ranges.ts";
import { trimEndOf } from "../../lib/trim-text.ts";
import type { Connector, SettingField, SourceSettings } from "../source.ts";

export type SettingProblem = ReturnType<Connector["check"]>[number];

type FieldSpec = Pick<SettingField, "label" | "help"> & Partial<SettingField>;

/** Settings by name. They are optional and not secret unless they say so. */
export function settingFields(fields: Readonly<Record<string, FieldSpec>>): readonly SettingField[] {
  return Object.entries(fields).map(([name, spec]) => ({ name, required: false, secret: false, ...spec }));
}

/** What is wrong with one setting: a sentence, or null. Settings that are absent or empty are not checked. */
export type SettingCheck = (text: string) => string | null;

export function settingProblems(
  settings: SourceSettings,
  checks: Readonly<Record<string, SettingCheck>>,
): readonly SettingProblem[] {
  return Object.entries(checks).flatMap(([setting, check]) => {
    const text = settings[setting] ?? "";
    const detail = text === "" ? null : check(text);
    return detail === null ? [] : [{ setting, detail }];
  });
}

export function matching(pattern: RegExp, detail: string): SettingCheck {
  return (text) => (pattern.test(text) ? null : detail);
}

/** The address of a page or a shop. */
export function webAddressProblem(
  text: string,
  { mayHaveQuery = false, inside = "Must not contain a user name or password." } = {},
): string | null {
  const url = URL.parse(text);
  if (url === null || !["http:", "https:"].includes(url.protocol)) {
    return "Must be a full address that begins with https:// or http://.";
  }
  if (!mayHaveQuery && hasExtras(url)) return NO_EXTRAS;
  return url.username + url.password === "" ? null : inside;
}

const NO_EXTRAS = "Must not contain a user name, a password, or anything after ? or #.";

function hasExtras({ username, password, search, hash }: URL): boolean {
  return username + password + search + hash !== "";
}

/**
 * The address of an API that the user enters instead of the platform's own: a proxy, a sandbox, a test server. The
 * access token is sent there, so plain http is accepted for private networks only. Whether a private network may be
 * reached at all is decided by the outbound guard.
 */
export function apiAddressProblem(text: string): string | null {
  const url = URL.parse(text);
  if (url === null || !isSafeForTokens(url)) {
    return "Must be a full address that begins with https://. Plain http:// is for your own network only.";
  }
  return hasExtras(url) ? NO_EXTRAS : null;
}

function isSafeForTokens({ protocol, hostname }: URL): boolean {
  return protocol === "https:" || (protocol === "http:" && isPrivate(hostname));
}

/** Names that no public resolver knows (RFC 6761, 6762, 9476 and common use). */
const PRIVATE_NAMES = /^[^.]+$|\.(?:localhost|local|internal|lan|test|home\.arpa)$/;

function isPrivate(host: string): boolean {
  const address = parseAddress(host.replace(/^\[|\]$/g, ""));
  return address === null ? PRIVATE_NAMES.test(host) : !isPublic(address);
}

export function withoutEndSlash(url: string): string {
  return trimEndOf(url.trim(), /\//);
}
