/**
 * A change of some fields of an item: the fields that are given replace those of the stored item, those that are
 * cleared are removed, all others stay as they are, byte for byte. The new values pass the same checks as any item's,
 * together with the stored values they depend on: a sale price is compared with the stored price, a new image comes
 * before the stored others. Same stored item, same change: same item.
 */
import type { Draft } from "./draft.ts";
import {
  type GoogleColumn,
  type GoogleDraft,
  type GoogleName,
  googleNamed,
  type GoogleValue,
} from "./google-attributes.ts";
import type { Item, Measure, Money, SourceField } from "./item.ts";
import {
  ITEM_FIELDS,
  type MutableItem,
  normalize,
  type NormalizeContext,
  type Normalized,
  setField,
} from "./normalize.ts";
import { isBlank } from "./text.ts";
import { unambiguous } from "./money.ts";
import { isPreOrBackorder, readAvailability } from "./vocabulary/availability.ts";

export type DraftField = keyof Draft;

/** A field, or one of the attributes that are for Google alone: those are changed one by one. */
export type PatchedField = DraftField | GoogleColumn;

export type ItemPatch = {
  readonly draft: Draft;
  /** Fields that were sent as null. */
  readonly cleared: readonly PatchedField[];
};

const PRICES = ["price", "salePrice", "listPrice", "currency", "saleWindow", "saleFrom", "saleTo"] as const;
const STOCK = ["availability", "quantity", "availabilityDate", "deliveryTime"] as const;
const LABELS = ["customLabel0", "customLabel1", "customLabel2", "customLabel3", "customLabel4"] as const;

/** The fields of a draft that an item's field is made of, where it is not the field of the same name alone. */
const MADE_OF: Readonly<Record<Exclude<SourceField, DraftField>, readonly DraftField[]>> &
  Readonly<Partial<Record<SourceField, readonly DraftField[]>>> = {
  barcode: ["gtin"],
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
  // With `google`, the fields are included whose additional values it has.
  google: ["google", "gtin", "sizeType", "shipping"],
};

export function draftFieldsOf(field: SourceField): readonly DraftField[] {
  return MADE_OF[field] ?? [field as DraftField];
}

/** The fields that the stored item has and the changed item lacks. */
export function clearedFields(stored: Item, changed: Item): readonly SourceField[] {
  return ITEM_FIELDS.filter((field) => hasValue(stored, field) && !hasValue(changed, field));
}

const hasValue = (item: Item, field: SourceField): boolean =>
  item[field] !== undefined && item[field] !== "unknown";

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
  const isTouched = (field: SourceField): boolean =>
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

function merge(stored: Item, changed: Item, isTouched: (field: SourceField) => boolean): Item {
  const item: MutableItem = {
    id: stored.id,
    title: isTouched("title") ? changed.title : stored.title,
    ...linkOf(isTouched("link") ? changed : stored),
    price: changed.price,
    availability: isTouched("availability") ? changed.availability : stored.availability,
  };
  for (const field of ITEM_FIELDS) setField(item, field, (isTouched(field) ? changed : stored)[field]);
  // A change of a source's value leaves these values unchanged.
  setField(item, "feed", stored.feed);
  return item;
}

const linkOf = ({ link }: Item): Pick<Item, "link"> => (link === undefined ? {} : { link });

type DraftTexts = { [Field in keyof Draft]?: Draft[Field] | undefined };

/** `named` are the fields that are sent or cleared. */
function storedDraft(stored: Item, sent: Draft, named: ReadonlySet<string>): Draft {
  const texts: DraftTexts = {
    // Checked before, and kept as stored; this only lets the rest be checked.
    title: "Stored",
    link: stored.link,
    // A short description counts only where there is no other.
    ...(sent.shortDescription !== undefined && { description: stored.description }),
    ...prices(stored, named),
    ...stock(stored, sent),
    ...images(stored),
    ...measures(stored, sent),
    ...terms(stored),
    ...traits(stored),
    ...labels(stored),
    google: googleTexts(stored, named),
  };
  return Object.fromEntries(Object.entries(texts).filter(([, value]) => value !== undefined));
}

/**
 * Returns the prices as the source wrote them: a price and a sale price, or the present price and the higher list
 * price.
 */
