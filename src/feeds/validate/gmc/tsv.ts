/**
 * `gmc.tsv`: a header that says how each column is read, then an item a record. A row whose cells cannot be told
 * apart is told and left alone.
 */
import { hasControls } from "../checks/text.ts";
import type { Findings } from "../findings.ts";
import type { FeedReader } from "../reader.ts";
import { type RecordEvent, RecordReader } from "../records.ts";
import { GmcFeed } from "./feed.ts";
import { type Column, type Header, readHeader } from "./header.ts";
import { GmcRow, type Group } from "./row.ts";
import type { GmcRule } from "./rules.ts";
import { scanTsv, type TsvCell, type TsvRecord } from "./scan-tsv.ts";

const SAID = {
  mark: "The file begins with a byte order mark.",
  bytes: "From this line on there are bytes that are not UTF-8.",
  "utf-16": "The file is UTF-16.",
} as const;

export class GmcTsv implements FeedReader {
  private readonly findings: Findings<GmcRule>;
  private readonly feed: GmcFeed;
  private readonly records = new RecordReader((text) => scanTsv(text, this.kinds()));
  private header: Header | "none" | null = null;

  constructor(findings: Findings<GmcRule>, now: Date) {
    this.findings = findings;
    this.feed = new GmcFeed(findings, now);
  }

  /** A line at a time at first: the header must be understood before the first item is taken apart. */
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
    if (this.header === null)
      this.header =
        readHeader(
          record.cells.map((cell) => shown(cell)),
          this.findings,
        ) ?? "none";
    else if (this.header === "none") this.feed.pass();
    else this.item(line, record, this.header);
  }

  private item(line: number, { cells, strayIn }: TsvRecord, { columns, absent, idPlace }: Header): void {
    const isWell = cells.length === columns.length;
    const id = cells[idPlace];
    this.findings.at(line, isWell && typeof id === "string" ? id || null : null);
    for (const place of strayIn)
      this.findings.say("tsv.quote.stray", { field: columns[place]?.name, value: shown(cells[place]) });
    if (!isWell) {
      const detail = `The row has ${cells.length} cells, the header ${columns.length}.`;
      this.findings.say("gmc.file.cells", { value: shown(cells[0]), detail });
      this.feed.pass();
      return;
    }
    const row = new GmcRow(line, absent);
    for (const [place, column] of columns.entries()) this.put(row, column, cells[place] ?? "");
    this.checkCharacters(cells, columns);
    this.feed.add(row);
  }

  private put(row: GmcRow, { name, kind, parts }: Column, cell: TsvCell): void {
    if (typeof cell === "string") {
      if (cell.trim() !== "" && !row.texts.has(name)) row.texts.set(name, cell);
    } else if (kind === "list") {
      const entries = cell.map(([entry = ""]) => entry.trim()).filter((entry) => entry !== "");
      row.lists.set(name, [...row.list(name), ...entries]);
    } else {
      row.groupLists.set(name, [
        ...row.groups(name),
        ...cell.map((values) => this.group(name, parts, values)),
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

function shown(cell: TsvCell = ""): string {
  return typeof cell === "string" ? cell : cell.map((values) => values.join(":")).join(",");
}
