/**
 * Finds the parts of a JSON document of any size: the elements of arrays that matter, and the members of the objects
 * around them. Only brackets and strings are recognized here; each part is passed on as text, and the caller parses it,
 * which is ten times as fast as a token parser and bounds each part by itself.
 */
import { countBreaks } from "../line-breaks.ts";
import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
} from "../char-codes.ts";

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
  readonly begin?: (isArray: boolean) => void;
  readonly list: (path: readonly string[]) => void;
  /** A part is longer than what is kept of it. */
  readonly tooLong?: (role: JsonPart["role"]) => void;
  readonly part: (part: JsonPart, path: readonly string[]) => void;
  /** Returns the text of a key. */
  readonly key: (part: JsonPart) => string;
  /** The document is not valid JSON. Nothing is read after that. */
  readonly fault: (fault: JsonFault) => void;
};

type ScannerState =
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

/** A part that is being read, across any number of chunks. */
type OpenPart = {
  readonly role: JsonPart["role"];
  readonly line: number;
  /** A number or a word, which ends before whatever cannot be part of it. */
  readonly isScalar: boolean;
  readonly pieces: string[];
  chars: number;
  depth: number;
  isInString: boolean;
  /** The last chunk ended within a string, after a backslash that escapes the next character. */
  isEscaped: boolean;
};

const SPACES = new Set([9, 10, 13, 32]);

const AFTER: Readonly<Record<JsonPart["role"], ScannerState>> = {
  key: "colon",
  member: "after value",
  element: "after element",
};

export class JsonScanner {
  private readonly handlers: JsonHandlers;
  private state: ScannerState = "value";
  private hasBegun = false;
  private readonly path: string[] = [];
  private openObjects = 0;
  private open: OpenPart | null = null;
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
      if (this.open !== null) this.continuePart(this.open);
      else this.token(text.charCodeAt(this.at));
    }
    this.countLines(text.length);
  }

  end(): void {
    // A number that is the whole document has no end mark of its own; a space is one.
    if (this.openObjects === 0 && this.open?.role === "member") this.push(" ");
    if ((this.state !== "done" && this.state !== "stopped") || this.open !== null) this.stop("early end");
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

  /** The text where the document stops being valid. */
  rest(chars: number): string {
    return this.text.slice(this.at, this.at + chars);
  }

  private token(code: number): void {
    if (SPACES.has(code)) this.at += 1;
    else TOKENS[this.state](this, code);
  }

  step(state: ScannerState): void {
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
    if (role === "key" && code !== QUOTE) return this.stop("unexpected");
    const isScalar = code !== QUOTE && code !== OPEN_BRACE && code !== OPEN_BRACKET;
    const start = { pieces: [], chars: 0, depth: 0, isInString: false, isEscaped: false };
    this.open = { role, line: this.line, isScalar, ...start };
    return undefined;
  }

  stop(fault: JsonFault): void {
    this.handlers.fault(fault);
    this.state = "stopped";
    this.open = null;
  }

  private countLines(end: number): void {
    this.lines += countBreaks(this.text, this.countedTo, end);
    this.countedTo = Math.max(this.countedTo, end);
  }

  private continuePart(part: OpenPart): void {
    const from = this.at;
    const end = part.isScalar ? scalarEnd(this.text, from) : this.nestedEnd(part);
    if (this.state === "stopped") return;
    this.at = end ?? this.text.length;
    this.keep(part, from);
    if (end === null) return;
    this.open = null;
    this.finish(part);
  }

  /** The index after the last character of the value, or null when the chunk ends before it. */
  private nestedEnd(part: OpenPart): number | null {
    let at: number | null = this.at;
    while (at !== null && at < this.text.length) {
      at = part.isInString ? passString(part, this.text, at) : this.passStructure(part, at);
      if (at !== null && part.depth === 0 && !part.isInString) return at;
    }
    return null;
  }

  /** To the next quote, or to the bracket that closes the value. */
  private passStructure(part: OpenPart, from: number): number | null {
    const { text } = this;
    const maxDepth = this.handlers.maxDepth - this.openObjects;
    for (let i = from; i < text.length; i += 1) {
      const code = text.charCodeAt(i);
      if (code === QUOTE) {
        part.isInString = true;
        return i + 1;
      }
      if (code === OPEN_BRACE || code === OPEN_BRACKET) part.depth += 1;
      else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) part.depth -= 1;
      else continue;
      if (part.depth === 0) return i + 1;
      if (part.depth > maxDepth) {
        this.stop("too deep");
        return null;
      }
    }
    return null;
  }

  private keep(part: OpenPart, from: number): void {
    const { maxPartChars } = this.handlers;
    const wasKept = part.chars <= maxPartChars;
    part.chars += this.at - from;
    const isKept = part.chars <= maxPartChars;
    if (wasKept && !isKept) this.handlers.tooLong?.(part.role);
    if (isKept || part.pieces.length === 0)
      part.pieces.push(this.text.slice(from, Math.min(this.at, from + maxPartChars)));
  }

  private finish({ role, line, chars, pieces }: OpenPart): void {
    this.state = role === "member" && this.openObjects === 0 ? "done" : AFTER[role];
    const part = { role, line, chars, text: pieces.join("") };
    if (role !== "key") return this.handlers.part(part, this.path);
    this.path.length = this.openObjects - 1;
    this.path.push(this.handlers.key(part));
    return undefined;
  }
}

const TOKENS: Readonly<Record<ScannerState, (scanner: JsonScanner, code: number) => void>> = {
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

function scalarEnd(text: string, from: number): number | null {
  for (let i = from; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code <= 32 || code === COMMA || code === CLOSE_BRACKET || code === CLOSE_BRACE) return i;
  }
  return null;
}

/** To the quote that closes the string. A quote after an odd number of backslashes is part of it. */
function passString(part: OpenPart, text: string, from: number): number | null {
  const isEscapedAt = (index: number): boolean => {
    let start = index;
    while (start > from && text.charCodeAt(start - 1) === BACKSLASH) start -= 1;
    const isOdd = (index - start) % 2 === 1;
    return start === from && part.isEscaped ? !isOdd : isOdd;
  };
  for (let quote = text.indexOf('"', from); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    if (isEscapedAt(quote)) continue;
    part.isInString = false;
    part.isEscaped = false;
    return quote + 1;
  }
  part.isEscaped = isEscapedAt(text.length);
  return null;
}
