/**
 * An item is a purchasable variant. Variants of a product share `groupId`; the parent is not an item. An `Item` has
 * been checked, so it can be rendered as it is. Absent means unknown; empty strings, nulls and empty lists never occur.
 */
import { hash } from "node:crypto";
import type { GoogleValues } from "./google-attributes.ts";

/** An exact decimal in major units (`"19.90"`) and its ISO 4217 code. Never a float, never rounded. */
export type Money = { readonly amount: string; readonly currency: string };

/** A positive exact decimal and its unit. */
export type Measure<Unit extends string = string> = { readonly value: string; readonly unit: Unit };

export const WEIGHT_UNITS = ["g", "kg", "oz", "lb"] as const;
export type WeightUnit = (typeof WEIGHT_UNITS)[number];
export const LENGTH_UNITS = ["mm", "cm", "m", "in", "ft"] as const;
export type LengthUnit = (typeof LENGTH_UNITS)[number];

export const AVAILABILITIES = ["in_stock", "out_of_stock", "preorder", "backorder", "unknown"] as const;
export type Availability = (typeof AVAILABILITIES)[number];
export const CONDITIONS = ["new", "refurbished", "used"] as const;
export type Condition = (typeof CONDITIONS)[number];
export const GENDERS = ["male", "female", "unisex"] as const;
export type Gender = (typeof GENDERS)[number];
export const AGE_GROUPS = ["newborn", "infant", "toddler", "kids", "adult"] as const;
export type AgeGroup = (typeof AGE_GROUPS)[number];
export const SIZE_SYSTEMS = ["US", "UK", "EU", "DE", "FR", "JP", "CN", "IT", "BR", "MEX", "AU"] as const;
export type SizeSystem = (typeof SIZE_SYSTEMS)[number];
export const SIZE_TYPES = ["regular", "petite", "plus", "tall", "big", "maternity"] as const;
export type SizeType = (typeof SIZE_TYPES)[number];

/** The traits in which most variants differ; an option with one of these names fills the field. */
export const VARIANT_TRAITS = ["color", "size", "material", "pattern"] as const;
export type VariantTrait = (typeof VARIANT_TRAITS)[number];

/** The destinations that rules and feeds name; a destination may have several files. */
export const CHANNEL_NAMES = ["google", "openai", "schema_org"] as const;
export type ChannelName = (typeof CHANNEL_NAMES)[number];

export type Option = { readonly name: string; readonly value: string };
export type Detail = { readonly section?: string; readonly name: string; readonly value: string };

export type ShippingRate = {
  readonly country?: string;
  readonly region?: string;
  readonly postalCode?: string;
  readonly service?: string;
  readonly price: Money;
  /** In whole days. */
  readonly minHandling?: number;
  readonly maxHandling?: number;
  readonly minTransit?: number;
  readonly maxTransit?: number;
};

export type Returns = { readonly accepted?: boolean; readonly days?: number; readonly policyUrl?: string };
export type Rating = { readonly value: string; readonly count: number };
export type Certification = {
  readonly authority: string;
  readonly name: string;
  readonly code?: string;
  readonly value?: string;
};

/** The values of one channel where they differ from the item's; null where the channel has none. */
export type ChannelValues = { readonly [Field in SourceField]?: Item[Field] | null };

/** Values that only rules and approved proposals set, and no source. Parts and channels are in this order. */
export type FeedPart = {
  /** The id in feed files, if a rule makes one. */
  readonly id?: string;
  /** The name of the rule that leaves the item out, by channel. */
  readonly excluded?: Readonly<Partial<Record<ChannelName, string>>>;
  readonly values?: Readonly<Partial<Record<ChannelName, ChannelValues>>>;
  /** The texts that a model's texts have replaced; null stands for no text. */
  readonly replaced?: { readonly title?: string; readonly description?: string | null };
};

/** The fields that a source can fill. */
export type SourceField = Exclude<keyof Item, "feed">;

