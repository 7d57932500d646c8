/**
 * The settings `columns` of a source, and how the columns of one file are read by the settings and by the alias tables.
 *
 * `columns` has one `Their name = our_name` per line (or separated by semicolons). A mapped column feeds that field
 * alone, and a mapped field is fed by mapped columns alone. Their names are compared without regard to case, accents
 * and punctuation. Apart from our fields there are three targets: `option` and `detail` keep the value under the
 * column's own name, and `ignore` leaves the column out. A unit may follow a field: `Weight = weight (kg)`.
 */
import { LIST_FIELDS, TEXT_FIELDS } from "../../catalog/draft.ts";
import { closest } from "../../lib/closest.ts";
import {
  aliasNames,
  fold,
  GROUP_ALIASES,
  GROUP_FIELDS,
  type Header,
  isKnownName,
  isTextName,
  LIST_ALIASES,
  NUMBERED_IMAGE,
  OPTION_NAME,
  OPTION_VALUE,
  readHeader,
  type ReadName,
  TEXT_ALIASES,
  DETAIL_PREFIX,
  OPTION_PREFIX,
  namesShown,
} from "./aliases.ts";
import { type ColumnPlan, planColumns } from "./columns.ts";
import { columnKey, type LinkTemplate } from "./link-template.ts";
import { languageNotes } from "./localized-names.ts";
import type { RecordResult } from "../source.ts";
import { textOf } from "./cells.ts";
import { inputsOf, type CellStep } from "./source-text.ts";

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

/** The last `=` separates: headers such as `Active (0 = No, 1 = Yes)` contain some. */
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
function mappedNames(mapping: ColumnMapping, otherwise: ReadName = readHeader): ReadName {
  if (mapping.size === 0) return otherwise;
  const hasOwnPrice = [...mapping.values()].some(({ name }) => name === FIRST_ALIASES.get("price"));
  return (raw) => {
    const target = mapping.get(columnKey(raw));
    if (target !== undefined) return mappedHeader(raw, target);
    const header = otherwise(raw);
    return hasOwnPrice && ORIGINAL_PRICE.test(header.name)
      ? { ...header, name: `other_${header.name}` }
      : header;
  };
}

/**
 * Beside a price that the merchant had to name, these are not former prices by their name alone: they may be prices of
 * another product, such as the original of a copy. A former price is published, so the merchant says which column has
 * it.
 */
const ORIGINAL_PRICE = /^(?:original_price|precio_original)$/;

function mappedHeader(raw: string, { name, unit }: ColumnTarget): Header {
  const { parts, unit: ownUnit } = readHeader(raw);
  const isNamed = name === OPTION_PREFIX || name === DETAIL_PREFIX;
  return { name: isNamed ? `${name}${raw.trim()}` : name, parts, unit: unit ?? ownUnit, isMapped: true };
}

export type FileColumnSettings = {
  readonly mapping: ColumnMapping;
  readonly linkTemplate: LinkTemplate | null;
  /** The catalog's language. */
  readonly language?: string | undefined;
};

export const NO_COLUMN_SETTINGS: FileColumnSettings = { mapping: new Map(), linkTemplate: null };

/** The plan for columns of these names. `otherwise` reads the names that are not mapped. */
export function planFile(
  names: readonly string[],
  { mapping, linkTemplate, language }: FileColumnSettings,
  otherwise: ReadName = readHeader,
): ColumnPlan {
  const headers = names.map(mappedNames(mapping, otherwise));
  if (linkTemplate === null) return planColumns(headers, { language });
  const plan = planColumns(headers, { lastSteps: [linkStep(names, linkTemplate)], language });
  return { ...plan, has: (field) => field === "link" || plan.has(field) };
}

function linkStep(names: readonly string[], { names: placeholders, fill }: LinkTemplate): CellStep {
  const columns = new Map(names.map((name, index) => [columnKey(name), index] as const).toReversed());
  const used = placeholders.flatMap((name) => columns.get(columnKey(name)) ?? []);
  return {
    inputs: inputsOf("link template", used),
    run: (draft, cells) => {
      const link = fill((key) => textOf(cells[columns.get(key) ?? -1] ?? ""));
      if (link !== undefined) draft.link = link;
    },
  };
}

