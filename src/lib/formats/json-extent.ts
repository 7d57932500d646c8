/**
 * Where a JSON value ends, found by brackets and strings alone and across any number of pieces of text. Nothing is
 * checked: the caller parses what was found.
 */
import { FormatError } from "./format-error.ts";

export type JsonExtent = {
  /** Goes on at `from`. Gives the index after the value's last character, or null when the text ends before it. */
  readonly pass: (text: string, from: number) => number | null;
};

const QUOTE = 34;
const COMMA = 44;
const OPEN_BRACKET = 91;
const BACKSLASH = 92;
const CLOSE_BRACKET = 93;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;

/** For a value that begins with the given character. */
export function jsonExtent(firstCode: number, maxDepth: number): JsonExtent {
  const isNested = firstCode === QUOTE || firstCode === OPEN_BRACE || firstCode === OPEN_BRACKET;
  return isNested ? new NestedExtent(maxDepth) : { pass: passScalar };
}

/** Numbers and words have no end mark: they end before whatever cannot be part of them. */
function passScalar(text: string, from: number): number | null {
  for (let i = from; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code <= 32 || code === COMMA || code === CLOSE_BRACKET || code === CLOSE_BRACE) return i;
  }
  return null;
}

class NestedExtent {
  private readonly maxDepth: number;
  private depth = 0;
  private isInString = false;
  /** Whether the last piece ended within a string, after a backslash that escapes what comes next. */
  private isEscaped = false;

  constructor(maxDepth: number) {
    this.maxDepth = maxDepth;
  }

  pass(text: string, from: number): number | null {
    let at: number | null = from;
    while (at !== null && at < text.length) {
      at = this.isInString ? this.passString(text, at) : this.passStructure(text, at);
      if (at !== null && this.depth === 0 && !this.isInString) return at;
    }
    return null;
  }

  /** To the next quote, or to the bracket that closes the value. */
  private passStructure(text: string, from: number): number | null {
    for (let i = from; i < text.length; i += 1) {
      const code = text.charCodeAt(i);
      if (code === QUOTE) {
        this.isInString = true;
        return i + 1;
      }
      if (code === OPEN_BRACE || code === OPEN_BRACKET) this.deeper();
      else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
        this.depth -= 1;
        if (this.depth === 0) return i + 1;
      }
    }
    return null;
  }

  private deeper(): void {
    this.depth += 1;
    if (this.depth <= this.maxDepth) return;
    throw new FormatError("too_large", `The JSON nests deeper than ${this.maxDepth} levels.`);
  }

  /** To the quote that closes the string. A quote after an odd number of backslashes is part of it. */
  private passString(text: string, from: number): number | null {
    for (let quote = text.indexOf('"', from); quote !== -1; quote = text.indexOf('"', quote + 1)) {
      if (this.isEscapedAt(text, quote, from)) continue;
      this.isInString = false;
      this.isEscaped = false;
      return quote + 1;
    }
    this.isEscaped = this.isEscapedAt(text, text.length, from);
    return null;
  }

  private isEscapedAt(text: string, index: number, from: number): boolean {
    let start = index;
    while (start > from && text.charCodeAt(start - 1) === BACKSLASH) start -= 1;
    const isOdd = (index - start) % 2 === 1;
    return start === from && this.isEscaped ? !isOdd : isOdd;
  }
}
