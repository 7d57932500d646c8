/** Single cells of Magento's export: attributes, category paths, dates and the many words on stock. */
import type { Draft } from "../../../catalog/draft.ts";
import type { DialectRow } from "./dialect.ts";
import { namedFieldReader, parts, stockOf } from "./kit.ts";

/** `key=value,key=value`. A value may contain commas, and is then quoted or ends at the next key. */
export function pairs(text: string | undefined): [code: string, value: string][] {
  return (text ?? "").split(/,(?=\s*[a-z][a-z0-9_]*=)/i).flatMap((part): [string, string][] => {
    const at = part.indexOf("=");
    return at < 1 ? [] : [[part.slice(0, at).trim(), unquoted(part.slice(at + 1).trim())]];
  });
}

function unquoted(value: string): string {
  const isQuoted = value.length > 1 && value.startsWith('"') && value.endsWith('"');
  return isQuoted ? value.slice(1, -1).replaceAll('""', '"') : value;
}

/** Attributes that feeds have a field for. Whether the shop shows the others, the export does not say. */
const FIELDS = [
  "brand",
  "gtin",
  "mpn",
  "condition",
  "color",
  "size",
  "material",
  "pattern",
  "gender",
  "ageGroup",
  "sizeSystem",
  "sizeType",
  "energyClass",
  "googleCategory",
] as const satisfies (keyof Draft)[];

export type ReadAttributes = (text: string | undefined) => Draft;

/** One reader a file: the names of attributes come again in every row. */
export function attributeReader(): ReadAttributes {
  const read = namedFieldReader(FIELDS);
  return (text) => {
    const draft = text === undefined ? {} : read(pairs(text));
    for (const field of FIELDS) {
      const value = draft[field];
      if (value !== undefined) draft[field] = severalValues(field, value);
    }
    return draft;
  };
}

/** Several values are separated by `|`; feeds write colors and materials with a slash. */
function severalValues(field: (typeof FIELDS)[number], value: string): string {
  if (!value.includes("|")) return value;
  return parts(value, "|").join(field === "gender" ? " and " : "/");
}

/**
 * `Default Category/Men/Tops,Default Category/Men`: paths below the root, without those that only lead to another.
 * Names may contain unescaped commas: a part that begins with a space or is not a path continues the last one.
 */
export function categoryPaths(text: string | undefined): string[] {
  const paths: string[] = [];
  const root = rootOf(text ?? "");
  for (const part of (text ?? "").split(",")) {
    const goesOn = paths.length > 0 && (/^\s/.test(part) || (!part.includes("/") && part !== root));
    if (goesOn) paths.push(`${paths.pop() ?? ""},${part}`);
    else paths.push(part.trim());
  }
  const levels = paths
    .map((path) => path.split(/(?<!\\)\//).map((name) => name.replaceAll("\\/", "/").trim()))
    .map((names) => (names.length > 1 || names[0] === root ? names.slice(1) : names))
    .filter((names) => names.some((name) => name !== ""));
  return withoutAncestors(levels);
}

/** Each path once, without those that lead to another path. Sorted, a path comes right before those below it. */
function withoutAncestors(paths: readonly (readonly string[])[]): string[] {
  const unique = [...new Set(paths.map((names) => names.join("\0")))];
  const sorted = unique.toSorted();
  const ancestors = new Set(sorted.filter((path, index) => sorted[index + 1]?.startsWith(`${path}\0`)));
  return unique.filter((path) => !ancestors.has(path)).map((path) => path.replaceAll("\0", " > "));
}

function rootOf(text: string): string {
  const [first = ""] = text.split(/[/,]/, 1);
  return first.trim();
}

/** Month or day first, in dates such as `5/22/22`. */
export type DateOrder = "month" | "day";

const SLASHED = /^(?<first>\d{1,2})\/(?<second>\d{1,2})\/(?<year>\d{4}|\d\d)(?:,? |$)/;

/** Magento writes dates as its admin's language does; the file as a whole shows which order that is. */
export function dateOrderDetector() {
  const votes = { month: 0, day: 0, american: 0 };
  return {
    add: (date: string): void => {
      const { first, second } = SLASHED.exec(date)?.groups ?? {};
      if (Number(first) > 12) votes.day += 1;
      if (Number(second) > 12) votes.month += 1;
      // Only American English writes `8:21 AM` behind such a date.
      if (first !== undefined && /\d [AP]M$/.test(date)) votes.american += 1;
    },
    order: (): DateOrder | null => {
      if (votes.day > 0) return votes.month > 0 ? null : "day";
      return votes.month > 0 || votes.american > 0 ? "month" : null;
    },
  };
}

/** The day in ISO 8601. What cannot be read for certain is passed on as it is, and reported there. */
export function isoDate(text: string | undefined, order: DateOrder | null): string | undefined {
  const iso = /^\d{4}-\d\d-\d\d/.exec(text ?? "")?.[0];
  return iso ?? (order === null ? text : (slashedDate(text ?? "", order) ?? text));
}

function slashedDate(text: string, order: DateOrder): string | undefined {
  const { first, second, year } = SLASHED.exec(text)?.groups ?? {};
  if (first === undefined || second === undefined || year === undefined) return undefined;
  const [month, day] = order === "month" ? [first, second] : [second, first];
  return [year.padStart(4, "20"), month.padStart(2, "0"), day.padStart(2, "0")].join("-");
}

/**
 * `is_in_stock` is Magento's own result. It is used unless the row itself, not the shop's configuration, states that
 * its stock is counted and none is left.
 */
export function availabilityOf(at: DialectRow["at"]): string | undefined {
  const quantity = at("qty");
  const isInStock = at("is_in_stock") ?? statusAttribute(at("additional_attributes"));
  if (isInStock === undefined) return stockOf({ isTracked: true, quantity, allowsBackorders: false });
  if (isInStock === "0") return "out of stock";
  const backorders = at("use_config_backorders") === "0" ? at("allow_backorders") : undefined;
  const isGone = isCounted(at) && quantity !== undefined && Number(quantity) <= 0;
  if (!isGone || backorders === undefined) return "in stock";
  return backorders === "0" ? "out of stock" : "backorder";
}

function isCounted(at: DialectRow["at"]): boolean {
  return at("use_config_manage_stock") === "0" && at("manage_stock") === "1";
}

function statusAttribute(attributes: string | undefined): string | undefined {
  const status = /(?:^|,)quantity_and_stock_status=([^,]*)/.exec(attributes ?? "")?.[1];
  if (status === undefined) return undefined;
  return /out/i.test(status) ? "0" : "1";
}
