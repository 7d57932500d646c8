/**
 * A JSON document of any size as events, each with its line: the members of the outermost object, and the elements of
 * the one array that matters, which is the document itself or a member that `isList` picks. An element that breaks the
 * rules is reported and skipped; where the structure around the elements breaks, it is not known where the next one
 * begins, and reading stops.
 */
import { type JsonFault, type JsonPart, JsonScanner } from "../../../lib/formats/json-scanner.ts";
import { MAX_DEPTH, MAX_ELEMENT_CHARS } from "./limits.ts";

export type JsonEvent =
  /** The outermost value begins. */
  | { readonly kind: "begin"; readonly line: number; readonly isArray: boolean }
  | { readonly kind: "member"; readonly line: number; readonly key: string; readonly value: unknown }
  /** A member is the array whose elements follow. */
  | { readonly kind: "list"; readonly line: number; readonly key: string }
  | { readonly kind: "element"; readonly line: number; readonly value: unknown; readonly text: string }
  /** `description` is the end of a sentence about the JSON. */
  | { readonly kind: "broken"; readonly line: number; readonly description: string };

export class JsonRecords {
  private readonly scanner: JsonScanner;
  private key = "";
  private readonly onEvent: (event: JsonEvent) => void;

  constructor(isList: (key: string) => boolean, onEvent: (event: JsonEvent) => void) {
    this.onEvent = onEvent;
    this.scanner = new JsonScanner({
      searchDepth: 1,
      maxDepth: MAX_DEPTH,
      maxPartChars: MAX_ELEMENT_CHARS,
      isList: ([key = ""]) => isList(key),
      begin: (isArray) => this.onEvent({ kind: "begin", line: this.scanner.line, isArray }),
      list: ([key]) => {
        if (key !== undefined) this.onEvent({ kind: "list", line: this.scanner.line, key });
      },
      part: (part) => this.take(part),
      key: (part) => {
        const value = this.parse(part);
        if (value !== undefined) this.key = shown(value);
        return this.key;
      },
      fault: (fault) =>
        this.onEvent({ kind: "broken", line: this.scanner.line, description: this.sentence(fault) }),
    });
  }

  push(text: string): void {
    this.scanner.push(text);
  }

  end(): void {
    if (!this.scanner.isEmpty) this.scanner.end();
  }

  private take(part: JsonPart): void {
    const value = this.parse(part);
    if (value === undefined) return;
    const { role, line, text } = part;
    if (role === "member") this.onEvent({ kind: "member", line, key: this.key, value });
    else this.onEvent({ kind: "element", line, value, text });
  }

  /** Undefined, which JSON does not have, for what is not JSON; that is reported. */
  private parse({ text, chars, line }: JsonPart): unknown {
    if (chars > MAX_ELEMENT_CHARS) {
      this.onEvent({ kind: "broken", line, description: `has a part of ${chars} characters` });
      return undefined;
    }
    try {
      return JSON.parse(text) as unknown;
    } catch {
      this.onEvent({ kind: "broken", line, description: `breaks its rules in ${cut(text)}` });
      return undefined;
    }
  }

  private sentence(fault: JsonFault): string {
    if (fault === "scalar") return "is neither an object nor an array";
    if (fault === "too deep") return `nests deeper than ${MAX_DEPTH} levels`;
    if (fault === "early end") return "ends in the middle";
    return `breaks its rules at ${JSON.stringify(this.scanner.rest(1))}`;
  }
}

function cut(text: string): string {
  return text.length <= 60 ? text : `${text.slice(0, 59)}…`;
}

/** How a value of the wrong type is shown. */
export function shown(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}
