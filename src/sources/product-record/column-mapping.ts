/**
 * Column mapping by hand: the merchant says which column feeds which of our fields, one `Their name = our_name` per
 * line (or separated by semicolons). A mapped column feeds that field alone, and a mapped field is fed by mapped
 * columns alone. Their names are compared without regard to case, accents and punctuation.
 *
 * Besides our fields there are three targets: `option` and `detail` carry the value under the column's own name, and
 * `ignore` leaves the column out. A unit may follow a field: `Weight = weight (kg)`.
 */
import { LIST_FIELDS, TEXT_FIELDS } from "../../catalog/draft.ts";
import { closest } from "../../lib/closest.ts";
import {
  aliasNames,
  GROUP_ALIASES,
  GROUP_FIELDS,
  LIST_ALIASES,
  NUMBERED_IMAGE,
  OPTION_NAME,
  OPTION_VALUE,
  TEXT_ALIASES,
} from "./aliases.ts";
import { type ReadName, fold, type Header, readHeader } from "./header.ts";

/** What a column is mapped to. */
export type ColumnTarget = {
  /** A name of the alias tables. */
  readonly name: string;
  /** The unit of its values. */
  readonly unit: string | null;
  /** The entry, as the merchant wrote it. */
  readonly line: string;
};

/** By the column's folded name. */
export type ColumnMapping = ReadonlyMap<string, ColumnTarget>;

/** Header names of mapped columns that carry their value under the column's own name. */
export const OPTION_PREFIX = "option:";
export const DETAIL_PREFIX = "detail:";

const IGNORE = "ignore";
const PREFIXES: ReadonlyMap<string, string> = new Map([
  ["option", OPTION_PREFIX],
  ["detail", DETAIL_PREFIX],
]);

const FIELDS: readonly (readonly [name: string, aliases: readonly string[]])[] = [
  ...TEXT_FIELDS.map((field) => [fold(field), aliasNames(TEXT_ALIASES[field] ?? "")] as const),
  ...LIST_FIELDS.map((field) => [fold(field), aliasNames(LIST_ALIASES[field])] as const),
  ...GROUP_FIELDS.map((field) => [fold(field), aliasNames(GROUP_ALIASES[field])] as const),
].filter(([, aliases]) => aliases.length > 0);

/** Every name a mapping may point at, to the first alias of its field. Our own names win over aliases. */
const FIRST_ALIASES: ReadonlyMap<string, string> = new Map([
  ...FIELDS.flatMap(([, aliases]) =>
    aliases.map((alias) => [alias, aliases[0] ?? alias] as const),
  ).toReversed(),
  ...FIELDS.map(([name, aliases]) => [name, aliases[0] ?? name] as const),
]);

/** The names of our fields, as the setting takes them. */
export const MAPPABLE_FIELDS: readonly string[] = FIELDS.map(([name]) => name);

export type ParsedMapping = { readonly mapping: ColumnMapping; readonly problems: readonly string[] };

export function parseColumnMapping(text: string): ParsedMapping {
  const mapping = new Map<string, ColumnTarget>();
  const problems: string[] = [];
  for (const line of text.split(/[\r\n;]+/)) {
    if (line.trim() === "") continue;
    const read = readLine(line.trim());
    if (typeof read === "string") problems.push(read);
    else if (mapping.has(read.column)) problems.push(`The column "${read.column}" is mapped twice.`);
    else mapping.set(read.column, read.target);
  }
  return { mapping, problems };
}

/** The last `=` separates: headers such as `Active (0 = No, 1 = Yes)` hold some of their own. */
function readLine(line: string): { column: string; target: ColumnTarget } | string {
  const at = line.lastIndexOf("=");
  const column = fold(line.slice(0, Math.max(at, 0)));
  const wanted = line.slice(at + 1).trim();
  if (at < 1 || column === "" || wanted === "") {
    return `"${line.slice(0, 80)}" must read "Their name = our_name".`;
  }
  const target = readTarget(wanted);
  if (target !== null) return { column, target: { ...target, line } };
  const known = [...MAPPABLE_FIELDS, ...FIRST_ALIASES.keys(), IGNORE, ...PREFIXES.keys()];
  const suggestion = closest(fold(wanted), known);
  const hint =
    suggestion === undefined
      ? `Fields: ${MAPPABLE_FIELDS.slice(0, 20).join(", ")} …`
      : `Did you mean "${suggestion}"?`;
  return `There is no field "${wanted.slice(0, 80)}". ${hint}`;
}

function readTarget(text: string): Omit<ColumnTarget, "line"> | null {
  const { name, unit } = readHeader(text);
  if (name === IGNORE) return { name: "", unit: null };
  const prefix = PREFIXES.get(name);
  if (prefix !== undefined) return { name: prefix, unit: null };
  const first = FIRST_ALIASES.get(name);
  if (first !== undefined) return { name: first, unit };
  const isNumbered = NUMBERED_IMAGE.test(name) || OPTION_NAME.test(name) || OPTION_VALUE.test(name);
  return isNumbered ? { name, unit: null } : null;
}

/** Reads names with the mapping in place. What is not mapped is read by `otherwise`. */
export function mappedNames(mapping: ColumnMapping, otherwise: ReadName = readHeader): ReadName {
  if (mapping.size === 0) return otherwise;
  return (raw) => {
    const target = mapping.get(columnKey(raw));
    return target === undefined ? otherwise(raw) : mappedHeader(raw, target);
  };
}

function mappedHeader(raw: string, { name, unit }: ColumnTarget): Header {
  const { parts, unit: ownUnit } = readHeader(raw);
  const isNamed = name === OPTION_PREFIX || name === DETAIL_PREFIX;
  return { name: isNamed ? `${name}${raw.trim()}` : name, parts, unit: unit ?? ownUnit, isMapped: true };
}

/** What a column is found by, in a mapping and in a link template. */
export function columnKey(raw: string): string {
  return fold(raw.replaceAll("\uFEFF", ""));
}
