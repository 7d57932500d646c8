/**
 * A change of some fields of an item: the fields that are given replace those of the stored item, those that are
 * cleared are removed, all others stay as they are, byte for byte. The new values pass the same checks as any item's, together
 * with the stored values they depend on: a sale price is compared with the stored price, a new image comes
 * before the stored others. Same stored item, same change: same item.
 */
import type { Draft } from "./draft.ts";
import { type GoogleColumn, googleNamed } from "./google-attributes.ts";
import type { Item } from "./item.ts";
import {
  ITEM_FIELDS,
  type MutableItem,
  normalize,
  type NormalizeContext,
  type Normalized,
  setField,
} from "./normalize.ts";
import { storedDraft } from "./stored-draft.ts";
import { isBlank } from "./text.ts";

export type DraftField = keyof Draft;

/** A field, or one of the attributes that are for Google alone: those are changed one by one. */
export type PatchedField = DraftField | GoogleColumn;

export type ItemPatch = {
  readonly draft: Draft;
  /** Fields that were sent as null. */
  readonly cleared: readonly PatchedField[];
};

const PRICES = ["price", "salePrice", "listPrice", "currency", "saleWindow", "saleFrom", "saleTo"] as const;
const STOCK = ["availability", "quantity", "availabilityDate"] as const;
const LABELS = ["customLabel0", "customLabel1", "customLabel2", "customLabel3", "customLabel4"] as const;

/** The fields of a draft that an item's field is made of, where it is not the field of the same name alone. */
const MADE_OF: Readonly<Record<Exclude<keyof Item, DraftField>, readonly DraftField[]>> &
  Readonly<Partial<Record<keyof Item, readonly DraftField[]>>> = {
  price: PRICES,
  availability: STOCK,
  description: ["description", "shortDescription"],
  images: ["image", "additionalImages"],
  salePrice: PRICES,
  saleFrom: PRICES,
  saleTo: PRICES,
  priceIsList: PRICES,
  unitPricing: ["unitPricingMeasure", "unitPricingBaseMeasure"],
  availabilityDate: STOCK,
  quantity: STOCK,
  color: ["color", "options"],
  size: ["size", "options"],
  material: ["material", "options"],
  pattern: ["pattern", "options"],
  customLabels: LABELS,
  returns: ["acceptsReturns", "returnDays", "returnPolicyUrl"],
  rating: ["ratingValue", "ratingCount"],
  // With the fields whose further values it holds.
  google: ["google", "gtin", "sizeType", "shipping"],
};

export function draftFieldsOf(field: keyof Item): readonly DraftField[] {
  return MADE_OF[field] ?? [field as DraftField];
}

/** Whether a draft lacks what every item needs, so that it can only change a stored item. */
export const isPartial = ({ title, link, price }: Draft): boolean =>
  [title, link, price].some((text) => text === undefined || isBlank(text));

export function patchItem(
  stored: Item,
  { draft, cleared }: ItemPatch,
  context: NormalizeContext,
): Normalized {
  const sent = Object.fromEntries(Object.entries(draft).filter(([, value]) => isMeaningful(value))) as Draft;
  const google = Object.keys(sent.google ?? {});
  const named: ReadonlySet<string> = new Set([...Object.keys(sent), ...google, ...cleared]);
  const base = storedDraft(stored, sent, named);
  for (const field of cleared) if (!isGoogle(field)) delete base[field];
  const changed = { ...base, ...sent, id: stored.id, google: { ...base.google, ...sent.google } };
  const settings = { ...context.settings, currency: stored.price.currency };
  const result = normalize(changed, { ...context, settings });
  if (result.kind === "rejected") return result;
  const isTouched = (field: keyof Item): boolean =>
    field === "google" || (field !== "id" && draftFieldsOf(field).some((made) => named.has(made)));
  const touched = new Set<string>(ITEM_FIELDS.filter(isTouched).flatMap(draftFieldsOf));
  return {
    kind: "item",
    item: merge(stored, result.item, isTouched),
    // Values that were not sent were reported when they were stored.
    warnings: result.warnings.filter(({ field }) => field === null || named.has(field) || touched.has(field)),
  };
}

const isGoogle = (field: PatchedField): field is GoogleColumn => googleNamed(field) !== undefined;

const isMeaningful = (value: unknown): boolean => typeof value !== "string" || !isBlank(value);

function merge(stored: Item, changed: Item, isTouched: (field: keyof Item) => boolean): Item {
  const item: MutableItem = {
    id: stored.id,
    title: isTouched("title") ? changed.title : stored.title,
    link: isTouched("link") ? changed.link : stored.link,
    price: changed.price,
    availability: isTouched("availability") ? changed.availability : stored.availability,
  };
  for (const field of ITEM_FIELDS) setField(item, field, (isTouched(field) ? changed : stored)[field]);
  return item;
}
