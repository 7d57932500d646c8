/**
 * A JSON document of any size to its parts, each with its line: the members of the outermost object, and the elements
 * of the one array that matters, which is the document itself or a member `isList` picks. Only brackets and strings
 * are looked at here; each part is then parsed alone. An element that breaks the rules is told and passed over;
 * where the structure around the elements breaks, there is no telling where the next one begins, and reading stops.
 */
import { FormatError } from "../../../lib/formats/format-error.ts";
import { type JsonExtent, jsonExtent } from "../../../lib/formats/json-extent.ts";
import { shown } from "./checks/json.ts";
import { MOST_ELEMENT_CHARS, MOST_DEPTH } from "./limits.ts";

export type JsonEvent =
  /** The outermost value has been met. */
  | { readonly kind: "begin"; readonly line: number; readonly isArray: boolean }
  | { readonly kind: "member"; readonly line: number; readonly key: string; readonly value: unknown }
  /** A member is the array whose elements follow. */
  | { readonly kind: "list"; readonly line: number; readonly key: string }
  | { readonly kind: "element"; readonly line: number; readonly value: unknown; readonly text: string }
  /** `says` is the end of a sentence about the JSON. */
  | { readonly kind: "broken"; readonly line: number; readonly says: string };

type State =
  | "root"
  | "first key"
  | "key"
  | "colon"
  | "value"
  | "after value"
  | "first element"
  | "element"
  | "after element"
  | "done"
  | "lost";

type Inside = {
  readonly role: "key" | "member" | "element";
  readonly extent: JsonExtent;
  readonly line: number;
  readonly pieces: string[];
  chars: number;
};

const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const OPEN_BRACKET = 91;
const CLOSE_BRACKET = 93;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;
const SPACES = new Set([9, 10, 13, 32]);

export class JsonRecords {
  private readonly isList: (key: string) => boolean;
  private state: State = "root";
  private inObject = false;
  private key = "";
  private inside: Inside | null = null;
  private text = "";
  private at = 0;
  private line = 1;
  private counted = 0;
  private found: JsonEvent[] = [];

  constructor(isList: (key: string) => boolean) {
    this.isList = isList;
  }

  push(text: string): readonly JsonEvent[] {
    this.text = text;
    this.at = 0;
    this.counted = 0;
    while (this.at < text.length && this.state !== "lost") {
      if (this.inside !== null) this.runThrough(this.inside);
      else this.token(text.charCodeAt(this.at));
    }
    this.countTo(text.length);
    return this.taken();
  }

  end(): readonly JsonEvent[] {
    const isWhole = this.state === "done" || this.state === "root" || this.state === "lost";
    if (!isWhole || this.inside !== null) this.lose("ends in the middle");
    return this.taken();
  }

  private taken(): readonly JsonEvent[] {
    const { found } = this;
    this.found = [];
    return found;
  }

  private token(code: number): void {
    if (SPACES.has(code)) this.at += 1;
    else TOKENS[this.state](this, code);
  }

  step(state: State): void {
    this.at += 1;
    this.state = state;
  }

  /** The first character that is no space. */
  begin(code: number): void {
    if (code !== OPEN_BRACE && code !== OPEN_BRACKET) {
      this.lose("is neither an object nor an array");
      return;
    }
    this.inObject = code === OPEN_BRACE;
    this.found.push({ kind: "begin", line: this.here(), isArray: !this.inObject });
    this.step(this.inObject ? "first key" : "first element");
  }

  /** The value of a member of the outermost object. */
  value(code: number): void {
    if (code !== OPEN_BRACKET || !this.isList(this.key)) {
      this.enter("member", code);
      return;
    }
    this.found.push({ kind: "list", line: this.here(), key: this.key });
    this.step("first element");
  }

  enter(role: Inside["role"], code: number): void {
    if (role === "key" && code !== QUOTE) {
      this.unexpected();
      return;
    }
    const extent = jsonExtent(code, MOST_DEPTH);
    this.inside = { role, extent, line: this.here(), pieces: [], chars: 0 };
  }

  closeList(): void {
    this.step(this.inObject ? "after value" : "done");
  }

  unexpected(): void {
    this.lose(`breaks its rules at ${JSON.stringify(this.text.charAt(this.at))}`);
  }

  private lose(says: string): void {
    this.found.push({ kind: "broken", line: this.here(), says });
    this.state = "lost";
    this.inside = null;
  }

  private here(): number {
    this.countTo(this.at);
    return this.line;
  }

  private countTo(index: number): void {
    let next = this.text.indexOf("\n", this.counted);
    while (next !== -1 && next < index) {
      this.line += 1;
      next = this.text.indexOf("\n", next + 1);
    }
    this.counted = Math.max(this.counted, index);
  }

  private runThrough(inside: Inside): void {
    const from = this.at;
    const end = this.pass(inside, from);
    if (end === undefined) return;
    this.at = end ?? this.text.length;
    inside.chars += this.at - from;
    if (inside.chars <= MOST_ELEMENT_CHARS) inside.pieces.push(this.text.slice(from, this.at));
    if (end === null) return;
    this.inside = null;
    this.finish(inside);
  }

  /** Undefined when the value nests too deep to go on. */
  private pass({ extent }: Inside, from: number): number | null | undefined {
    try {
      return extent.pass(this.text, from);
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      this.lose(`nests deeper than ${MOST_DEPTH} levels`);
      return undefined;
    }
  }

  private finish(inside: Inside): void {
    const { role, line, chars } = inside;
    this.state = AFTER[role];
    if (chars > MOST_ELEMENT_CHARS) {
      this.found.push({ kind: "broken", line, says: `has a part of ${chars} characters` });
      return;
    }
    const text = inside.pieces.join("");
    const value = parse(text);
    if (value === undefined)
      this.found.push({ kind: "broken", line, says: `breaks its rules in ${cut(text)}` });
    else if (role === "key") this.key = shown(value);
    else if (role === "member") this.found.push({ kind: "member", line, key: this.key, value });
    else this.found.push({ kind: "element", line, value, text });
  }
}

const AFTER: Readonly<Record<Inside["role"], State>> = {
  key: "colon",
  member: "after value",
  element: "after element",
};

/** JSON has no undefined, so it can stand for a text that is no JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function cut(text: string): string {
  return text.length <= 60 ? text : `${text.slice(0, 59)}…`;
}

const TOKENS: Readonly<Record<State, (records: JsonRecords, code: number) => void>> = {
  root: (records, code) => records.begin(code),
  "first key": (records, code) => (code === CLOSE_BRACE ? records.step("done") : records.enter("key", code)),
  key: (records, code) => records.enter("key", code),
  colon: (records, code) => (code === COLON ? records.step("value") : records.unexpected()),
  value: (records, code) => records.value(code),
  "after value": (records, code) => {
    if (code === COMMA) records.step("key");
    else if (code === CLOSE_BRACE) records.step("done");
    else records.unexpected();
  },
  "first element": (records, code) =>
    code === CLOSE_BRACKET ? records.closeList() : records.enter("element", code),
  element: (records, code) => records.enter("element", code),
  "after element": (records, code) => {
    if (code === COMMA) records.step("element");
    else if (code === CLOSE_BRACKET) records.closeList();
    else records.unexpected();
  },
  done: (records) => records.unexpected(),
  lost: () => undefined,
};
