/**
 * Descriptions without what is not about the product: the title as their first line, sentences about shipping and returns that
 * many descriptions repeat, and what editors and page builders leave behind. The words that stay are not changed.
 */
import { GOOGLE_LIMITS } from "../../catalog/google-limits.ts";
import type { Item } from "../../catalog/item.ts";
import type { CatalogFacts } from "./catalog-facts.ts";
import { quote } from "./evidence.ts";
import { memoize } from "../../lib/memoize.ts";
import { CONFIDENCE, draftOf, type Extractor, type Finding } from "./extractor.ts";
import { type Passage, passageKey, passagesOf } from "./passages.ts";
import boilerplate from "./vocabulary/boilerplate.json" with { type: "json" };
import { phraseKey, phrasesIn, wordsOf } from "./words.ts";

const EXTRACTOR = { id: "description", version: 3 } as const;

export const DESCRIPTION: Extractor = {
  ...EXTRACTOR,
  fields: ["description"],
  evidence:
    "the parts of the description that stay; what goes is the title as first line, sentences about shipping and returns that many descriptions have, shortcodes, tags and Markdown",
  *propose({ items }, { facts }) {
    for (const item of items) {
      if (item.description === undefined || item.google?.structured_description !== undefined) continue;
      const finding = cleaned(item, item.description, facts);
      const draft = finding && draftOf(EXTRACTOR, item, "description", finding);
      if (draft !== undefined && draft.value.length <= GOOGLE_LIMITS.description) yield draft;
    }
  },
};

/** Less is no description any more. */
const SHORTEST_REST = 60;

function cleaned(item: Item, description: string, facts: CatalogFacts): Finding | undefined {
  const spans = joined(description, keptPassages(item, description, facts));
  const value = spans.map((span, at) => textAfter(description, spans[at - 1], span)).join("");
  if (value.length < SHORTEST_REST || value === description) return undefined;
  const evidence = spans.flatMap((span) =>
    withoutMarks(description, span).map(({ from, to }) => quote(item, "description", from, to)),
  );
  return { value, evidence, confidence: CONFIDENCE.separate };
}

function keptPassages({ title }: Item, description: string, facts: CatalogFacts): readonly Passage[] {
  const passages = passagesOf(description);
  const titleKey = passageKey(title);
  const isBoiler = passages.map((passage) => isBoilerplate(description, passage, facts));
  // A heading goes only with what it is the heading of.
  const isHeading = ({ to }: Passage): boolean => description.charAt(to - 1) === ":";
  let isFirst = true;
  return passages.filter((passage, at) => {
    const isRemoved = isBoiler[at] || (isFirst && passage.key === titleKey);
    const isKept = !(isRemoved && (!isHeading(passage) || isBoiler[at + 1]));
    // The title may follow what goes before it.
    if (isKept) isFirst = false;
    return isKept;
  });
}

/** Markdown and tags that were not recognized as such, with the space that would be doubled without them. */
const MARK =
  / ?(?:\*\*|<\/?[a-z][^<>\n]{0,200}>)(?=\s|$)|(?<=^|\s)(?:\*\*|<\/?[a-z][^<>\n]{0,200}>) ?|(?<!\d)\*\*(?!\d)|<\/?[a-z][^<>\n]{0,200}>/gim;

/** The parts of a span between marks. */
function withoutMarks(description: string, { from, to }: Span): readonly Span[] {
  const parts: Span[] = [];
  let start = from;
  for (const { 0: mark, index } of description.slice(from, to).matchAll(MARK)) {
    if (from + index > start) parts.push({ from: start, to: from + index });
    start = from + index + mark.length;
  }
  if (to > start) parts.push({ from: start, to });
  return parts;
}

type Span = { from: number; to: number };

/** The text of a span, after the break that the largest of the breaks before it was. */
function textAfter(description: string, previous: Span | undefined, span: Span): string {
  const parts = withoutMarks(description, span);
  const text = parts.map(({ from, to }) => description.slice(from, to)).join("");
  if (previous === undefined) return text;
  const gap = description.slice(previous.to, span.from);
  const isParagraph = gap.includes("\n\n");
  return (isParagraph ? "\n\n" : gap.includes("\n") ? "\n" : " ") + text;
}

/** Neighbors keep what is between them. */
function joined(description: string, kept: readonly Passage[]): readonly Span[] {
  const spans: Span[] = [];
  for (const { from, to } of kept) {
    const last = spans.at(-1);
    if (last !== undefined && !/\S/.test(description.slice(last.to, from))) last.to = to;
    else spans.push({ from, to });
  }
  return spans;
}

/** `[vc_row]`, `[/vc_column]`: WordPress page builders. */
const SHORTCODES = /^(?:\[\/?[a-z][a-z_]+(?: [^\]\n]*)?\]\s*)+$/;

/** In most descriptions, and in enough of them that the shop did not write it for a product. */
const REPEATED_SHARE = 0.3;
const FEWEST_REPEATS = 10;
const LONGEST_BOILERPLATE = 600;
const BOILERPLATE_WORDS = new Map<string, keyof typeof boilerplate>([
  ...boilerplate.words.map((phrase) => [phraseKey(phrase), "words"] as const),
  ...boilerplate.never.map((phrase) => [phraseKey(phrase), "never"] as const),
]);

function isBoilerplate(description: string, { from, to, key }: Passage, facts: CatalogFacts): boolean {
  if (to - from > LONGEST_BOILERPLATE) return false;
  const text = description.slice(from, to);
  if (SHORTCODES.test(text)) return true;
  const repeats = facts.passages.get(key) ?? 0;
  if (repeats < FEWEST_REPEATS || repeats < facts.described * REPEATED_SHARE) return false;
  return hasBoilerplateWords(text);
}

/** Passages that most descriptions have: there are few, and each is looked at many times. */
const hasBoilerplateWords = memoize(256, (text) => {
  const found = phrasesIn(text, wordsOf(text), BOILERPLATE_WORDS);
  return found.length > 0 && found.every(({ meaning }) => meaning === "words");
});
