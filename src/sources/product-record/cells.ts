/**
 * The values of a record of any format: texts, and groups of named texts. A delimited cell is one text; JSON and XML
 * also have lists and nested objects. Lists and groups inside a cell have the grammar of Google's delimited files:
 * values are separated by commas, the parts of a group by colons, and a part that contains either is in quotes. Where
 * shops write free text with commas instead, the cell is left whole: a list is only split if its parts look like list
 * entries.
 */
import { fold } from "./aliases.ts";
import { isBlank } from "../../catalog/text.ts";

/** Splits at the separators outside quotes. A quote opens only where a part begins, and is written twice inside. */
function splitQuoted(text: string, separators: string): { part: string; before: string }[] {
  const parts: { part: string; before: string }[] = [];
  let before = "";
  let at = 0;
  while (at <= text.length) {
    const quoted = /^\s*"((?:[^"]|"")*)"\s*/.exec(text.slice(at));
    const after = at + (quoted?.[0].length ?? 0);
    const isQuoted = quoted !== null && (after >= text.length || separators.includes(text.charAt(after)));
    const end = isQuoted ? after : indexOfAny(text, separators, at);
    const part = isQuoted ? (quoted[1] ?? "").replaceAll('""', '"') : text.slice(at, end).trim();
    parts.push({ part, before });
    before = text.charAt(end);
    at = end + 1;
  }
  return parts;
}

function indexOfAny(text: string, characters: string, from: number): number {
  let at = from;
  while (at < text.length && !characters.includes(text.charAt(at))) at += 1;
  return at;
}

