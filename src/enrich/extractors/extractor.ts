/**
 * An extractor proposes values for fields of an item from what the catalog already has. It is pure and deterministic:
 * the same group and the same context give the same proposals. It never proposes a price, an availability or a link, and
 * nothing that is equal to the value that is there.
 */
import type { Item, ItemGroup } from "../../catalog/item.ts";
import type { CatalogSettings } from "../../catalog/settings.ts";
import { isBlank, plainLines, plainText } from "../../catalog/text.ts";
import type { CatalogFacts } from "./catalog-facts.ts";
import type { Evidence } from "./evidence.ts";
import { tokenKeys } from "./words.ts";

export type ProposalDraft = {
  readonly itemId: string;
  /** As in the API: `google_category`. */
  readonly field: string;
  /** As a push would send it. */
  readonly value: string;
  readonly extractor: string;
  readonly version: number;
  readonly evidence: readonly Evidence[];
  /** From 0 to 1: how sure the evidence is. See `CONFIDENCE`. */
  readonly confidence: number;
  /** Every word of the value is in the evidence or in a closed vocabulary. */
  readonly isGrounded: boolean;
};

/** A category for a path of the merchant's categories and titles of items in it. `category` is an id of Google's taxonomy. */
export type SuggestCategory = (
  path: readonly string[],
  titles: readonly string[],
) => { readonly category: string; readonly confidence: number } | undefined;

export type ExtractorContext = {
  readonly settings: CatalogSettings;
  /** From an earlier pass over the catalog. */
  readonly facts: CatalogFacts;
  readonly suggestCategory?: SuggestCategory | undefined;
  /** Paths of the merchant's categories, `Home > Mugs`, for which it was decided that no category of Google's fits. */
  readonly uncategorized?: ReadonlySet<string>;
};

export type Extractor = {
  readonly id: string;
  /** Raise it when the same item may get another proposal than before. */
  readonly version: number;
  readonly fields: readonly string[];
  /** What a value is found in, for the documentation. */
  readonly evidence: string;
  readonly propose: (group: ItemGroup, context: ExtractorContext) => Iterable<ProposalDraft>;
};

/**
 * The expected share of right values among proposals with this kind of evidence, as measured by hand on the catalogs of
 * real shops, rounded down. Reviewers sort by it; nothing is applied because of it.
 */
export const CONFIDENCE = {
  /** An option, an attribute or a sibling states the value under the name of the field. */
  stated: 0.97,
  /** A line of the description or a part of the title states it under the name of the field. */
  labeled: 0.95,
  /** A known word on its own: a whole option value, or a part of the title between separators. */
  separate: 0.9,
  /** Something else confirms it: "women" on clothes, or the check digit of a barcode whose leading zero is restored. */
  confirmed: 0.8,
  /** A known word within a title: too often wrong on catalogs that nobody has looked at to be approved in bulk. */
  inText: 0.75,
  /** A word with several meanings, or a value that is right only if an assumption is. */
  uncertain: 0.6,
} as const;

export type Finding = {
  readonly value: string;
  readonly evidence: readonly Evidence[];
  readonly confidence: number;
  /** The value is a word of a closed list, such as `female`. */
  readonly isClosed?: boolean;
};

/** Longer values are prose, except titles and descriptions. */
const LONGEST_VALUE = 100;

/** An extractor for one field that most items have: it looks only at items without a value. */
export function fieldExtractor(extractor: {
  readonly id: string;
  readonly version: number;
  readonly field: string;
  readonly evidence: string;
  readonly current: (item: Item) => unknown;
  readonly find: (item: Item, group: ItemGroup, context: ExtractorContext) => Finding | undefined;
}): Extractor {
  const { id, version, field, evidence, current, find } = extractor;
  return {
    id,
    version,
    fields: [field],
    evidence,
    *propose(group, context) {
      for (const item of group.items) {
        if (current(item) !== undefined) continue;
        const finding = find(item, group, context);
        const draft = finding && draftOf({ id, version }, item, field, finding);
        if (draft !== undefined) yield draft;
      }
    },
  };
}

/** The proposal, unless normalization would change its value: then it is not what an item could have. */
export function draftOf(
  { id, version }: Pick<Extractor, "id" | "version">,
  { id: itemId }: Item,
  field: string,
  { value, evidence, confidence, isClosed = false }: Finding,
): ProposalDraft | undefined {
  if (isBlank(value) || !isNormal(field, value)) return undefined;
  const isGrounded = isClosed || areWordsIn(value, evidence);
  return { itemId, field, value, extractor: id, version, evidence, confidence, isGrounded };
}

function isNormal(field: string, value: string): boolean {
  if (field === "description") return plainLines(value) === value;
  return (field === "title" || value.length <= LONGEST_VALUE) && plainText(value) === value;
}

function areWordsIn(value: string, evidence: readonly Evidence[]): boolean {
  const known = new Set(evidence.flatMap(({ text }) => tokenKeys(text)));
  return tokenKeys(value).every((key) => known.has(key));
}
