/**
 * Finds the parts of a JSON document of any size: the elements of arrays that matter, and the members of the objects
 * around them. Only brackets and strings are looked at here; each part is given as text, and the caller parses it, which
 * is ten times as fast as a token parser and bounds each part by itself.
 */
import { FormatError } from "./format-error.ts";
import { type JsonExtent, jsonExtent } from "./json-extent.ts";

export type JsonPart = {
  readonly role: "element" | "key" | "member";
  /** Only its beginning when it has more characters than are kept. */
  readonly text: string;
  readonly chars: number;
  /** Where it begins, counted from 1. */
  readonly line: number;
};

export type JsonFault = "unexpected" | "scalar" | "too deep" | "early end";

export type JsonHandlers = {
  /** How many objects inside one another are searched for lists. */
  readonly searchDepth: number;
  readonly maxDepth: number;
  /** How many characters of one part are kept. */
  readonly maxPartChars: number;
  /** Whether the array under these keys is a list. An array that is the whole document always is. */
  readonly isList: (path: readonly string[]) => boolean;
  /** The outermost value begins. */
  readonly begin?: (isArray: boolean) => void;
  readonly list: (path: readonly string[]) => void;
  /** A part is longer than what is kept of it. */
  readonly tooLong?: (role: JsonPart["role"]) => void;
  readonly part: (part: JsonPart, path: readonly string[]) => void;
  /** What a key says. */
  readonly key: (part: JsonPart) => string;
  /** The document breaks the rules of JSON. Nothing is read after that. */
  readonly fault: (fault: JsonFault) => void;
};

/** What may come next, outside of parts. */
type State =
  | "value"
  | "first key"
  | "key"
  | "colon"
  | "after value"
  | "first element"
  | "element"
  | "after element"
  | "done"
  | "stopped";

type Inside = {
  readonly role: JsonPart["role"];
  readonly extent: JsonExtent;
  readonly line: number;
  readonly pieces: string[];
  chars: number;
  isKept: boolean;
};

const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const OPEN_BRACKET = 91;
const CLOSE_BRACKET = 93;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;
const SPACES = new Set([9, 10, 13, 32]);

const AFTER: Readonly<Record<JsonPart["role"], State>> = {
  key: "colon",
  member: "after value",
  element: "after element",
};

export class JsonScanner {
  private readonly handlers: JsonHandlers;
  private state: State = "value";
  private hasBegun = false;
  private readonly path: string[] = [];
  private openObjects = 0;
  private inside: Inside | null = null;
  private text = "";
  private at = 0;
  private lines = 1;
  private countedTo = 0;

  constructor(handlers: JsonHandlers) {
    this.handlers = handlers;
  }

  push(text: string): void {
    this.text = text;
    this.at = 0;
    this.countedTo = 0;
    while (this.at < text.length && this.state !== "stopped") {
      if (this.inside !== null) this.continuePart(this.inside);
      else this.token(text.charCodeAt(this.at));
    }
    this.countLines(text.length);
  }

  end(): void {
    // A number that is the whole document has no end mark of its own; a space is one.
    if (this.openObjects === 0 && this.inside?.role === "member") this.push(" ");
    if ((this.state !== "done" && this.state !== "stopped") || this.inside !== null) this.stop("early end");
  }

  /** Whether there was anything but white space. */
  get isEmpty(): boolean {
    return !this.hasBegun;
  }

  /** The line that is being read, counted from 1. */
  get line(): number {
    this.countLines(this.at);
    return this.lines;
  }

  /** What stands at the place where the document breaks. */
  rest(chars: number): string {
    return this.text.slice(this.at, this.at + chars);
  }

  private token(code: number): void {
    if (SPACES.has(code)) this.at += 1;
    else TOKENS[this.state](this, code);
  }

  step(state: State): void {
    this.at += 1;
    this.state = state;
  }

