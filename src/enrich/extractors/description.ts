/**
 * Descriptions without what is not about the product: the title as their first line, sentences about shipping and returns that
 * many descriptions repeat, and what page builders leave behind. What stays is not changed.
 */
import { GOOGLE_LIMITS } from "../../catalog/google-limits.ts";
import type { Item } from "../../catalog/item.ts";
import type { CatalogFacts } from "./catalog-facts.ts";
import { quote } from "./evidence.ts";
import { CONFIDENCE, draftOf, type Extractor, type Finding } from "./extractor.ts";
import { type Passage, passageKey, passagesOf } from "./passages.ts";
import boilerplate from "./vocabulary/boilerplate.json" with { type: "json" };
import { phraseKey, phrasesIn, wordsOf } from "./words.ts";

const EXTRACTOR = { id: "description", version: 1 } as const;

export const DESCRIPTION: Extractor = {
  ...EXTRACTOR,
  fields: ["description"],
  evidence:
    "the parts of the description that stay; what goes is the title as first line, sentences about shipping and returns that many descriptions have, and shortcodes",
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
  const passages = passagesOf(description);
  const title = passageKey(item.title);
  const kept = passages.filter(
    (passage, at) => !(at === 0 && passage.key === title) && !isBoilerplate(description, passage, facts),
  );
  if (kept.length === passages.length) return undefined;
  const spans = joined(description, kept);
  const value = spans.map((span, at) => textAfter(description, spans[at - 1], span)).join("");
  if (value.length < SHORTEST_REST || value === description) return undefined;
  const evidence = spans.map(({ from, to }) => quote(item, "description", from, to));
  return { value, evidence, confidence: CONFIDENCE.separate };
}

type Span = { from: number; to: number };

/** The text of a span, after the break that the largest of the breaks before it was. */
function textAfter(description: string, previous: Span | undefined, { from, to }: Span): string {
  const text = description.slice(from, to);
  if (previous === undefined) return text;
  const gap = description.slice(previous.to, from);
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
const BOILERPLATE_WORDS = new Map(boilerplate.words.map((phrase) => [phraseKey(phrase), "boilerplate"]));

function isBoilerplate(description: string, { from, to, key }: Passage, facts: CatalogFacts): boolean {
  if (to - from > LONGEST_BOILERPLATE) return false;
  const text = description.slice(from, to);
  if (SHORTCODES.test(text)) return true;
  const repeats = facts.passages.get(key) ?? 0;
  if (repeats < FEWEST_REPEATS || repeats < facts.described * REPEATED_SHARE) return false;
  return phrasesIn(text, wordsOf(text), BOILERPLATE_WORDS).length > 0;
}
