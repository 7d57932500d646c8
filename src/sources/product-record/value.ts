/**
 * What a record of any format holds, once its syntax is gone: texts, and groups of named texts. A delimited cell is
 * one text; JSON and XML also have lists and nested objects. Reading a text out of any of them happens here.
 */
import { isBlank } from "../../catalog/text.ts";

/** Named texts that belong together: one shipping rate, one product detail, an amount with its currency. */
export type Group = Readonly<Record<string, string>>;

export type Value = string | readonly (string | Group)[];

/** The text without surrounding space; undefined for words such as `n/a`. Called for every cell, so it looks first. */
export function cleanText(text: string): string | undefined {
  if (text === "") return undefined;
  const trimmed =
    mayBeSpace(text.charCodeAt(0)) || mayBeSpace(text.charCodeAt(text.length - 1)) ? text.trim() : text;
  return isBlank(trimmed) ? undefined : trimmed;
}

/** Spaces beyond ASCII begin with the no-break space. */
function mayBeSpace(code: number): boolean {
  return code <= 32 || code >= 0xa0;
}

/** `'1013` and `="0042"` keep a spreadsheet from changing a code; neither the apostrophe nor the formula is part of it. */
const PROTECTED = /^(?:="([^"]*)"|'([^']+))$/;

export function withoutSpreadsheetQuotes(code: string): string {
  const [, quoted, bare] = PROTECTED.exec(code) ?? [];
  return (quoted ?? bare ?? code).trim();
}

/** The first text the value has to say. */
export function textOf(value: Value): string | undefined {
  if (typeof value === "string") return cleanText(value);
  for (const part of value) {
    const text = partText(part);
    if (text !== undefined) return text;
  }
  return undefined;
}

/** All texts the value has to say, each part by itself. */
export function textsOf(value: Value): string[] {
  if (typeof value !== "string") return value.map(partText).filter((text) => text !== undefined);
  const text = cleanText(value);
  return text === undefined ? [] : [text];
}

export function groupsOf(value: Value): readonly Group[] {
  return typeof value === "string" ? [] : value.filter((part) => typeof part !== "string");
}

/** Where a group keeps its text, likeliest first: an amount, a name, an address, an Atom or ACP text. */
const TEXT_KEYS = [
  "value",
  "amount",
  "name",
  "url",
  "src",
  "href",
  "link",
  "plain",
  "text",
  "content",
  "html",
  "id",
];
const CURRENCY_KEYS = ["currency", "currency_code", "price_currency"];

function partText(part: string | Group): string | undefined {
  if (typeof part === "string") return cleanText(part);
  const text = firstOf(part, TEXT_KEYS);
  const currency = firstOf(part, CURRENCY_KEYS);
  return text === undefined || currency === undefined ? text : `${text} ${currency}`;
}

export function firstOf(group: Group, keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const text = group[key];
    const cleaned = text === undefined ? undefined : cleanText(text);
    if (cleaned !== undefined) return cleaned;
  }
  return undefined;
}
