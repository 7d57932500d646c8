/**
 * `gmc.tsv`: a header that says how each column is read, then an item a record. The header also says what separates the
 * cells: a tab, as Google asks, or another character. A row that cannot be split into columns is reported and not
 * checked further.
 */
import { hasControls } from "../../kit/validate/checks/text.ts";
import type { Findings } from "../../kit/validate/findings.ts";
import type { FeedReader } from "../../kit/validate/validator.ts";
import { delimiterOf } from "../../kit/validate/delimiter.ts";
import { type RecordEvent, RecordReader } from "../../kit/validate/records.ts";
import { scanCsv } from "../../kit/validate/scan-csv.ts";
import { ATTRIBUTES } from "./attributes.ts";
import { GoogleFeed } from "./feed.ts";
import { type Column, type Header, readHeader } from "./header.ts";
import { GoogleRow, type Group } from "./row.ts";
import type { GoogleRule } from "./rules.ts";
import { scanTsv, splitCell, type TsvCell, type TsvRecord } from "./scan-tsv.ts";

/** What Google reads beside tabs: commas, as other tools of its make write them, and the two it has a setting for. */
const OTHER_DELIMITERS: ReadonlySet<string> = new Set([",", "|", "~"]);
const TAB = "\t";

const SAID = {
  mark: "The file begins with a byte order mark.",
  bytes: "From this line on there are bytes that are not UTF-8.",
  "utf-16": "The file is UTF-16.",
} as const;

export class GoogleTsvReader implements FeedReader {
  private readonly findings: Findings<GoogleRule>;
  private readonly feed: GoogleFeed;
  private readonly records = new RecordReader((text) => this.scan(text));
  private delimiter: string | null = null;
  private header: Header | "none" | null = null;

  constructor(findings: Findings<GoogleRule>, now: Date) {
    this.findings = findings;
    this.feed = new GoogleFeed(findings, now);
  }

  /** A line at a time at first: the header must be understood before the first item is split. */
  push(text: string): void {
    let rest = text;
    while (this.header === null && rest !== "") {
      const end = rest.indexOf("\n") + 1 || rest.length;
      this.takeAll(rest.slice(0, end));
      rest = rest.slice(end);
    }
    if (rest !== "") this.takeAll(rest);
  }

  end(bytes: number): void {
    for (const event of this.records.end()) this.take(event);
    this.feed.end(bytes);
  }

  misencoded(what: keyof typeof SAID, line: number): void {
    this.findings.sayAt({ line, itemId: null }, "gmc.file.encoding", { detail: SAID[what] });
  }

  rows(): number {
    return this.feed.rows;
  }

  /** Where tabs separate, quotes work by Google's rules; elsewhere by those of CSV, and inside a cell by Google's again. */
  private scan(text: string): TsvRecord | null {
    this.delimiter ??= delimiterOf(text, (name) => ATTRIBUTES.has(name));
    if (this.delimiter === TAB) return scanTsv(text, this.kinds());
    const record = scanCsv(text, this.delimiter);
    if (record === null) return null;
    const kinds = this.kinds();
    const cells = record.cells.map((cell, column) => cellOf(cell, kinds[column] ?? "text"));
    return { cells, strayIn: record.strayIn };
  }

  private sayDelimiter(): void {
    if (this.delimiter === TAB || this.delimiter === null) return;
    const isMild = OTHER_DELIMITERS.has(this.delimiter);
    this.findings.say("gmc.file.delimiter", { value: this.delimiter, isMild });
  }

  private kinds(): Header["kinds"] {
    return this.header === null || this.header === "none" ? [] : this.header.kinds;
  }

  private takeAll(text: string): void {
    for (const event of this.records.push(text)) this.take(event);
  }

  private take(event: RecordEvent<TsvRecord>): void {
    this.findings.at(event.line, null);
    if (event.kind === "record") {
      this.record(event.line, event.cells);
      return;
    }
    this.feed.pass();
    const value = event.text;
    if (event.kind === "too long") this.findings.say("gmc.file.long", { value });
    else
      this.findings.say("tsv.quote.stray", {
        value,
        detail: "The quote opened on this line is never closed.",
      });
  }

