/** Content negotiation, conditional requests and ranges for immutable files: RFC 9110 sections 12, 13 and 14. */
import type { IncomingHttpHeaders } from "node:http";
import { memoize } from "../lib/memoize.ts";
import type { Encoding } from "../files/feed-folders.ts";

/** The available encodings, in our order of preference: a gzip copy of each feed is stored, zstd is made on request. */
const OFFERED = ["gzip", "zstd"] as const;

/** Without a match, the uncompressed file is sent, which every client can read. */
export const chooseEncoding = (header: string | string[] | undefined): Encoding =>
  encodingBy(String(header ?? ""));

const encodingBy = memoize(100, (header): Encoding => {
  const weights = parseWeights(header);
  const weight = (name: string) => weights.get(name) ?? weights.get("*") ?? 0;
  const best = OFFERED.reduce((a, b) => (weight(b) > weight(a) ? b : a));
  // Identity has the weight that the client gave it; by default it is the last resort.
  return weight(best) > 0 && weight(best) >= (weights.get("identity") ?? 0) ? best : "identity";
});

/** `gzip;q=0.8, *;q=0` as weights by name. */
function parseWeights(header: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const part of header.toLowerCase().split(",")) {
    const [, name, q = "1"] = /^\s*([^\s;]+)\s*(?:;\s*q=([\d.]+))?/.exec(part) ?? [];
    if (name !== undefined) weights.set(name, Number(q) || 0);
  }
  return weights;
}

export type CacheValidator = { readonly etag: string; readonly lastModified: Date };

/** True if the client's copy is still fresh. If-None-Match takes precedence (RFC 9110, 13.2.2). */
export function isFresh(headers: IncomingHttpHeaders, { etag, lastModified }: CacheValidator): boolean {
  const tags = headers["if-none-match"];
  if (tags !== undefined) {
    return tags.split(",").some((tag) => tag.trim() === "*" || tag.trim().replace(/^W\//, "") === etag);
  }
  const since = Date.parse(headers["if-modified-since"] ?? "");
  return !Number.isNaN(since) && seconds(lastModified) <= since / 1000;
}

export type ByteRange = { readonly start: number; readonly end: number };

/**
 * The requested range; null means the whole file, which is also the valid response to several ranges, unknown units,
 * and an If-Range that does not match.
 */
export function parseRange(
  headers: IncomingHttpHeaders,
  { size, etag, lastModified }: CacheValidator & { readonly size: number },
): ByteRange | "unsatisfiable" | null {
  const spec = /^bytes=(\d*)-(\d*)$/.exec(headers.range?.trim() ?? "");
  const range = spec ? rangeOf(spec[1] ?? "", spec[2] ?? "", size) : null;
  if (range === null || !holds(headers["if-range"], { etag, lastModified })) return null;
  return range.start >= size || range.start > range.end ? "unsatisfiable" : range;
}

/** `first-last`, `first-` or `-suffix`; null if it is invalid. */
function rangeOf(first: string, last: string, size: number): ByteRange | null {
  if (first === "") return last === "" ? null : { start: Math.max(0, size - Number(last)), end: size - 1 };
  if (last === "") return { start: Number(first), end: size - 1 };
  if (Number(last) < Number(first)) return null;
  return { start: Number(first), end: Math.min(Number(last), size - 1) };
}

function holds(ifRange: string | string[] | undefined, { etag, lastModified }: CacheValidator): boolean {
  if (ifRange === undefined) return true;
  const text = String(ifRange);
  return text.startsWith('"') ? text === etag : Date.parse(text) / 1000 === seconds(lastModified);
}

/** HTTP dates have no fractions of a second. */
const seconds = (date: Date): number => Math.floor(date.getTime() / 1000);
