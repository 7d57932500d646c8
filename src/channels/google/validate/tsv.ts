/**
 * Reads `gmc.tsv`: a header that says how each column is read, then one item per record. The header also shows what
 * separates the cells: a tab, as Google requires, or another character.
 */
import { hasControls } from "../../kit/validate/checks/text.ts";
import {
  columnKey,
  delimitedReader,
  delimiterOf,
  scanCsv,
  type Scanned,
} from "../../kit/validate/delimited.ts";
import { CheckedRow } from "../../kit/validate/row.ts";
import type { FeedReader } from "../../kit/validate/validator.ts";
import {
  type DocumentedAttribute,
  ATTRIBUTES,
  type CellKind,
  cellKind,
  defaultParts,
  isKnownPart,
  isOrderUnclear,
  isStated,
  REQUIRED,
} from "./attributes.ts";
import { GoogleFeed } from "./feed.ts";
import type { GoogleFindings } from "./rules.ts";
import { groupOf, scanTsv, splitCell, type TsvCell } from "./scan-tsv.ts";

type TsvColumn = {
  readonly name: string;
  readonly kind: CellKind;
  /** The sub-attributes of a group, in the order of the cells. */
  readonly parts: readonly string[];
};

type TsvHeader = {
  readonly names: readonly string[];
  readonly columns: readonly TsvColumn[];
  readonly kinds: readonly CellKind[];
  readonly absent: ReadonlySet<string>;
};

/**
 * The delimiters that Google reads besides tabs: commas, which its other tools write, and the two that it has a setting
 * for.
 */
const OTHER_DELIMITERS: ReadonlySet<string> = new Set([",", "|", "~"]);
const TAB = "\t";

export function googleTsvReader(findings: GoogleFindings, now: Date): FeedReader {
  const feed = new GoogleFeed(findings, now);
  let delimiter: string | null = null;

  /** Between tabs, quotes work by Google's rules; elsewhere by those of CSV, and inside a cell by Google's again. */
  function scan(text: string, header: TsvHeader | null): Scanned<TsvCell> | null {
    const kinds = header?.kinds ?? [];
    delimiter ??= delimiterOf(text, (name) => ATTRIBUTES.has(name));
    if (delimiter === TAB) return scanTsv(text, kinds);
    const record = scanCsv(text, delimiter);
    if (record === null) return null;
    const cells = record.cells.map((cell, column) => cellOf(cell, kinds[column] ?? "text"));
    return { cells, strayIn: record.strayIn };
  }

  function readHeaderRow(cells: readonly string[]): TsvHeader | null {
    const header = readHeader(cells, findings);
    if (header !== null && delimiter !== null && delimiter !== TAB)
      findings.add("gmc.file.delimiter", { value: delimiter, isMild: OTHER_DELIMITERS.has(delimiter) });
    return header;
  }

  function readRow(line: number, cells: readonly TsvCell[], { columns, absent }: TsvHeader): void {
    const row = new CheckedRow(line, { absent });
    for (const [at, column] of columns.entries()) setCell(row, column, cells[at] ?? "", findings);
    for (const [at, cell] of cells.entries())
      for (const value of typeof cell === "string" ? [cell] : cell.flat())
        checkCharacters(value, columns[at]?.name, findings);
    feed.add(row);
  }

  return delimitedReader(findings, {
    rules: { long: "gmc.file.long", quote: "tsv.quote.stray", cells: "gmc.file.cells" },
    scan,
    readHeader: readHeaderRow,
    readRow,
    idOf: (cells, { names }) => {
      const id = cells[names.indexOf("id")];
      return typeof id === "string" && id !== "" ? id : null;
    },
    shown,
    feed,
  });
}

const HEADING = /^([^()]*)(?:\((.*)\))?$/;

/** Null when the row is not a header. */
function readHeader(cells: readonly string[], findings: GoogleFindings): TsvHeader | null {
  const columns = cells.map(columnOf);
  const names = columns.map(({ name }) => name);
  if (!REQUIRED.some((name) => names.includes(name))) {
    const detail = "The first row is not a header: it has none of the attributes every item needs.";
    findings.add("gmc.file.header.missing", { value: cells.join(", "), detail });
    return null;
  }
  checkNames(cells, columns, findings);
  const absent = new Set(REQUIRED.filter((need) => !isStated(need, (name) => names.includes(name))));
  for (const field of absent)
    findings.add("gmc.file.header.missing", { field, detail: `The column \`${field}\` is missing.` });
  return { names, columns, kinds: columns.map(({ kind }) => kind), absent };
}