  private record(line: number, record: TsvRecord): void {
    if (this.header === null) {
      const names = record.cells.map((cell) => shown(cell));
      this.header = readHeader(names, this.findings) ?? "none";
      if (this.header !== "none") this.sayDelimiter();
    } else if (this.header === "none") this.feed.pass();
    else this.item(line, record, this.header);
  }

  private item(line: number, { cells, strayIn }: TsvRecord, { columns, absent, idPlace }: Header): void {
    const isWell = cells.length === columns.length;
    const id = cells[idPlace];
    this.findings.at(line, isWell && typeof id === "string" ? id || null : null);
    for (const { column, isInside } of strayIn)
      this.findings.say("tsv.quote.stray", {
        field: columns[column]?.name,
        value: shown(cells[column]),
        isMild: isInside,
      });
    if (!isWell) {
      const detail = `The row has ${cells.length} cells, the header ${columns.length}.`;
      this.findings.say("gmc.file.cells", { value: shown(cells[0]), detail });
      this.feed.pass();
      return;
    }
    const row = new GoogleRow(line, absent);
    for (const [place, column] of columns.entries()) this.put(row, column, cells[place] ?? "");
    this.checkCharacters(cells, columns);
    this.feed.add(row);
  }

  private put(row: GoogleRow, { name, kind, parts }: Column, cell: TsvCell): void {
    if (typeof cell === "string") {
      if (cell.trim() !== "" && !row.texts.has(name)) row.texts.set(name, cell);
    } else if (kind === "list") {
      const entries = entriesOf(name, cell);
      row.lists.set(name, [...row.list(name), ...entries]);
    } else {
      row.groupLists.set(name, [
        ...row.groups(name),
        ...groupsOf(parts, cell).map((values) => this.group(name, parts, values)),
      ]);
    }
  }

  private group(name: string, parts: readonly string[], values: readonly string[]): Group {
    if (values.length > parts.length) {
      const detail = `A group has ${values.length} sub-values, the header names ${parts.length}.`;
      this.findings.say("tsv.parts", { field: name, value: values.join(":"), detail });
    }
    const group = new Map<string, string>();
    for (const [place, part] of parts.entries()) {
      const value = values[place]?.trim() ?? "";
      if (value !== "") group.set(part, value);
    }
    return group;
  }

  private checkCharacters(cells: readonly TsvCell[], columns: readonly Column[]): void {
    for (const [place, cell] of cells.entries()) {
      if (cell === "") continue;
      const field = columns[place]?.name;
      if (typeof cell === "string") this.checkText(cell, field);
      else for (const values of cell) for (const value of values) this.checkText(value, field);
    }
  }

  private checkText(value: string, field: string | undefined): void {
    if (hasControls(value)) this.findings.say("tsv.control", { field, value });
    if (value.includes("\n")) this.findings.say("tsv.newline", { field, value });
  }
}

function cellOf(cell: string, kind: Header["kinds"][number]): TsvCell {
  if (kind === "text" || cell.trim() === "") return cell;
  // A quote that is never closed inside a cell whose own quotes are sound: the cell is one value.
  return splitCell(cell, kind) ?? [[cell]];
}

/** Quotes around a whole list of addresses do not make one address of it. */
function entriesOf(name: string, cell: Exclude<TsvCell, string>): readonly string[] {
  return cell
    .flatMap(([entry = ""]) => (name.endsWith("_link") ? entry.split(/,\s*(?=https?:)/i) : [entry]))
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
}

/** Quotes around a whole cell do not make one sub-value of it: a group of several has never one alone. */
function groupsOf(parts: readonly string[], cell: Exclude<TsvCell, string>): readonly (readonly string[])[] {
  const [group = [], ...more] = cell;
  const [only = "", ...others] = group;
  const isQuotedWhole = more.length === 0 && others.length === 0 && parts.length > 1 && only.includes(":");
  return isQuotedWhole ? (splitCell(only, "groups") ?? cell) : cell;
}

function shown(cell: TsvCell = ""): string {
  return typeof cell === "string" ? cell : cell.map((values) => values.join(":")).join(",");
}