/** Names that the settings use and the file does not have, as the settings spell them or fold them. */
export function missingNames(
  names: readonly string[],
  { mapping, linkTemplate }: FileColumnSettings,
): string[] {
  const known = new Set(names.map(columnKey));
  const mapped = [...mapping.keys()].filter((key) => !known.has(key));
  const placeholders = (linkTemplate?.names ?? []).filter((name) => !known.has(columnKey(name)));
  return [...new Set([...mapped, ...placeholders])];
}

/** The names without those that the link template uses. */
function namesOutsideTemplate(
  names: readonly string[],
  { linkTemplate }: FileColumnSettings,
): readonly string[] {
  const used = new Set((linkTemplate?.names ?? []).map(columnKey));
  return used.size === 0 ? names : names.filter((name) => !used.has(columnKey(name)));
}

/**
 * For a file that is read by the alias tables and by what the merchant set. `otherwise` reads names that are not
 * mapped.
 */
export function fileColumnNotes(
  names: readonly string[],
  settings: FileColumnSettings,
  otherwise: ReadName = readHeader,
): RecordResult[] {
  const readName = mappedNames(settings.mapping, otherwise);
  return [
    ...columnNotes(namesOutsideTemplate(names, settings), readName),
    ...missingColumnNotes(names, settings),
    ...languageNotes(names, planFile(names, settings, otherwise).has),
  ];
}

/** For a file that a dialect reads: those of its filled columns that nothing has read. */
export function unusedColumnNotes(
  names: readonly string[],
  { mapping, linkTemplate }: FileColumnSettings,
  otherwise: ReadName,
): RecordResult[] {
  const readName = mappedNames(mapping, otherwise);
  return note(
    "unmapped_column",
    "These columns have values that are not used",
    unknownNames(namesOutsideTemplate(names, { mapping, linkTemplate }), readName),
  );
}

/** Columns that the settings name and the file does not have. */
export function missingColumnNotes(names: readonly string[], settings: FileColumnSettings): RecordResult[] {
  const missing = missingNames(names, settings);
  if (missing.length === 0) return [];
  const message = `The settings name columns that the file does not have: ${namesShown(missing)}. Correct the names or remove them. Columns found: ${namesShown(names)}.`;
  return [{ kind: "warning", code: "missing_column", message }];
}

export function columnNotes(columns: readonly string[], readName: ReadName = readHeader): RecordResult[] {
  const headers = columns.map((column) => ({ column, name: readName(column).name }));
  const seen = new Set<string>();
  const repeated = headers.filter(({ name }) => {
    const isRepeated = seen.has(name) && isTextName(name);
    seen.add(name);
    return isRepeated;
  });
  return [
    ...note("unmapped_column", "These columns are not known and not used", unknownNames(columns, readName)),
    ...note(
      "duplicate_column",
      "These columns repeat the name of another; the first one with a value is used",
      repeated,
    ),
  ];
}

function unknownNames(columns: readonly string[], readName: ReadName): { readonly column: string }[] {
  const headers = columns.map((column) => ({ column, name: readName(column).name }));
  // Names that begin with @ are the grammar of JSON-LD.
  return headers.filter(({ name }) => name !== "" && !name.startsWith("@") && !isUsed(name));
}

function isUsed(name: string): boolean {
  return isKnownName(name) || name.startsWith(OPTION_PREFIX) || name.startsWith(DETAIL_PREFIX);
}

function note(
  code: "unmapped_column" | "duplicate_column",
  sentence: string,
  columns: readonly { readonly column: string }[],
): RecordResult[] {
  if (columns.length === 0) return [];
  return [
    { kind: "warning", code, message: `${sentence}: ${namesShown(columns.map(({ column }) => column))}.` },
  ];
}