function columnOf(cell: string): TsvColumn {
  const [, name = cell, parts] = HEADING.exec(cell) ?? [];
  const known = ATTRIBUTES.get(columnKey(name));
  if (known === undefined) return { name: columnKey(name), kind: "text", parts: [] };
  const kind = cellKind(known.name);
  const listed = parts === undefined ? defaultParts(known) : parts.split(":").map((part) => part.trim());
  return { name: known.name, kind, parts: kind === "groups" ? listed : [] };
}

function checkNames(cells: readonly string[], columns: readonly TsvColumn[], findings: GoogleFindings): void {
  const seen = new Set<string>();
  for (const [at, { name, kind, parts }] of columns.entries()) {
    const cell = cells[at] ?? "";
    const known = ATTRIBUTES.get(name);
    if (known === undefined) findings.add("gmc.file.header.unknown", { field: cell });
    else checkHeading(cell, known, parts, findings);
    // A repeated attribute may have several columns, one value each.
    if (seen.has(name) && kind === "text") findings.add("gmc.file.header.duplicate", { field: name });
    seen.add(name);
  }
}

function checkHeading(
  cell: string,
  known: DocumentedAttribute,
  parts: readonly string[],
  findings: GoogleFindings,
): void {
  const field = known.name;
  if (cell !== field && !cell.startsWith(`${field}(`))
    findings.add("gmc.file.header.spelling", { field, value: cell });
  if (parts.length > 0 && !cell.includes("(") && isOrderUnclear(known))
    findings.add("gmc.file.header.order", { field, detail: `It is read as ${field}(${parts.join(":")}).` });
  for (const part of parts)
    if (!isKnownPart(known, part)) findings.add("gmc.file.header.part", { field, value: part });
}

function setCell(
  row: CheckedRow,
  { name, kind, parts }: TsvColumn,
  cell: TsvCell,
  findings: GoogleFindings,
): void {
  if (typeof cell === "string") {
    if (cell.trim() !== "" && !row.texts.has(name)) row.texts.set(name, cell);
  } else if (kind === "list") row.lists.set(name, [...row.list(name), ...entriesOf(name, cell)]);
  else {
    const groups = groupsIn(parts, cell).map((values) => {
      if (values.length > parts.length) {
        const detail = `A group has ${values.length} sub-values, the header names ${parts.length}.`;
        findings.add("tsv.parts", { field: name, value: values.join(":"), detail });
      }
      return groupOf(parts, values);
    });
    row.groupLists.set(name, [...row.groups(name), ...groups]);
  }
}

function checkCharacters(value: string, field: string | undefined, findings: GoogleFindings): void {
  if (hasControls(value)) findings.add("tsv.control", { field, value });
  if (value.includes("\n")) findings.add("tsv.newline", { field, value });
}

function cellOf(cell: string, kind: CellKind): TsvCell {
  if (kind === "text" || cell.trim() === "") return cell;
  // A quote that is never closed inside a correctly quoted cell: the cell is one value.
  return splitCell(cell, kind) ?? [[cell]];
}

/** A list of addresses in one pair of quotes is still a list. */
function entriesOf(name: string, cell: Exclude<TsvCell, string>): readonly string[] {
  return cell
    .flatMap(([entry = ""]) => (name.endsWith("_link") ? entry.split(/,\s*(?=https?:)/i) : [entry]))
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
}

/** Groups in one pair of quotes are still groups: a group of several parts never has only one. */
function groupsIn(parts: readonly string[], cell: Exclude<TsvCell, string>): readonly (readonly string[])[] {
  const [group = [], ...more] = cell;
  const [only = "", ...others] = group;
  const isQuotedWhole = more.length === 0 && others.length === 0 && parts.length > 1 && only.includes(":");
  return isQuotedWhole ? (splitCell(only, "groups") ?? cell) : cell;
}

function shown(cell: TsvCell): string {
  return typeof cell === "string" ? cell : cell.map((values) => values.join(":")).join(",");
}
