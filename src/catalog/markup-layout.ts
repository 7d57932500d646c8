/** What becomes of the text between tags, and what a tag leaves behind: as one text, in lines, or as simpler markup. */
import { decodeReferences } from "./entities.ts";
import type { ElementKind } from "./html-elements.ts";

export type Layout = {
  /** Text as it stands in the source, references and all. */
  readonly text: (chunk: string) => void;
  readonly tag: (kind: ElementKind, isClosing: boolean) => void;
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
};

/** The same markup without attributes, comments and dropped elements; references stay as they are. */
export function asBareTags(): Layout {
  let out = "";
  return {
    text: (chunk) => {
      out += chunk;
    },
    tag: (kind, isClosing) => {
      out += BARE_TAGS[kind][isClosing ? 1 : 0];
    },
    end: () => out,
  };
}

const BULLET = "• ";
/** A character that a reader sees: without one there is neither a line nor a list item. */
const VISIBLE = /[^\s\p{Cc}\p{Cf}\p{Co}\p{Noncharacter_Code_Point}]/u;
/** List items that bring their own bullet get none of ours. A minus before a number is no bullet. */
const HAS_BULLET = /^(?:[•·●▪■◦○‣⁃∙✓✔✅☑➤►▶→»★☆]|[-–—*] )/;

/** Line breaks where a browser would put them. */
export function asLines(): Layout {
  let out = "";
  /** Line breaks that come before the next visible text. */
  let breaks = 0;
  let isItemStart = false;
  let isInItem = false;

  const atLeast = (count: number): void => {
    breaks = Math.max(breaks, count);
  };
  const TAGS: Readonly<Record<ElementKind, (isClosing: boolean) => void>> = {
    inline: () => {},
    word: () => {
      out += " ";
    },
    break: () => {
      breaks += 1;
    },
    line: () => atLeast(1),
    paragraph: () => atLeast(isInItem ? 1 : 2),
    item: (isClosing) => {
      // Items follow one another without an empty line, whatever stands between them.
      if (isInItem && !isClosing) breaks = 1;
      else atLeast(1);
      isInItem = true;
      isItemStart = !isClosing;
    },
    list: (isClosing) => {
      isInItem = isInItem && !isClosing;
      atLeast(isInItem ? 1 : 2);
      isItemStart = false;
    },
  };

  function startLine(text: string): void {
    if (!VISIBLE.test(text)) return;
    const visible = text.trimStart();
    if (out !== "") out += breaks > 1 ? "\n\n" : "\n";
    if (isItemStart && !HAS_BULLET.test(visible)) out += BULLET;
    out += visible;
    breaks = 0;
    isItemStart = false;
  }

  return {
    text: (chunk) => {
      const text = decodeReferences(chunk);
      if (breaks > 0) startLine(text);
      else out += text;
    },
    tag: (kind, isClosing) => TAGS[kind](isClosing),
    end: () => out,
  };
}
