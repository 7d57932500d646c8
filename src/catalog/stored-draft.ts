/**
 * The values of a stored item that a change of some fields belongs together with, as the text of a draft: a new sale
 * price is read beside the stored price, a new image before the stored others. Only values that are the same after
 * they are read again are here; texts such as the title stay where they are stored.
 */
import type { Draft } from "./draft.ts";
import type { GoogleDraft, GoogleName, GoogleValue } from "./google-attributes.ts";
import type { Item, Measure } from "./item.ts";
import { formatMoney } from "./money.ts";
import { isPreOrBackorder, readAvailability } from "./vocabulary/availability.ts";

type Texts = { [Field in keyof Draft]?: Draft[Field] | undefined };

/** `named` are the fields that are sent or cleared. */
export function storedDraft(stored: Item, sent: Draft, named: ReadonlySet<string>): Draft {
  const texts: Texts = {
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

/** As the source wrote it: a price and a sale price, or the price now and the higher one it is compared with. */
function prices(stored: Item, named: ReadonlySet<string>): Texts {
  const price = formatMoney(stored.price);
  if (stored.salePrice === undefined) return { price };
  const salePrice = formatMoney(stored.salePrice);
  if (stored.priceIsList === true) return { price: salePrice, listPrice: price };
  const { saleFrom, saleTo } = stored;
  // The ends of the stored window do not apply to a new one.
  return { price, salePrice, ...(!named.has("saleWindow") && { saleFrom, saleTo }) };
}

/**
 * Availability and quantity belong together. A new quantity decides whether the item is in stock, but an item on
 * pre-order or back-order stays so. A new availability makes the stored quantity and date untrue.
 */
function stock({ availability, quantity, availabilityDate }: Item, sent: Draft): Texts {
  const changed = sent.availability === undefined ? undefined : readAvailability(sent.availability);
  if (changed !== undefined && changed.availability !== availability) return {};
  const isKept = sent.quantity === undefined || isPreOrBackorder(availability);
  return { quantity: numberText(quantity), ...(isKept && { availability, availabilityDate }) };
}

function images({ images: stored = [] }: Item): Texts {
  const [image, ...additionalImages] = stored;
  return { image, additionalImages };
}

/** A number without a unit is in the unit of the value that it replaces. */
function measures(stored: Item, sent: Draft): Texts {
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

function terms({ returns = {}, rating }: Item): Texts {
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
function traits({ options, color, size, material, pattern }: Item): Texts {
  const own = (text: string | undefined): string | undefined =>
    options?.some(({ value }) => value === text) === true ? undefined : text;
  return { options, color: own(color), size: own(size), material: own(material), pattern: own(pattern) };
}

function labels({ customLabels = [] }: Item): Texts {
  const [label0, label1, label2, label3, label4] = customLabels.map((label) => label ?? undefined);
  return {
    customLabel0: label0,
    customLabel1: label1,
    customLabel2: label2,
    customLabel3: label3,
    customLabel4: label4,
  };
}

/** Which field holds the first of the values that an attribute has more of. */
const FURTHER_VALUES_OF: { readonly [Name in GoogleName]?: keyof Draft } = {
  gtin: "gtin",
  size_type: "sizeType",
  shipping: "shipping",
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
