/** The first row: which attribute each column holds, and how its cells are split. */
import {
  type Attribute,
  ATTRIBUTES,
  type CellKind,
  cellKind,
  defaultParts,
  isKnownPart,
  isOrderUnclear,
  REQUIRED,
  stands,
} from "./attributes.ts";
import { columnKey } from "../../kit/validate/delimiter.ts";
import type { GoogleFindings } from "./row.ts";

export type Column = {
  readonly name: string;
  readonly kind: CellKind;
  /** The sub-attributes of a group, in the order of the cells. */
  readonly parts: readonly string[];
};

export type Header = {
  readonly columns: readonly Column[];
  readonly kinds: readonly CellKind[];
  readonly absent: ReadonlySet<string>;
  /** Where the id is, or -1. */
  readonly idPlace: number;
};

const HEADING = /^([^()]*)(?:\((.*)\))?$/;

/** Null when the row is no header at all. */
export function readHeader(cells: readonly string[], findings: GoogleFindings): Header | null {
  const columns = cells.map((cell) => column(cell));
  const names = new Set(columns.map(({ name }) => name));
  if (!REQUIRED.some(({ name }) => names.has(name))) {
    const detail = "The first row is no header: it has none of the attributes every item needs.";
    findings.say("gmc.file.header.missing", { value: cells.join(", "), detail });
    return null;
  }
  sayNames(cells, columns, findings);
  const absent = new Set(REQUIRED.filter((need) => !stands(need, names)).map(({ name }) => name));
  for (const field of absent)
    findings.say("gmc.file.header.missing", { field, detail: `The column \`${field}\` is missing.` });
  const idPlace = columns.findIndex(({ name }) => name === "id");
  return { columns, kinds: columns.map(({ kind }) => kind), absent, idPlace };
}

function column(cell: string): Column {
  const [, name = cell, parts] = HEADING.exec(cell) ?? [];
  const known = ATTRIBUTES.get(columnKey(name));
  if (known === undefined) return { name: columnKey(name), kind: "text", parts: [] };
  const kind = cellKind(known.name);
  const listed = parts === undefined ? defaultParts(known) : parts.split(":").map((part) => part.trim());
  return { name: known.name, kind, parts: kind === "groups" ? listed : [] };
}

function sayNames(cells: readonly string[], columns: readonly Column[], findings: GoogleFindings): void {
  const seen = new Set<string>();
  for (const [place, { name, kind, parts }] of columns.entries()) {
    const cell = cells[place] ?? "";
    const known = ATTRIBUTES.get(name);
    if (known === undefined) findings.say("gmc.file.header.unknown", { field: cell });
    else sayKnown(cell, known, parts, findings);
    // A repeated attribute may have several columns, one value each.
    if (seen.has(name) && kind === "text") findings.say("gmc.file.header.duplicate", { field: name });
    seen.add(name);
  }
}

function sayKnown(cell: string, known: Attribute, parts: readonly string[], findings: GoogleFindings): void {
  const { name } = known;
  if (cell !== name && !cell.startsWith(`${name}(`))
    findings.say("gmc.file.header.spelling", { field: name, value: cell });
  if (parts.length > 0 && !cell.includes("(") && isOrderUnclear(known))
    findings.say("gmc.file.header.order", {
      field: name,
      detail: `It is read as ${name}(${parts.join(":")}).`,
    });
  for (const part of parts)
    if (!isKnownPart(known, part)) findings.say("gmc.file.header.part", { field: name, value: part });
}
