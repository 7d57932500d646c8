/**
 * How the columns of one file are read: by the alias tables and by the settings of the source. With the notes about
 * columns that are not used, that repeat a name, or that the settings name and the file lacks.
 */
import { isKnownName, isTextName } from "./aliases.ts";
import {
  type ColumnMapping,
  columnKey,
  DETAIL_PREFIX,
  mappedNames,
  OPTION_PREFIX,
} from "./column-mapping.ts";
import { type ColumnPlan, planColumns } from "./columns.ts";
import { type ReadName, readHeader } from "./header.ts";
import type { LinkTemplate } from "./link-template.ts";
import { namesShown, type Reading } from "./reading.ts";
import { textOf } from "./value.ts";

export type FileColumns = {
  readonly mapping: ColumnMapping;
  readonly linkTemplate: LinkTemplate | null;
};

export const NO_COLUMN_SETTINGS: FileColumns = { mapping: new Map(), linkTemplate: null };

/** The plan for columns of these names. `otherwise` reads the names that are not mapped. */
export function planFile(
  names: readonly string[],
  { mapping, linkTemplate }: FileColumns,
  otherwise: ReadName = readHeader,
): ColumnPlan {
  const plan = planColumns(names.map(mappedNames(mapping, otherwise)));
  if (linkTemplate === null) return plan;
  const columns = new Map(names.map((name, index) => [columnKey(name), index] as const).toReversed());
  return {
    has: (field) => field === "link" || plan.has(field),
    map: (cells) => {
      const draft = plan.map(cells);
      const link = linkTemplate.fill((key) => textOf(cells[columns.get(key) ?? -1] ?? ""));
      if (link !== undefined) draft.link = link;
      return draft;
    },
  };
}

/** Names that the settings use and the file does not have, as the settings spell them or fold them. */
export function missingNames(names: readonly string[], { mapping, linkTemplate }: FileColumns): string[] {
  const known = new Set(names.map(columnKey));
  const mapped = [...mapping.keys()].filter((key) => !known.has(key));
  const placeholders = (linkTemplate?.names ?? []).filter((name) => !known.has(columnKey(name)));
  return [...new Set([...mapped, ...placeholders])];
}

/** The names without those that the link template uses. */
function namesOutsideTemplate(names: readonly string[], { linkTemplate }: FileColumns): readonly string[] {
  const used = new Set((linkTemplate?.names ?? []).map(columnKey));
  return used.size === 0 ? names : names.filter((name) => !used.has(columnKey(name)));
}

/** For a file that is read by the alias tables and by what the merchant set. `otherwise` reads names that are not mapped. */
export function fileColumnNotes(
  names: readonly string[],
  settings: FileColumns,
  otherwise: ReadName = readHeader,
): Reading[] {
  const readName = mappedNames(settings.mapping, otherwise);
  return [
    ...columnNotes(namesOutsideTemplate(names, settings), readName),
    ...missingColumnNotes(names, settings),
  ];
}

/** Columns that the settings name and the file does not have. */
export function missingColumnNotes(names: readonly string[], settings: FileColumns): Reading[] {
  const missing = missingNames(names, settings);
  if (missing.length === 0) return [];
  const message = `The settings name columns that the file does not have: ${namesShown(missing)}. Correct the names or remove them. Columns found: ${namesShown(names)}.`;
  return [{ kind: "note", code: "missing_column", message }];
}

export function columnNotes(columns: readonly string[], readName: ReadName = readHeader): Reading[] {
  const headers = columns.map((column) => ({ column, name: readName(column).name }));
  // Names that begin with @ are the grammar of JSON-LD.
  const unused = headers.filter(({ name }) => name !== "" && !name.startsWith("@") && !isUsed(name));
  const seen = new Set<string>();
  const repeated = headers.filter(({ name }) => {
    const isRepeated = seen.has(name) && isTextName(name);
    seen.add(name);
    return isRepeated;
  });
  return [
    ...note("unmapped_column", "These columns are not known and not used", unused),
    ...note(
      "duplicate_column",
      "These columns repeat the name of another; the first one with a value is used",
      repeated,
    ),
  ];
}

function isUsed(name: string): boolean {
  return isKnownName(name) || name.startsWith(OPTION_PREFIX) || name.startsWith(DETAIL_PREFIX);
}

function note(
  code: "unmapped_column" | "duplicate_column",
  sentence: string,
  columns: readonly { readonly column: string }[],
): Reading[] {
  if (columns.length === 0) return [];
  return [
    { kind: "note", code, message: `${sentence}: ${namesShown(columns.map(({ column }) => column))}.` },
  ];
}
