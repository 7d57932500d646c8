/**
 * `acp.csv`, and the same rows with tabs: a header row, then a row a record. A row that cannot be split into columns is
 * reported and not checked further, since every finding about its values might be about the wrong column.
 */
import { hasControls } from "../../kit/validate/checks/text.ts";
import type { Findings } from "../../kit/validate/findings.ts";
import type { FeedReader } from "../../kit/validate/validator.ts";
import { type RecordEvent, RecordReader } from "../../kit/validate/records.ts";
import { type CsvRecord, scanCsv } from "../../kit/validate/scan-csv.ts";
import { ALIASES, ColumnNames, OPENAI_FIELDS, REQUIRED } from "./names.ts";
import { sayMisencoded } from "./encoding.ts";
import { OpenaiFeed } from "./feed.ts";
import { givenIn, OpenaiRow, slotsFor, unwrapCell } from "./row.ts";
import type { OpenaiRule } from "./rules.ts";

type Header = {
  readonly names: readonly string[];
  readonly places: ReadonlyMap<string, number>;
  readonly slots: ReturnType<typeof slotsFor>;
  readonly absent: ReadonlySet<string>;
};

export class OpenaiCsvReader implements FeedReader {
  private readonly findings: Findings<OpenaiRule>;
  private readonly feed: OpenaiFeed;
  private readonly records = new RecordReader((text) => this.scan(text));
  private delimiter: string | null = null;
  private header: Header | "none" | null = null;

  constructor(findings: Findings<OpenaiRule>) {
    this.findings = findings;
    this.feed = new OpenaiFeed(findings);
  }

  push(text: string): void {
    for (const event of this.records.push(text)) this.take(event);
  }

  end(bytes: number): void {
    for (const event of this.records.end()) this.take(event);
    this.feed.end(bytes);
  }

  misencoded(what: "mark" | "bytes" | "utf-16", line: number): void {
    sayMisencoded(this.findings, what, line);
  }

  rows(): number {
    return this.feed.rows;
  }

  /** The header decides: a tab in it means that tabs separate the cells. */
  private scan(text: string): CsvRecord | null {
    this.delimiter ??= text.includes("\t") ? "\t" : ",";
    return scanCsv(text, this.delimiter);
  }

  private take(event: RecordEvent<CsvRecord>): void {
    this.findings.at(event.line, null);
    if (event.kind === "record") {
      this.record(event.line, event.cells);
      return;
    }
    this.feed.pass();
    const value = event.text;
    if (event.kind === "too long") this.findings.say("FILE-LONG", { value });
    else this.findings.say("FILE-QUOTE", { value, detail: "The quote opened on this line is never closed." });
  }

  private record(line: number, { cells, strayIn }: CsvRecord): void {
    if (this.header === null) {
      this.header = this.readHeader(cells);
      return;
    }
    if (this.header === "none") {
      this.feed.pass();
      return;
    }
    const { names, places, slots, absent } = this.header;
    for (const { column, isInside } of strayIn)
      this.findings.say("FILE-QUOTE", { field: names[column], value: cells[column], isMild: isInside });
    if (cells.length !== names.length) {
      const detail = `The row has ${cells.length} cells, the header ${names.length}.`;
      this.findings.say("FILE-CELLS", { value: cells[0], detail });
      this.feed.pass();
      return;
    }
    const row = new OpenaiRow(line, absent);
    const raw = (name: string) => cells[places.get(name) ?? -1];
    for (const { field, raw: cell } of givenIn(raw, this.findings, slots))
      unwrapCell(String(cell), field, { row, findings: this.findings });
    this.findings.at(line, row.text("item_id") ?? null);
    this.checkControls(cells, names);
    this.feed.add(row);
  }

  private checkControls(cells: readonly string[], names: readonly string[]): void {
    for (const [column, value] of cells.entries())
      if (value !== "" && hasControls(value))
        this.findings.say("FILE-CTRL", { field: names[column], value, isMild: !value.includes("\0") });
  }

  private readHeader(names: readonly string[]): Header | "none" {
    const isKnown = (name: string) => names.includes(name) || ALIASES[name]?.some((n) => names.includes(n));
    if (!REQUIRED.some(({ name }) => isKnown(name))) {
      const detail = "The first row is no header: it has none of the required columns.";
      this.findings.say("FILE-HDR", { value: names.join(", "), detail });
      return "none";
    }
    const places = this.placesOf(names);
    const absent = new Set([...OPENAI_FIELDS.keys()].filter((name) => isKnown(name) !== true));
    for (const { name } of REQUIRED)
      if (absent.has(name))
        this.findings.say("FILE-HDR", { field: name, detail: `The required column \`${name}\` is missing.` });
    return { names, places, slots: slotsFor(new Set(names)), absent };
  }

  private placesOf(names: readonly string[]): ReadonlyMap<string, number> {
    const known = new ColumnNames(this.findings);
    const places = new Map<string, number>();
    for (const [place, name] of names.entries()) {
      if (name === "") this.findings.say("FILE-HDR", { detail: `Column ${place + 1} has no name.` });
      else if (places.has(name))
        this.findings.say("FILE-HDR", { field: name, detail: `Two columns are called \`${name}\`.` });
      else {
        places.set(name, place);
        known.meet(name);
      }
    }
    return places;
  }
}