  value(code: number): void {
    if (!this.hasBegun) this.begin(code);
    if (this.state === "stopped") return;
    if (code === OPEN_BRACE && this.openObjects < this.handlers.searchDepth) {
      this.openObjects += 1;
      this.step("first key");
    } else if (code === OPEN_BRACKET && (this.path.length === 0 || this.handlers.isList(this.path))) {
      this.handlers.list(this.path);
      this.step("first element");
    } else {
      this.enter("member", code);
    }
  }

  private begin(code: number): void {
    this.hasBegun = true;
    if (code === OPEN_BRACE || code === OPEN_BRACKET) this.handlers.begin?.(code === OPEN_BRACKET);
    else if (this.handlers.begin !== undefined) this.stop("scalar");
  }

  closeObject(): void {
    this.openObjects -= 1;
    this.close();
  }

  close(): void {
    this.step(this.openObjects === 0 ? "done" : "after value");
  }

  enter(role: JsonPart["role"], code: number): void {
    if (role === "key" && code !== QUOTE) {
      this.stop("unexpected");
      return;
    }
    const extent = jsonExtent(code, this.handlers.maxDepth - this.openObjects);
    this.inside = { role, extent, line: this.line, pieces: [], chars: 0, isKept: true };
  }

  stop(fault: JsonFault): void {
    this.handlers.fault(fault);
    this.state = "stopped";
    this.inside = null;
  }

  private countLines(end: number): void {
    let next = this.text.indexOf("\n", this.countedTo);
    while (next !== -1 && next < end) {
      this.lines += 1;
      next = this.text.indexOf("\n", next + 1);
    }
    this.countedTo = Math.max(this.countedTo, end);
  }

  private continuePart(inside: Inside): void {
    const from = this.at;
    const end = this.pass(inside, from);
    if (end === undefined) return;
    this.at = end ?? this.text.length;
    this.keep(inside, from);
    if (end === null) return;
    this.inside = null;
    this.finish(inside);
  }

  /** Undefined when the value is nested too deep to go on. */
  private pass({ extent }: Inside, from: number): number | null | undefined {
    try {
      return extent.pass(this.text, from);
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      this.stop("too deep");
      return undefined;
    }
  }

  private keep(inside: Inside, from: number): void {
    inside.chars += this.at - from;
    if (!inside.isKept) return;
    inside.isKept = inside.chars <= this.handlers.maxPartChars;
    if (!inside.isKept) this.handlers.tooLong?.(inside.role);
    if (inside.isKept || inside.pieces.length === 0)
      inside.pieces.push(this.text.slice(from, Math.min(this.at, from + this.handlers.maxPartChars)));
  }

  private finish({ role, line, chars, pieces }: Inside): void {
    this.state = role === "member" && this.openObjects === 0 ? "done" : AFTER[role];
    const part = { role, line, chars, text: pieces.join("") };
    if (role !== "key") {
      this.handlers.part(part, this.path);
      return;
    }
    this.path.length = this.openObjects - 1;
    this.path.push(this.handlers.key(part));
  }
}

const TOKENS: Readonly<Record<State, (scanner: JsonScanner, code: number) => void>> = {
  value: (scanner, code) => scanner.value(code),
  "first key": (scanner, code) => (code === CLOSE_BRACE ? scanner.closeObject() : scanner.enter("key", code)),
  key: (scanner, code) => scanner.enter("key", code),
  colon: (scanner, code) => (code === COLON ? scanner.step("value") : scanner.stop("unexpected")),
  "after value": (scanner, code) => {
    if (code === COMMA) scanner.step("key");
    else if (code === CLOSE_BRACE) scanner.closeObject();
    else scanner.stop("unexpected");
  },
  "first element": (scanner, code) =>
    code === CLOSE_BRACKET ? scanner.close() : scanner.enter("element", code),
  element: (scanner, code) => scanner.enter("element", code),
  "after element": (scanner, code) => {
    if (code === COMMA) scanner.step("element");
    else if (code === CLOSE_BRACKET) scanner.close();
    else scanner.stop("unexpected");
  },
  done: (scanner) => scanner.stop("unexpected"),
  stopped: () => undefined,
};
