/**
 * One JSON object to named values. Nested objects become groups, their own nesting folded into names joined by `_`;
 * numbers become the digits that were written, even those that JavaScript cannot hold.
 */
import { FormatError } from "../../lib/format-error.ts";
import type { PutField } from "./dynamic-columns.ts";
import { fold } from "./header.ts";
import type { FeedLimits } from "./limits.ts";
import type { Group, Value } from "./value.ts";

export type JsonObject = { readonly [key: string]: unknown };

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const OPTION_DICTIONARY = /^variant_?dict$/i;

export function putJsonFields(object: JsonObject, limits: FeedLimits, put: PutField): void {
  for (const name of Object.keys(object)) {
    const value = object[name];
    // The names in this object are the shop's own words, to be kept as they are written.
    const read =
      isNested(value) && OPTION_DICTIONARY.test(name) ? JSON.stringify(value) : jsonValue(value, limits);
    if (read !== undefined) put(name, read);
  }
}

function jsonValue(value: unknown, limits: FeedLimits): Value | undefined {
  if (Array.isArray(value)) {
    const parts = value.map((part) => jsonPart(part, limits)).filter((part) => part !== undefined);
    return parts.length > 0 ? parts : undefined;
  }
  const part = jsonPart(value, limits);
  return part === undefined || typeof part === "string" ? part : [part];
}

function jsonPart(value: unknown, limits: FeedLimits): string | Group | undefined {
  if (!isNested(value)) return scalarText(value, limits);
  const group: Record<string, string> = {};
  addEntries(group, "", value, { limits, depth: 1 });
  return group;
}

function addEntries(
  group: Record<string, string>,
  prefix: string,
  value: object,
  { limits, depth }: { limits: FeedLimits; depth: number },
): void {
  if (depth > limits.maxDepth) {
    throw new FormatError("too_large", `The JSON nests deeper than ${limits.maxDepth} levels.`);
  }
  for (const [key, inner] of Object.entries(value) as [string, unknown][]) {
    const name = prefix === "" ? fold(key) : `${prefix}_${fold(key)}`;
    if (isNested(inner)) {
      addEntries(group, name, inner, { limits, depth: depth + 1 });
      continue;
    }
    const text = scalarText(inner, limits);
    if (text !== undefined) group[name] = text;
  }
}

function isNested(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function scalarText(value: unknown, { maxFieldChars }: FeedLimits): string | undefined {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (typeof value !== "string") return undefined;
  if (value.length <= maxFieldChars) return value;
  throw new FormatError(
    "too_large",
    `A text of ${value.length} characters; ${maxFieldChars} are allowed in one field.`,
  );
}

/** Whether a number in the text may have lost digits: JavaScript keeps fifteen for certain. */
const LONG_NUMBER = /[:[,]\s*-?[\d.]{16,}/;

/** The reviver's third argument (ECMAScript 2026) is not in the compiler's library yet. */
type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown;
const parseWith = JSON.parse as (text: string, reviver: Reviver) => unknown;

/** The element with every number that JavaScript would change kept as the text that was written. */
export function exactNumbers(value: unknown, text: string): unknown {
  if (!LONG_NUMBER.test(text)) return value;
  return parseWith(text, (_key, parsed, { source }) =>
    typeof parsed === "number" && source !== undefined ? source : parsed,
  );
}
