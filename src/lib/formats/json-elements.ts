/**
 * A JSON document of any size to the elements of the one array that matters: the document itself, or an array near
 * its top. Only brackets and strings are looked at here; each element is then handed to JSON.parse, which is ten
 * times as fast as a token parser and gives every element its own cap. What lies around the array is checked for
 * its structure and skipped. A document that breaks the rules anywhere throws: a stray quote can swallow
 * neighbors, so there is no safe way to go on.
 */
import { FormatError } from "./format-error.ts";
import { type JsonExtent, jsonExtent } from "./json-extent.ts";
import type { TextReader } from "./text-reader.ts";

export type JsonElement = { readonly value: unknown; readonly text: string };

export type JsonOptions = {
  /** Whether the array under these keys is the one to read. An array that is the whole document always is. */
  readonly isList: (path: readonly string[]) => boolean;
  readonly maxElementChars: number;
  readonly maxDepth: number;
};

export type JsonElementReader = TextReader<JsonElement> & {
  /** The keys that lead to the array, once it was met. */
  readonly listPath: () => readonly string[] | null;
  /** The first array of objects that was passed over, for a second look under another name. */
  readonly passedOver: () => readonly string[] | null;
};

/** Arrays are looked for inside this many objects; deeper ones belong to something else. */
const SEARCH_DEPTH = 4;

/** How much of a value too long to keep is looked at, to tell what it is. */
const PEEK_CHARS = 100;

export function jsonElements(options: JsonOptions): JsonElementReader {
  const scanner = new Scanner(options);
  return {
    push: (text) => scanner.push(text),
    end: () => scanner.end(),
    listPath: () => scanner.listPath,
    passedOver: () => scanner.passedOver,
  };
}

/** What may come next, outside of values that are run through. */
type State =
  | "value"
  | "first key"
  | "key"
  | "colon"
  | "after value"
  | "first element"
  | "element"
  | "after element"
  | "nothing";

/** A value that is being run through, and what is to happen with its text. */
type Inside = {
  readonly role: "element" | "key" | "skipped";
  readonly extent: JsonExtent;
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

class Scanner {
  listPath: readonly string[] | null = null;
  passedOver: readonly string[] | null = null;
  private readonly options: JsonOptions;
  private state: State = "value";
  private text = "";
  private at = 0;
  private readonly path: string[] = [];
  private openObjects = 0;
  private inside: Inside | null = null;
  private found: JsonElement[] = [];
  private count = 0;

  constructor(options: JsonOptions) {
    this.options = options;
  }

  push(text: string): readonly JsonElement[] {
    this.text = text;
    this.at = 0;
    this.found = [];
    while (this.at < text.length) {
      if (this.inside !== null) this.runThrough(this.inside);
      else this.token(text.charCodeAt(this.at));
    }
    return this.found;
  }

  end(): readonly JsonElement[] {
    this.found = [];
    // A number that is the whole document has no end mark of its own; a space is one.
    if (this.openObjects === 0 && this.listPath === null) this.push(" ");
    if (this.state === "nothing" && this.inside === null) return this.found;
    throw new FormatError("truncated", `The JSON ends early, or lacks a quote, after element ${this.count}.`);
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
    if (code === OPEN_BRACE && this.openObjects < SEARCH_DEPTH && this.listPath === null) {
      this.openObjects += 1;
      this.step("first key");
    } else if (code === OPEN_BRACKET && this.isList()) {
      this.listPath = [...this.path];
      this.step("first element");
    } else {
      this.begin("skipped", code);
    }
  }

  private isList(): boolean {
    if (this.listPath !== null) return false;
    return this.path.length === 0 || this.options.isList(this.path);
  }

  closeObject(): void {
    this.openObjects -= 1;
    this.close();
  }

  close(): void {
    this.step(this.openObjects === 0 ? "nothing" : "after value");
  }

  begin(role: Inside["role"], code: number): void {
    if (role === "key" && code !== QUOTE) this.fail();
    const extent = jsonExtent(code, this.options.maxDepth - this.openObjects);
    this.inside = { role, extent, pieces: [], chars: 0 };
  }

  fail(): never {
    const shown = JSON.stringify(this.text.slice(this.at, this.at + 20));
    throw new FormatError(
      "malformed",
      `The JSON breaks its rules after element ${this.count}: unexpected ${shown}.`,
    );
  }

  private runThrough(inside: Inside): void {
    const from = this.at;
    const end = inside.extent.pass(this.text, from);
    this.at = end ?? this.text.length;
    this.keep(inside, from);
    if (end === null) return;
    this.inside = null;
    this.finish(inside, inside.pieces.join(""));
  }

  private keep(inside: Inside, from: number): void {
    inside.chars += this.at - from;
    if (inside.chars <= this.options.maxElementChars) {
      inside.pieces.push(this.text.slice(from, this.at));
    } else if (inside.role === "skipped") {
      if (inside.pieces.length === 0) inside.pieces.push(this.text.slice(from, from + PEEK_CHARS));
    } else {
      const message = `JSON element ${this.count + 1} has more than ${this.options.maxElementChars} characters.`;
      throw new FormatError("too_large", message);
    }
  }

  private finish(inside: Inside, text: string): void {
    if (inside.role === "element") {
      this.count += 1;
      this.found.push({ value: this.parse(text), text });
      this.state = "after element";
    } else if (inside.role === "key") {
      this.path.length = this.openObjects - 1;
      this.path.push(String(this.parse(text)));
      this.state = "colon";
    } else {
      // What is too long to keep was passed over unseen, except for how it begins.
      if (inside.chars <= this.options.maxElementChars) this.parse(text);
      if (this.listPath === null && /^\[\s*\{/.test(text)) this.passedOver ??= [...this.path];
      this.state = this.openObjects === 0 ? "nothing" : "after value";
    }
  }

  private parse(text: string): unknown {
    try {
      return JSON.parse(text) as unknown;
    } catch (cause) {
      throw new FormatError("malformed", `The JSON breaks its rules in or after element ${this.count}.`, {
        cause,
      });
    }
  }
}

const TOKENS: Readonly<Record<State, (scanner: Scanner, code: number) => void>> = {
  value: (scanner, code) => scanner.value(code),
  "first key": (scanner, code) => (code === CLOSE_BRACE ? scanner.closeObject() : scanner.begin("key", code)),
  key: (scanner, code) => scanner.begin("key", code),
  colon: (scanner, code) => (code === COLON ? scanner.step("value") : scanner.fail()),
  "after value": (scanner, code) => {
    if (code === COMMA) scanner.step("key");
    else if (code === CLOSE_BRACE) scanner.closeObject();
    else scanner.fail();
  },
  "first element": (scanner, code) =>
    code === CLOSE_BRACKET ? scanner.close() : scanner.begin("element", code),
  element: (scanner, code) => scanner.begin("element", code),
  "after element": (scanner, code) => {
    if (code === COMMA) scanner.step("element");
    else if (code === CLOSE_BRACKET) scanner.close();
    else scanner.fail();
  },
  nothing: (scanner) => scanner.fail(),
};
