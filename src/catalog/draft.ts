/**
 * The values of an item as a source has read them, not yet checked. Values are text as the source wrote it, already
 * under our own field names; `normalize` turns a draft into an `Item` or says why it cannot. A source that knows a
 * value exactly (a platform's typed API) passes the value as text too, so that all values go through the same checks.
 */
import type { GoogleDraft } from "./google-attributes.ts";
import type { Certification } from "./item.ts";

export type ShippingDraft = {
  readonly country?: string;
  readonly region?: string;
  readonly postalCode?: string;
  readonly service?: string;
  readonly price?: string;
  readonly minHandling?: string;
  readonly maxHandling?: string;
  readonly minTransit?: string;
  readonly maxTransit?: string;
};

/** Fields with one text each. */
// biome-ignore format: grouped by what they are about
export const TEXT_FIELDS = [
  "id", "groupId", "sku", "gtin", "mpn", "brand", "identifierExists",
  "title", "groupTitle", "shortTitle", "description", "shortDescription",
  "link", "canonicalLink", "mobileLink", "image",
  "price", "salePrice", "listPrice", "currency", "saleWindow", "saleFrom", "saleTo", "priceIncludesTax",
  "unitPricingMeasure", "unitPricingBaseMeasure", "cost",
  "availability", "availabilityDate", "quantity", "deliveryTime", "expiresAt", "condition",
  "googleCategory", "color", "size", "sizeSystem", "sizeType", "material", "pattern", "gender", "ageGroup",
  "adult", "multipack", "isBundle", "isDigital", "energyClass", "minEnergyClass", "maxEnergyClass",
  "weight", "weightUnit", "length", "width", "height", "dimensionsUnit",
  "shippingWeight", "shippingLength", "shippingWidth", "shippingHeight", "shippingLabel",
  "acceptsReturns", "returnDays", "returnPolicyUrl", "ratingValue", "ratingCount",
  "customLabel0", "customLabel1", "customLabel2", "customLabel3", "customLabel4",
  "country", "language", "published",
] as const;
export type TextField = (typeof TEXT_FIELDS)[number];

/** Fields with several texts each, in the source's order. */
export const LIST_FIELDS = ["additionalImages", "videos", "categories", "tags", "highlights"] as const;
export type ListField = (typeof LIST_FIELDS)[number];

export type Draft = { [F in TextField]?: string } & { [F in ListField]?: readonly string[] } & {
  options?: readonly { readonly name: string; readonly value: string }[];
  details?: readonly { readonly section?: string; readonly name: string; readonly value: string }[];
  shipping?: readonly ShippingDraft[];
  certifications?: readonly Certification[];
  /** Attributes of Google's specification for which we have no field. */
  google?: GoogleDraft;
};