function prices(stored: Item, named: ReadonlySet<string>): DraftTexts {
  const price = moneyText(stored.price);
  if (stored.salePrice === undefined) return { price };
  const salePrice = moneyText(stored.salePrice);
  if (stored.priceIsList === true) return { price: salePrice, listPrice: price };
  const { saleFrom, saleTo } = stored;
  // The ends of the stored window do not apply to a new one.
  return { price, salePrice, ...(!named.has("saleWindow") && { saleFrom, saleTo }) };
}

/** Stored amounts have a decimal point, whatever the decimal mark of what is sent. */
const moneyText = ({ amount, currency }: Money): string => `${unambiguous(amount)} ${currency}`;

/**
 * Availability and quantity belong together. A new quantity decides whether the item is in stock, but an item on
 * pre-order or back-order stays so. A new availability makes the stored quantity and date untrue.
 */
function stock({ availability, quantity, availabilityDate }: Item, sent: Draft): DraftTexts {
  const changed = sent.availability === undefined ? undefined : readAvailability(sent.availability);
  if (changed !== undefined && changed.availability !== availability) return {};
  const isKept = sent.quantity === undefined || isPreOrBackorder(availability);
  return { quantity: numberText(quantity), ...(isKept && { availability, availabilityDate }) };
}

function images({ images: stored = [] }: Item): DraftTexts {
  const [image, ...additionalImages] = stored;
  return { image, additionalImages };
}

/** A number without a unit is in the unit of the value that it replaces. */
function measures(stored: Item, sent: Draft): DraftTexts {
  const weight = sent.weight === undefined ? stored.shippingWeight : stored.weight;
  const length = [stored.length, stored.width, stored.height, stored.shippingLength].find(
    (measure) => measure !== undefined,
  );
  return {
    weightUnit: weight?.unit,
    dimensionsUnit: length?.unit,
    unitPricingMeasure: measureText(stored.unitPricing?.measure),
    unitPricingBaseMeasure: measureText(stored.unitPricing?.base),
  };
}

function terms({ returns = {}, rating }: Item): DraftTexts {
  const { accepted, days, policyUrl } = returns;
  return {
    acceptsReturns: accepted === undefined ? undefined : accepted ? "yes" : "no",
    returnDays: numberText(days),
    returnPolicyUrl: policyUrl,
    ratingValue: rating?.value,
    ratingCount: numberText(rating?.count),
  };
}

/** A trait that comes from an option follows the options; one of its own stays. */
function traits({ options, color, size, material, pattern }: Item): DraftTexts {
  const own = (text: string | undefined): string | undefined =>
    options?.some(({ value }) => value === text) === true ? undefined : text;
  return { options, color: own(color), size: own(size), material: own(material), pattern: own(pattern) };
}

function labels({ customLabels = [] }: Item): DraftTexts {
  const [label0, label1, label2, label3, label4] = customLabels.map((label) => label ?? undefined);
  return {
    customLabel0: label0,
    customLabel1: label1,
    customLabel2: label2,
    customLabel3: label3,
    customLabel4: label4,
  };
}

/** The field with the first value of an attribute that has several, or that the attribute is made of. */
const FURTHER_VALUES_OF: { readonly [Name in GoogleName]?: keyof Draft } = {
  gtin: "gtin",
  size_type: "sizeType",
  shipping: "shipping",
  min_handling_time: "deliveryTime",
  max_handling_time: "deliveryTime",
};

/** The attributes for Google that are not sent or cleared; a new first value makes the further ones untrue. */
function googleTexts({ google = {} }: Item, named: ReadonlySet<string>): GoogleDraft {
  const entries = Object.entries(google) as [GoogleName, GoogleValue][];
  const kept = entries.filter(([name]) => !named.has(name) && !named.has(FURTHER_VALUES_OF[name] ?? name));
  return Object.fromEntries(kept.map(([name, value]) => [name, typeof value === "string" ? [value] : value]));
}

const measureText = (measure: Measure | undefined): string | undefined =>
  measure === undefined ? undefined : `${measure.value} ${measure.unit}`;

const numberText = (number: number | undefined): string | undefined =>
  number === undefined ? undefined : String(number);
