/** Decides what happens to the text between tags, and what replaces a tag: one text, lines, or simpler markup. */
import { decodeReferences, type ElementKind } from "./html.ts";

export type Layout = {
  /** Text of the source, with its character references. */
  readonly text: (chunk: string) => void;
  /** `number` is where a numbered list starts (`<ol start>`, else 1), or the number of an item (`<li value>`). */
  readonly tag: (kind: ElementKind, isClosing: boolean, number?: number) => void;
  readonly end: () => string;
};

/** A space wherever a tag separates words. */
export function asOneText(): Layout {
  let out = "";
  return {
    text: (chunk) => {
      out += decodeReferences(chunk);
    },
    tag: (kind) => {
      if (kind !== "inline") out += " ";
    },
    end: () => out,
  };
}

const BARE_TAGS: Readonly<Record<ElementKind, readonly [opening: string, closing: string]>> = {
  inline: ["", ""],
  word: [" ", " "],
  break: ["<br>", "<br>"],
  line: ["<div>", "</div>"],
  paragraph: ["<p>", "</p>"],
  item: ["<li>", "</li>"],
  list: ["<ul>", "</ul>"],
  numbered: ["<ol>", "</ol>"],
};

const NUMBER_ATTRIBUTES: Partial<Record<ElementKind, string>> = { numbered: "ol start", item: "li value" };

/** Writes the same markup without attributes, comments and dropped elements; references stay unchanged. */
export function asBareTags(): Layout {
  let out = "";
  return {
    text: (chunk) => {
      out += chunk;
    },
    tag: (kind, isClosing, number) => {
      const attribute = number === undefined ? undefined : NUMBER_ATTRIBUTES[kind];
      out += attribute === undefined ? BARE_TAGS[kind][isClosing ? 1 : 0] : `<${attribute}=${number}>`;
    },
    end: () => out,
  };
}

const BULLET = "• ";
/** A character that a reader sees: without one there is neither a line nor a list item. */
const VISIBLE = /[^\s\p{Cc}\p{Cf}\p{Co}\p{Noncharacter_Code_Point}]/u;
/** List items that bring their own bullet get none of ours. A minus before a number is not a bullet. */
const HAS_BULLET = /^(?:[•·●▪■◦○‣⁃∙✓✔✅☑➤►▶→»★☆]|[-–—*] )/;

/** `1. Wash` and `1) Wash`, but not `1.5 l`. */
const AFTER_NUMBER = /^[.)]\s/;

/** The lists that are open at a place, and what precedes the text of their items. */
function openLists() {
  /** For each list the number of its next item, or null for a list with bullets. */
  const nextNumbers: (number | null)[] = [];
  const setNext = (number: number): void => {
    nextNumbers[nextNumbers.length - 1] = number;
  };
  return {
    /** `start` is given for a list with numbers. */
    tag: (isClosing: boolean, start: number | undefined): void => {
      if (isClosing) nextNumbers.pop();
      else nextNumbers.push(start ?? null);
    },
    /** The next item has this number, if one is given and its list has numbers. */
    renumber: (number: number | undefined): void => {
      if (number !== undefined && typeof nextNumbers.at(-1) === "number") setNext(number);
    },
    /** The number of an item in a numbered list, else a bullet; nothing if its text has one. */
    marker: (text: string): string => {
      const number = nextNumbers.at(-1) ?? null;
      if (number === null) return HAS_BULLET.test(text) ? "" : BULLET;
      setNext(number + 1);
      const hasNumber = text.startsWith(`${number}`) && AFTER_NUMBER.test(text.slice(`${number}`.length));
      return hasNumber || HAS_BULLET.test(text) ? "" : `${number}. `;
    },
  };
}

/** Line breaks where a browser would put them. */
export function asLines(): Layout {
  let out = "";
  /** Line breaks that come before the next visible text. */
  let breaks = 0;
  let isItemStart = false;
  let isInItem = false;
  const lists = openLists();

  const atLeast = (count: number): void => {
    breaks = Math.max(breaks, count);
  };
  const list = (isClosing: boolean, start?: number): void => {
    lists.tag(isClosing, start);
    isInItem = isInItem && !isClosing;
    atLeast(isInItem ? 1 : 2);
    isItemStart = false;
  };
  const TAGS: Readonly<Record<ElementKind, (isClosing: boolean, number?: number) => void>> = {
    inline: () => {},
    word: () => {
      out += " ";
    },
    break: () => atLeast(breaks + 1),
    line: () => atLeast(1),
    paragraph: () => atLeast(isInItem ? 1 : 2),
    item: (isClosing, number) => {
      // Items follow one another without an empty line, whatever is between them.
      breaks = isInItem && !isClosing ? 1 : Math.max(breaks, 1);
      isInItem = true;
      isItemStart = !isClosing;
      lists.renumber(number);
    },
    list,
    numbered: list,
  };

  function startLine(text: string): void {
    if (!VISIBLE.test(text)) return;
    const visible = text.trimStart();
    if (out !== "") out += breaks > 1 ? "\n\n" : "\n";
    out += isItemStart ? lists.marker(visible) + visible : visible;
    breaks = 0;
    isItemStart = false;
  }

  return {
    text: (chunk) => {
      const text = decodeReferences(chunk);
      if (breaks > 0) startLine(text);
      else out += text;
    },
    tag: (kind, isClosing, number) => TAGS[kind](isClosing, number),
    end: () => out,
  };
}
