/**
 * The rows of Google's files: which items they contain, the columns in order, and where each value comes from.
 * `gmc.tsv` writes the values as cells, `gmc.xml` as elements. Undefined means that the item has no such value.
 */
import { hash } from "node:crypto";
import { isBrandFiller, isColorFiller, meaningful } from "../../catalog/filler-words.ts";
import {
  GOOGLE_TABLE,
  type GoogleColumn,
  type GoogleGroup,
  type GoogleValue,
} from "../../catalog/google-attributes.ts";
import { gtinNote } from "../../catalog/gtin.ts";
import type { ItemGroup, Item } from "../../catalog/item.ts";
import { clamp } from "../../catalog/text.ts";
import { isLonger } from "../../lib/text-length.ts";
import { replaceSeparators } from "../../lib/trim-text.ts";
import type { FeedContext } from "../channel.ts";
import { commaSafe, type Variant, writtenVariants } from "../kit/variants.ts";
import { type Field, limitOf, namesOf, partLimitOf, within } from "../kit/field-table.ts";
import { fitTitle } from "../kit/title.ts";
import { groupCell, type GroupValue } from "./cell.ts";
import {
  availabilityDate,
  parcelLength,
  productLength,
  saleInterval,
  shippingGroups,
  statedSale,
  toMinute,
  unitPricingBase,
  unitPricingMeasure,
  weightUpTo,
} from "./composite-values.ts";
import {
  ENERGY_CLASSES,
  GOOGLE_FIELD_TABLE,
  type GoogleFieldName,
  MAX_PRODUCT_WEIGHT,
  MAX_SHIPPING_WEIGHT,
} from "./fields.ts";
import { REFUSALS } from "./refusals.ts";

export type RowContext = {
  readonly groupId: string | undefined;
  /** The time of the render (`asOf`), as an ISO instant. */
  readonly now: string;
  readonly country: string | undefined;
};

/** The value of a field of a kind. */
type ValueOfKind<Kind> = Kind extends "list"
  ? readonly string[]
  : Kind extends "groups"
    ? readonly GroupValue[]
    : string;

const FIELDS: Readonly<Record<GoogleFieldName, Field>> = GOOGLE_FIELD_TABLE.fields;
const TITLE_LIMIT = limitOf(FIELDS.title);
const GROUP_ID_LIMIT = limitOf(FIELDS.item_group_id);
const DETAIL_NAME_LIMIT = {
  codePoints: partLimitOf(FIELDS.product_detail, "attribute_name"),
  over: "cut",
} as const;
const HASH_LENGTH = 8;

function fit(name: GoogleFieldName, text: string): string | undefined {
  return within(text, FIELDS[name].limit);
}

function list(name: GoogleFieldName, values: readonly string[] | undefined): readonly string[] | undefined {
  if (values === undefined) return undefined;
  const { least = 1, most } = FIELDS[name];
  const fitting: string[] = [];
  for (const value of values) {
    const text = fit(name, value);
    if (text !== undefined && fitting.length !== most) fitting.push(text);
  }
  return fitting.length < least ? undefined : fitting;
}

function flag(value: boolean | undefined): string | undefined {
  if (value === undefined) return undefined;
  return value ? "yes" : "no";
}

function realBrand(item: Item): string | undefined {
  const brand = meaningful(item.brand);
  return brand === undefined || isBrandFiller(brand) ? undefined : brand;
}

/** Google disapproves an item with a wrong GTIN, and shows one without a GTIN less often. */
function trustedGtins({ gtin, google }: Item): readonly string[] | undefined {
  return valuesWith(gtin, google?.gtin)?.filter((one) => gtinNote(one) === undefined);
}

/** The value of our field, then the further values that only Google's column has. */
function valuesWith(own?: string, surplus?: GoogleValue): readonly string[] | undefined {
  if (surplus === undefined) return own === undefined ? undefined : [own];
  const more = Array.isArray(surplus) ? surplus.filter((value) => typeof value === "string") : [];
  return own === undefined ? more : [own, ...more];
}

/** `no` only if the source states it and the item has no identifiers: Google disapproves a wrong `no`. */
function identifierExists(item: Item): string | undefined {
  if (item.identifierExists !== false || item.gtin !== undefined) return undefined;
  return realBrand(item) !== undefined && meaningful(item.mpn) !== undefined ? undefined : "no";
}

/** Unlike an item's id, a group's id is used by this file only, so a long one may be replaced by a unique short one. */
function shortGroupId(id: string | undefined): string | undefined {
  if (id === undefined || !isLonger(id, GROUP_ID_LIMIT)) return id;
  const kept = clamp(id, GROUP_ID_LIMIT - HASH_LENGTH - 1);
  return `${kept}-${hash("sha256", id).slice(0, HASH_LENGTH)}`;
}