const URL_START = /^(?:https?:)?\/\//i;
const MAY_BE_LIST = /[,;|\s[]/;
/** How an address that is only a file's name ends: `a.jpg`, `/media/a.png?v=2`. */
const IMAGE_END = /\.(?:jpe?g|png|gif|webp|avif|bmp|tiff?|svg|heic)(?:[?#].*)?$/is;

/** Addresses in one cell, with any separator; a single address may contain commas. */
export function urlList(value: CellValue): string[] {
  const texts = typeof value === "string" ? textsOf(value) : value.flatMap((part) => addressText(part) ?? []);
  return texts.some((text) => MAY_BE_LIST.test(text)) ? texts.flatMap(urlsIn) : texts;
}

/** An image may have a name beside its address. */
function addressText(part: string | CellGroup): string | undefined {
  const address = typeof part === "string" ? undefined : firstTextOf(part, ["url", "src", "href", "link"]);
  return address ?? partText(part);
}

function urlsIn(text: string): string[] {
  if (!MAY_BE_LIST.test(text)) return [text];
  if (text.startsWith("[")) return jsonTexts(text) ?? [text];
  const addresses = fullAddresses(text);
  return addresses.some((address) => MAY_BE_LIST.test(address)) ? addresses.flatMap(fileNames) : addresses;
}

/** Split only where another full address begins. */
function fullAddresses(text: string): string[] {
  const parts = text.split(/[,;|\s](?=(?:https?:)?\/\/)/i);
  return parts.every((part) => URL_START.test(part)) ? parts.map(withoutSeparators) : [text];
}

function withoutSeparators(text: string): string {
  let end = text.length;
  while (end > 0 && ",;| \t\r\n".includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** Split at every separator, but only when each part ends like an image or begins at the root of the shop. */
function fileNames(text: string): string[] {
  const parts = text.split(/[,;|\r\n]/).flatMap((part) => part.trim() || []);
  const isList = parts.every((part) => IMAGE_END.test(part)) || parts.every((part) => part.startsWith("/"));
  return isList ? parts : [text];
}

/** Category paths: several only when every part is a path, because a single one often has commas in its names. */
export function pathList(value: CellValue): string[] {
  return textsOf(value).flatMap((text) => {
    if (text.startsWith("[")) return jsonTexts(text) ?? [text];
    if (!/[",]/.test(text)) return [text];
    const parts = splitQuoted(text, ",").map(({ part }) => part);
    const isList = parts.length > 1 && parts.every((part) => part.includes(">"));
    if (isList) return parts;
    return parts.length === 1 && parts[0] !== undefined ? [parts[0]] : [text];
  });
}

/** Sentences: separated by a comma without a space, as Google writes lists; `soft, warm` stays one. */
export function sentenceList(value: CellValue): string[] {
  return textsOf(value).flatMap((text) => {
    if (text.startsWith("[")) return jsonTexts(text) ?? [text];
    if (/,\s/.test(text) && !/(?:^|,\s*)"/.test(text)) return [text];
    return splitList(text);
  });
}

/** Tags are single words or a few of them: every comma, semicolon and pipe separates two. */
export function tagList(value: CellValue): string[] {
  return textsOf(value).flatMap((text) =>
    text.startsWith("[") ? (jsonTexts(text) ?? [text]) : text.split(/[,;|]/).map((tag) => tag.trim()),
  );
}

/** The values of a list in Google's grammar, without empty ones. */
export function splitList(text: string): string[] {
  return splitQuoted(text, ",").flatMap(({ part }) => (part === "" ? [] : [part]));
}

function jsonTexts(text: string): string[] | null {
  const parsed = parseJson(text);
  return Array.isArray(parsed) && parsed.every((part) => typeof part === "string") ? parsed : null;
}

/** JSON in a cell, as OpenAI's files have it; undefined when it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** A JSON object as named texts. */
export function textEntries(object: object): CellGroup {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [fold(key), String(value)]));
}

/** A decimal comma would be read as the end of a group: `DE::Standard:4,90 EUR`. */
export const DECIMAL_COMMA = /(\d),(\d\d)(?=\s*(?:[A-Z]{3}\b|€))/g;

/** The groups of a cell, each as its parts in order. */
export function splitGroups(text: string): string[][] {
  const groups: string[][] = [];
  for (const { part, before } of splitQuoted(text, ",:")) {
    if (before === ":") groups.at(-1)?.push(part);
    else groups.push([part]);
  }
  return groups.filter((group) => group.some((part) => part !== ""));
}

/** Groups by the names of their parts: those of the header, or the usual ones for so many parts. */
export function namedGroups(
  value: CellValue,
  headerParts: readonly string[],
  usualParts: (count: number) => readonly string[],
): CellGroup[] {
  const nested = groupParts(value);
  if (nested.length > 0) return [...nested];
  return textsOf(value).flatMap((text) =>
    splitGroups(text).map((parts) => {
      const names = headerParts.length > 0 ? headerParts : usualParts(parts.length);
      return Object.fromEntries(names.map((name, index) => [name, parts[index] ?? ""]));
    }),
  );
}

/** Texts of the group under names of our own: each name is followed by the keys that may contain its text. */
export function pick<Name extends string>(
  group: CellGroup,
  names: readonly (readonly [Name, ...string[]])[],
): Partial<Record<Name, string>> {
  const picked: Partial<Record<Name, string>> = {};
  for (const [name, ...keys] of names) {
    const text = firstTextOf(group, keys);
    if (text !== undefined) picked[name] = text;
  }
  return picked;
}

/** Named texts that belong together: one shipping rate, one product detail, an amount with its currency. */
export type CellGroup = Readonly<Record<string, string>>;

export type CellValue = string | readonly (string | CellGroup)[];

/**
 * The text without surrounding space; undefined for words such as `n/a`. Called for every cell, so it has a fast path.
 */
export function trimmedText(text: string): string | undefined {
  if (text === "") return undefined;
  const trimmed =
    mayBeSpace(text.charCodeAt(0)) || mayBeSpace(text.charCodeAt(text.length - 1)) ? text.trim() : text;
  return isBlank(trimmed) ? undefined : trimmed;
}

/** Spaces beyond ASCII begin with the no-break space. */
function mayBeSpace(code: number): boolean {
  return code <= 32 || code >= 0xa0;
}

/**
 * `'1013` and `="0042"` keep a spreadsheet from changing a code; neither the apostrophe nor the formula is part of it.
 */
const PROTECTED = /^(?:="([^"]*)"|'([^']+))$/;

export function withoutSpreadsheetQuotes(code: string): string {
  // Called for every code of every row.
  if (!code.startsWith("=") && !code.startsWith("'")) return code.trim();
  const [, quoted, bare] = PROTECTED.exec(code) ?? [];
  return (quoted ?? bare ?? code).trim();
}

/** The first text in the value that is not empty or a filler word. */
export function textOf(value: CellValue): string | undefined {
  if (typeof value === "string") return trimmedText(value);
  for (const part of value) {
    const text = partText(part);
    if (text !== undefined) return text;
  }
  return undefined;
}

/** All texts in the value that are not empty or filler words, one for each part. */
export function textsOf(value: CellValue): string[] {
  if (typeof value !== "string") return value.map(partText).filter((text) => text !== undefined);
  const text = trimmedText(value);
  return text === undefined ? [] : [text];
}

export function groupParts(value: CellValue): readonly CellGroup[] {
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

function partText(part: string | CellGroup): string | undefined {
  if (typeof part === "string") return trimmedText(part);
  const text = firstTextOf(part, TEXT_KEYS);
  const currency = firstTextOf(part, CURRENCY_KEYS);
  return text === undefined || currency === undefined ? text : `${text} ${currency}`;
}

export function firstTextOf(group: CellGroup, keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const text = group[key];
    const cleaned = text === undefined ? undefined : trimmedText(text);
    if (cleaned !== undefined) return cleaned;
  }
  return undefined;
}
