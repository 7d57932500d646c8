/**
 * Reads `acp.json`: our document, a bare array, JSON Lines, or one row. The first line shows which: a whole object on
 * one line, other than a document, begins a file with one row per line.
 */
import { isJsonObject } from "../../../lib/json-object.ts";
import { type JsonEvent, JsonRecords, shown } from "../../kit/validate/json-records.ts";
import { MAX_ELEMENT_CHARS, MAX_NAMES } from "../../kit/validate/limits.ts";
import { type RecordLine, lineReader, type RecordReader } from "../../kit/validate/records.ts";
import { CheckedRow } from "../../kit/validate/row.ts";
import type { FeedReader } from "../../kit/validate/validator.ts";
import { OpenaiFeed } from "./feed.ts";
import { ColumnNameCheck, OLD_NAMES, OPENAI_FIELDS } from "./names.ts";
import { ALL_FIELDS, fillRow } from "./read-row.ts";
import type { OpenaiFindings } from "./rules.ts";
import { ownValue } from "../../../lib/own-value.ts";

/** The property with the rows of a document. */
const LIST = "products";
/** A document may be one long line; this length is enough to recognize it. */
const FIRST_LINE_CHARS = 1024 * 1024;

export class OpenaiJsonReader implements FeedReader {
  private readonly findings: OpenaiFindings;
  private readonly feed: OpenaiFeed;
  private readonly names: ColumnNameCheck;
  private head: string | null = "";
  private reading: RecordReader | null = null;
  private hasList = false;
  private firstLine = 1;
  private readonly members = new Map<string, unknown>();
  private isBroken = false;

  constructor(findings: OpenaiFindings, now: Date) {
    this.findings = findings;
    this.feed = new OpenaiFeed(findings, now);
    this.names = new ColumnNameCheck(findings);
  }

  push(text: string): void {
    if (this.head === null) {
      this.reading?.push(text);
      return;
    }
    this.head += text;
    // Two searches are used, because one pattern for both would scan the rest of the text again for every character.
    const start = this.head.search(/\S/);
    const hasLine = start !== -1 && this.head.includes("\n", start);
    if (hasLine || this.head.length > FIRST_LINE_CHARS) this.begin(this.head);
  }

  end(bytes: number): void {
    if (this.head !== null) this.begin(this.head);
    this.reading?.end();
    this.feed.end(bytes);
  }

  rows(): number {
    return this.feed.rows;
  }

  private begin(head: string): void {
    this.head = null;
    this.reading = isJsonLines(head)
      ? lineReader(MAX_ELEMENT_CHARS, (line) => this.line(line))
      : this.document();
    this.reading.push(head);
  }

  private line({ number, text, isCut }: RecordLine): void {
    this.findings.at(number, null);
    const value = isCut ? undefined : parse(text);
    if (value !== undefined) this.row(value, number);
    else if (text.trim() !== "") {
      this.feed.skip();
      if (isCut) this.findings.add("FILE-LONG", { value: text });
      else this.findings.add("FILE-JSON", { value: text, detail: "The line is not a JSON object." });
    }
  }

  private document(): RecordReader {
    const records = new JsonRecords(
      (key) => key === LIST,
      (event) => this.event(event),
    );
    return {
      push: (text) => records.push(text),
      end: () => {
        records.end();
        if (this.hasList || this.isBroken) return;
        if (this.members.size > 0) {
          this.row(Object.fromEntries(this.members), this.firstLine);
          return;
        }
        this.findings.at(null, null);
        this.findings.add("FILE-SHAPE", { detail: `The document has no array called \`${LIST}\`.` });
      },
    };
  }

  private event(event: JsonEvent): void {
    this.findings.at(event.line, null);
    if (event.kind === "element") this.row(event.value, event.line);
    else if (event.kind === "list") this.hasList = true;
    else if (event.kind === "begin") {
      this.hasList = event.isArray;
      this.firstLine = event.line;
    } else if (event.kind === "member") this.member(event.key, event.value);
    else if (event.kind === "broken") {
      this.isBroken = true;
      this.feed.skip();
      this.findings.add("FILE-JSON", { detail: `The JSON ${event.description}.` });
    }
  }

  /** A document that is one row, written over several lines, has the row's members. */
  private member(key: string, value: unknown): void {
    const isRow = this.members.size > 0 || isRowName(key);
    if (isRow && this.members.size < MAX_NAMES) this.members.set(key, value);
  }

  private row(value: unknown, line: number): void {
    if (!isJsonObject(value) || Array.isArray(value["variants"])) {
      const detail = isJsonObject(value)
        ? "The product contains its variants, as in the protocol's feed API; an upload has a flat row for each of them."
        : "The row is not an object.";
      this.findings.add("FILE-SHAPE", { value: shown(value), detail });
      this.feed.skip();
      return;
    }
    const { findings } = this;
    const row = new CheckedRow(line);
    const values = (name: string) => ownValue(value, name);
    findings.at(line, idOf(values));
    for (const name of Object.keys(value)) this.names.check(name);
    fillRow(row, { values, fields: ALL_FIELDS, findings, isJson: true });
    this.feed.add(row);
  }
}

function idOf(values: (name: string) => unknown): string | null {
  const id = values("item_id") ?? values("id") ?? values("sku");
  return typeof id === "string" || typeof id === "number" ? String(id) : null;
}

/** A document and a row are both objects; their content decides, or in a very long line how it begins. */
function isJsonLines(head: string): boolean {
  const text = head.trimStart();
  const end = text.indexOf("\n");
  const line = (end === -1 ? text : text.slice(0, end)).trimEnd();
  if (!line.startsWith("{")) return false;
  if (!line.endsWith("}")) return end === -1 && isRowBeginning(line);
  const value = parse(line);
  return !isJsonObject(value) || (!Array.isArray(value[LIST]) && Object.keys(value).some(isRowName));
}

function isRowBeginning(text: string): boolean {
  const [, name = ""] = /^\{\s*"([^"\\]{1,60})"\s*:/.exec(text) ?? [];
  return isRowName(name) && !/"products"\s{0,9}:\s{0,9}\[/.test(text);
}

function isRowName(name: string): boolean {
  return OPENAI_FIELDS.has(name) || OLD_NAMES.has(name);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
