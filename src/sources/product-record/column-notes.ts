/** Notes about the columns of a file: which are not used, which have the same name, and which the settings miss. */
import { isKnownName, isTextName } from "./aliases.ts";
import { DETAIL_PREFIX, mappedNames, OPTION_PREFIX } from "./column-mapping.ts";
import { type FileColumns, missingNames, namesOutsideTemplate } from "./file-columns.ts";
import { type ReadName, readHeader } from "./header.ts";
import { namesShown, type Reading } from "./reading.ts";

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
  const message = `The settings name columns that the file does not have: ${namesShown(missing)}. Columns found: ${namesShown(names)}.`;
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
      "These columns repeat the name of another; the first that has a value counts",
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