/** Google counts the characters of the whole cell. */
function variantOptions({ options }: Item): readonly GroupValue[] | undefined {
  if (options === undefined) return undefined;
  const groups: GroupValue[] = [];
  let left = FIELDS.variant_option.total ?? Number.POSITIVE_INFINITY;
  for (const { name, value } of options.slice(0, FIELDS.variant_option.most)) {
    const group = [fit("variant_option", name), fit("variant_option", value)];
    left -= groupCell(group).length + 1;
    if (left < 0) break;
    groups.push(group);
  }
  return groups;
}

/** An unquoted comma would be read as a second color. A code or a single letter is not a color. */
function color(text: string | undefined): string | undefined {
  if (text === undefined || isColorFiller(text)) return undefined;
  return text.includes(",") ? replaceSeparators(text, ",", "/") : text;
}

function size(text: string | undefined): string | undefined {
  return text?.includes(",") === true ? replaceSeparators(text, ",", " ") : text;
}

function details({ details }: Item): readonly GroupValue[] | undefined {
  return details
    ?.slice(0, FIELDS.product_detail.most)
    .map(({ section, name, value }) => [
      section && within(section, DETAIL_NAME_LIMIT),
      within(name, DETAIL_NAME_LIMIT),
      fit("product_detail", value),
    ]);
}

function energyClass(text: string | undefined): string | undefined {
  return ENERGY_CLASSES.find((known) => known === text);
}

/** Fields that an item's own fields fill; the others are passed through from the source as they are. */
type OwnFieldName = Exclude<GoogleFieldName, GoogleColumn>;

type GoogleValueReader<Value> = (variant: Variant, context: RowContext) => Value | undefined;

const GOOGLE_VALUES: {
  readonly [Name in OwnFieldName]: GoogleValueReader<
    ValueOfKind<(typeof GOOGLE_FIELD_TABLE.fields)[Name]["kind"]>
  >;
} = {
  id: ({ item }) => item.id,
  // Google takes one title and one description; a structured one says how the text was made, so it must stay.
  title: ({ item, title }) =>
    item.google?.structured_title === undefined ? fitTitle(title, TITLE_LIMIT) : undefined,
  description: ({ item }) =>
    item.google?.structured_description === undefined ? meaningful(item.description) : undefined,
  link: ({ item }) => item.link,
  image_link: ({ item }) => item.images?.[0] && commaSafe(item.images[0]),
  additional_image_link: ({ furtherImages }) => list("additional_image_link", furtherImages),
  availability: ({ item }) => (item.availability === "unknown" ? undefined : item.availability),
  availability_date: ({ item }, { now }) => availabilityDate(item, now),
  price: ({ price }) => price,
  sale_price: (variant, { now }) => statedSale(variant, now),
  sale_price_effective_date: (variant, { now }) =>
    statedSale(variant, now) === undefined ? undefined : saleInterval(variant.item),
  brand: ({ item }) => realBrand(item),
  gtin: ({ item }) => trustedGtins(item),
  mpn: ({ item }) => meaningful(item.mpn),
  identifier_exists: ({ item }) => identifierExists(item),
  condition: ({ item }) => item.condition,
  google_product_category: ({ item }) => item.googleCategory,
  product_type: ({ categories }) => list("product_type", categories),
  item_group_id: (_, { groupId }) => shortGroupId(groupId),
  item_group_title: ({ item }, context) => (context.groupId === undefined ? undefined : item.groupTitle),
  variant_option: ({ item }, context) => (context.groupId === undefined ? undefined : variantOptions(item)),
  color: ({ item }) => color(item.color),
  size: ({ item }) => size(meaningful(item.size)),
  size_type: ({ item }) => valuesWith(item.sizeType, item.google?.size_type),
  size_system: ({ item }) => item.sizeSystem,
  material: ({ item }) => meaningful(item.material),
  pattern: ({ item }) => item.pattern,
  age_group: ({ item }) => item.ageGroup,
  gender: ({ item }) => item.gender,
  adult: ({ item }) => flag(item.adult),
  multipack: ({ item }) =>
    item.multipack !== undefined && item.multipack >= 2 ? String(item.multipack) : undefined,
  is_bundle: ({ item }) => flag(item.isBundle),
  unit_pricing_measure: ({ item }) => unitPricingMeasure(item),
  unit_pricing_base_measure: ({ item }) => unitPricingBase(item),
  shipping: ({ item }, { country }) => shippingGroups(item, country),
  shipping_weight: ({ item }) => weightUpTo(item.shippingWeight ?? item.weight, MAX_SHIPPING_WEIGHT),
  shipping_length: ({ item }) => parcelLength(item, 0),
  shipping_width: ({ item }) => parcelLength(item, 1),
  shipping_height: ({ item }) => parcelLength(item, 2),
  shipping_label: ({ item }) => item.shippingLabel,
  product_highlight: ({ item }) => list("product_highlight", item.highlights),
  product_detail: ({ item }) => details(item),
  product_length: ({ item }) => productLength(item, 0),
  product_width: ({ item }) => productLength(item, 1),
  product_height: ({ item }) => productLength(item, 2),
  product_weight: ({ item }) => weightUpTo(item.weight, MAX_PRODUCT_WEIGHT),
  certification: ({ item }) =>
    item.certifications?.map(({ authority, name, code, value }) => [authority, name, code, value]),
  energy_efficiency_class: ({ item }) => energyClass(item.energyClass),
  min_energy_efficiency_class: ({ item }) => energyClass(item.minEnergyClass),
  max_energy_efficiency_class: ({ item }) => energyClass(item.maxEnergyClass),
  video_link: ({ item }) => list("video_link", item.videos?.map(commaSafe)),
  custom_label_0: ({ item }) => item.customLabels?.[0] ?? undefined,
  custom_label_1: ({ item }) => item.customLabels?.[1] ?? undefined,
  custom_label_2: ({ item }) => item.customLabels?.[2] ?? undefined,
  custom_label_3: ({ item }) => item.customLabels?.[3] ?? undefined,
  custom_label_4: ({ item }) => item.customLabels?.[4] ?? undefined,
  expiration_date: ({ item }) => (item.expiresAt === undefined ? undefined : toMinute(item.expiresAt)),
  short_title: ({ item }) => item.shortTitle,
  mobile_link: ({ item }) => item.mobileLink,
  canonical_link: ({ item }) => item.canonicalLink,
};

