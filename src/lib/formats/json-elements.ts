/**
 * The elements of arrays of a JSON document: of the document itself, or of arrays near its top. What is around the
 * arrays is checked and skipped. Invalid JSON anywhere throws: after a stray quote it is not known where the next
 * element begins.
 */
import { FormatError } from "./format-error.ts";
import { type JsonFault, type JsonPart, JsonScanner } from "./json-scanner.ts";
import type { TextReader } from "./text-reader.ts";

export type JsonElement = {
  readonly value: unknown;
  readonly text: string;
  /** The keys that lead to its array. */
  readonly list: readonly string[];
};

export type JsonElementOptions = {
  /** Whether the array under these keys is read. An array that is the whole document always is. */
  readonly isList: (path: readonly string[]) => boolean;
  /** False: only the first such array is read. */
  readonly readsAll?: boolean;
  readonly maxElementChars: number;
  readonly maxDepth: number;
};

export type JsonElementReader = TextReader<JsonElement> & {
  /** The keys that lead to the first array that is read; null until it was found. */
  readonly listPath: () => readonly string[] | null;
  /** The fields of the first element of that array. */
  readonly fields: () => readonly string[];
  /** The arrays of objects that were skipped, up to some. */
  readonly otherLists: () => readonly OtherList[];
};

export type OtherList = {
  readonly path: readonly string[];
  /** The fields of its first element. */
  readonly fields: readonly string[];
};

/** More of them are of one kind. */
const MAX_OTHER_LISTS = 100;
/** Where the fields of an array that is too long to parse are looked for. */
const FIRST_CHARS = 4_000;

/** Arrays are looked for inside this many objects; deeper ones belong to something else. */
const SEARCH_DEPTH = 4;

export function jsonElements(options: JsonElementOptions): JsonElementReader {
  const reader = new ElementReader(options);
  return {
    push: (text) => reader.push(text),
    end: () => reader.end(),
    listPath: () => reader.listPath,
    fields: () => reader.fields,
    otherLists: () => reader.otherLists,
  };
}

class ElementReader {
  private readonly options: JsonElementOptions;
  private readonly scanner: JsonScanner;
  listPath: readonly string[] | null = null;
  fields: readonly string[] = [];
  private list: readonly string[] = [];
  readonly otherLists: OtherList[] = [];
  private found: JsonElement[] = [];
  private count = 0;

  constructor(options: JsonElementOptions) {
    this.options = options;
    this.scanner = new JsonScanner({
      searchDepth: SEARCH_DEPTH,
      maxDepth: options.maxDepth,
      maxPartChars: options.maxElementChars,
      isList: (path) => (this.listPath === null || options.readsAll === true) && options.isList(path),
      list: (path) => {
        this.list = [...path];
        this.listPath ??= this.list;
      },
      tooLong: (role) => this.refuseLong(role),
      part: (part, path) => this.take(part, path),
      key: ({ text }) => String(this.parse(text)),
      fault: (fault) => this.fail(fault),
    });
  }

  push(text: string): readonly JsonElement[] {
    this.found = [];
    this.scanner.push(text);
    return this.found;
  }

  end(): readonly JsonElement[] {
    this.found = [];
    this.scanner.end();
    return this.found;
  }

  private take({ role, text, chars }: JsonPart, path: readonly string[]): void {
    if (role === "element") {
      this.count += 1;
      if (this.count === 1) this.fields = fieldsIn(text);
      this.found.push({ value: this.parse(text), text, list: this.list });
      return;
    }
    // Of what is too long to keep only the beginning is known.
    if (chars <= this.options.maxElementChars) this.parse(text);
    if (this.otherLists.length < MAX_OTHER_LISTS && /^\[\s*\{/.test(text))
      this.otherLists.push({ path: [...path], fields: fieldsIn(text) });
  }

  private refuseLong(role: JsonPart["role"]): void {
    if (role === "member") return;
    const { maxElementChars } = this.options;
    throw new FormatError(
      "too_large",
      `JSON element ${this.count + 1} has more than ${maxElementChars} characters.`,
    );
  }

  private fail(fault: JsonFault): never {
    if (fault === "early end")
      throw new FormatError(
        "truncated",
        `The JSON ends early, or lacks a quote, after element ${this.count}.`,
      );
    if (fault === "too deep")
      throw new FormatError("too_large", `The JSON nests deeper than ${this.options.maxDepth} levels.`);
    const shown = JSON.stringify(this.scanner.rest(20));
    throw new FormatError(
      "malformed",
      `The JSON breaks its rules after element ${this.count}: unexpected ${shown}.`,
    );
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

/** The names of fields in the first object of an array, also if the array is cut off. */
function fieldsIn(text: string): string[] {
  const names = text.slice(0, FIRST_CHARS).matchAll(/"([^"\\]{1,100})"\s*:/g);
  return [...new Set([...names].flatMap(([, name]) => name ?? []))];
}
