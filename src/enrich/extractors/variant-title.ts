/**
 * Titles of variants that share one. Feeds already append options, and the color, size, material and pattern in which variants
 * differ. What is left are variants that differ only in an attribute, a weight or a measure: it is appended here.
 */
import { GOOGLE_LIMITS } from "../../catalog/google-limits.ts";
import { type Item, type Measure, VARIANT_TRAITS } from "../../catalog/item.ts";
import { type Evidence, quote } from "./evidence.ts";
import { CONFIDENCE, draftOf, type Extractor, type Finding } from "./extractor.ts";

const EXTRACTOR = { id: "variant_title", version: 1 } as const;

export const VARIANT_TITLE: Extractor = {
  ...EXTRACTOR,
  fields: ["title"],
  evidence:
    "an attribute, the weight or a measure in which variants differ whose titles are equal in the feeds",
  *propose({ groupId, items, isWhole }) {
    if (groupId === null || !isWhole || items.length < 2) return;
    for (const sharing of Map.groupBy(items, titleInFeeds).values()) {
      const suffixes = sharing.length < 2 ? [] : suffixesOf(sharing);
      for (const [at, item] of sharing.entries()) {
        const suffix = suffixes[at];
        const draft = suffix && draftOf(EXTRACTOR, item, "title", composed(item, suffix));
        if (draft !== undefined && draft.value.length <= GOOGLE_LIMITS.title) yield draft;
      }
    }
  },
};

/** A key that is equal for variants whose titles are equal in the feeds. */
function titleInFeeds(item: Item): string {
  const options = (item.options ?? []).map(({ value }) => value);
  const structured = item.google?.structured_title === undefined ? [] : [item.id];
  return JSON.stringify([item.title, options, VARIANT_TRAITS.map((trait) => item[trait]), structured]);
}

type Suffix = { readonly text: string; readonly evidence: readonly Evidence[] };

function composed(item: Item, { text, evidence }: Suffix): Finding {
  return {
    value: `${item.title}, ${text}`,
    evidence: [quote(item, "title"), ...evidence],
    confidence: CONFIDENCE.separate,
  };
}

const LONGEST_DETAIL = 40;
const MEASURES = ["weight", "length", "width", "height"] as const;

/** The first attribute, then measure, that all have and in which all differ; one for each item, or none. */
function suffixesOf(items: readonly Item[]): readonly Suffix[] {
  const [first] = items as [Item];
  const names = (first.details ?? []).map(({ name }) => name);
  const readers = [
    ...names.map((name) => (item: Item) => detailOf(item, name)),
    ...MEASURES.map((field) => (item: Item) => measureOf(item, field)),
  ];
  for (const read of readers) {
    const suffixes = items.flatMap((item) => read(item) ?? []);
    if (new Set(suffixes.map(({ text }) => text.toLowerCase())).size === items.length) return suffixes;
  }
  return [];
}

function detailOf(item: Item, name: string): Suffix | undefined {
  const at = (item.details ?? []).findIndex((detail) => detail.name === name);
  const text = item.details?.[at]?.value;
  if (text === undefined || text.length > LONGEST_DETAIL || isMentioned(item, text)) return undefined;
  return { text, evidence: [quote(item, `details.${at}`)] };
}

function measureOf(item: Item, field: (typeof MEASURES)[number]): Suffix | undefined {
  const measure: Measure | undefined = item[field];
  if (measure === undefined) return undefined;
  const text = `${measure.value} ${measure.unit}`;
  return isMentioned(item, text) ? undefined : { text, evidence: [quote(item, field)] };
}

function isMentioned({ title }: Item, text: string): boolean {
  return title.toLowerCase().includes(text.toLowerCase());
}