/** `isPlain`: the value has no character that a file treats specially. */
export type ColumnReader = { readonly name: string } & (
  | { readonly shape: "one"; readonly isPlain: boolean; readonly read: GoogleValueReader<string> }
  | { readonly shape: "list"; readonly read: GoogleValueReader<readonly string[]> }
  | {
      readonly shape: "groups";
      readonly parts: readonly string[];
      readonly read: GoogleValueReader<readonly GroupValue[]>;
    }
);

function isOwn(name: GoogleFieldName): name is OwnFieldName {
  return name in GOOGLE_VALUES;
}

function ownColumn(name: OwnFieldName): ColumnReader {
  const { kind, parts = [], limit }: Field = GOOGLE_FIELD_TABLE.fields[name];
  // The kind decides the type of the value; TypeScript checks that in the table of values.
  const read = GOOGLE_VALUES[name] as GoogleValueReader<never>;
  if (kind === "list") return { name, shape: "list", read };
  if (kind === "groups") return { name, shape: "groups", parts, read };
  if (kind !== "text" && kind !== "url") return { name, shape: "one", isPlain: true, read };
  const fitted: GoogleValueReader<string> = (variant, context) => {
    const value: string | undefined = read(variant, context);
    return value === undefined ? undefined : within(value, limit);
  };
  return { name, shape: "one", isPlain: false, read: fitted };
}

/** A column that is passed through from the source. */
function passedColumn(name: GoogleColumn): ColumnReader {
  const attribute = GOOGLE_TABLE[name];
  const read: GoogleValueReader<never> = ({ item }) => item.google?.[name] as undefined;
  if (attribute.shape === "one") return { name, shape: "one", isPlain: false, read };
  if (attribute.shape === "list") return { name, shape: "list", read };
  const parts = Object.keys(attribute.parts);
  const groups: GoogleValueReader<readonly GroupValue[]> = ({ item }) => {
    const value = item.google?.[name] as readonly GoogleGroup[] | undefined;
    return value?.map((group) => parts.map((part) => group[part]));
  };
  return { name, shape: "groups", parts, read: groups };
}

export const COLUMNS: readonly ColumnReader[] = namesOf(GOOGLE_FIELD_TABLE.fields).map((name) =>
  isOwn(name) ? ownColumn(name) : passedColumn(name),
);

export type GoogleRow = { readonly variant: Variant; readonly context: RowContext };

/** The items of a group that a file contains, each with the context of its values. */
export function googleRows(group: ItemGroup, feed: FeedContext) {
  const { written, refusals, groupId } = writtenVariants(group, feed, {
    channel: "google",
    checks: REFUSALS,
  });
  const context: RowContext = { groupId, now: feed.asOf.toISOString(), country: feed.settings.country };
  return { rows: written.map((variant) => ({ variant, context })), refusals };
}