export type Item = {
  // identity
  readonly id: string;
  readonly groupId?: string;
  readonly sku?: string;
  /** 8, 12, 13 or 14 digits with a valid check digit. */
  readonly gtin?: string;
  /** The barcode as the source wrote it, if it is not a valid GTIN. No feed contains it. */
  readonly barcode?: string;
  readonly mpn?: string;
  readonly brand?: string;
  /** The merchant states that no manufacturer's identifier exists (`false`). Never inferred. */
  readonly identifierExists?: boolean;
  // texts: plain, no markup; the description in lines separated by \n, all others on one line
  readonly title: string;
  readonly groupTitle?: string;
  readonly shortTitle?: string;
  readonly description?: string;
  readonly highlights?: readonly string[];
  readonly details?: readonly Detail[];
  // links and media: absolute http(s), percent-encoded ASCII
  readonly link?: string;
  readonly canonicalLink?: string;
  readonly mobileLink?: string;
  /** The first one is the main image. */
  readonly images?: readonly string[];
  readonly videos?: readonly string[];
  // the offer
  readonly price: Money;
  readonly salePrice?: Money;
  /** UTC instants as `YYYY-MM-DDTHH:MM:SS.mmmZ`; either may be open. The sale ends just before `saleTo`. */
  readonly saleFrom?: string;
  readonly saleTo?: string;
  /** `price` is a list price that the shop shows next to the price now, which is `salePrice`. */
  readonly priceIsList?: boolean;
  readonly priceIncludesTax?: boolean;
  readonly unitPricing?: { readonly measure: Measure; readonly base?: Measure };
  /** The cost of the item for the shop, in the currency of its price. Rules read the cost; no feed contains it. */
  readonly cost?: Money;
  readonly availability: Availability;
  readonly availabilityDate?: string;
  readonly quantity?: number;
  readonly expiresAt?: string;
  readonly condition?: Condition;
  // classification
  readonly googleCategory?: string;
  /** The merchant's own paths, broad to specific. */
  readonly categories?: readonly (readonly string[])[];
  /** The shop's own keywords, for rules; they are in no feed. */
  readonly tags?: readonly string[];
  /** Ordered as the shop orders them. */
  readonly options?: readonly Option[];
  readonly color?: string;
  readonly size?: string;
  readonly sizeSystem?: SizeSystem;
  readonly sizeType?: SizeType;
  readonly material?: string;
  readonly pattern?: string;
  readonly gender?: Gender;
  readonly ageGroup?: AgeGroup;
  readonly adult?: boolean;
  readonly multipack?: number;
  readonly isBundle?: boolean;
  readonly isDigital?: boolean;
  readonly energyClass?: string;
  readonly minEnergyClass?: string;
  readonly maxEnergyClass?: string;
  readonly certifications?: readonly Certification[];
  readonly customLabels?: readonly (string | null)[];
  // measures
  readonly weight?: Measure<WeightUnit>;
  readonly length?: Measure<LengthUnit>;
  readonly width?: Measure<LengthUnit>;
  readonly height?: Measure<LengthUnit>;
  readonly shippingWeight?: Measure<WeightUnit>;
  readonly shippingLength?: Measure<LengthUnit>;
  readonly shippingWidth?: Measure<LengthUnit>;
  readonly shippingHeight?: Measure<LengthUnit>;
  readonly shipping?: readonly ShippingRate[];
  readonly shippingLabel?: string;
  readonly returns?: Returns;
  readonly rating?: Rating;
  // market
  readonly country?: string;
  readonly language?: string;
  /** Values for Google alone, by Google's names and in the form of `gmc.tsv`. */
  readonly google?: GoogleValues;
  /** Only in effective items, always last. `channelView` applies it. */
  readonly feed?: FeedPart;
};

/**
 * Items of one group in catalog order; `groupId` null means that the items belong to no group. `isWhole` is false on
 * every part of a group too large for one batch; the parts follow one another.
 */
export type ItemGroup = {
  readonly groupId: string | null;
  readonly items: readonly Item[];
  readonly isWhole: boolean;
};

/**
 * An item as the store has it. Equal items have equal bodies, since `normalize` fills fields in one fixed order, and
 * equal bodies have equal fingerprints.
 */
export type EncodedItem = { readonly body: string; readonly fingerprint: string };

/** The fingerprint is a part of a SHA-256 hash, which is no slower here than SHA-1; 128 bits are enough. */
const FINGERPRINT_LENGTH = 32;

export function encodeItem(item: Item): EncodedItem {
  const body = JSON.stringify(item);
  return { body, fingerprint: hash("sha256", body, "hex").slice(0, FINGERPRINT_LENGTH) };
}

/** Only for bodies that `encodeItem` made: it is not checked again. */
export function decodeItem(body: string): Item {
  return JSON.parse(body) as Item;
}
