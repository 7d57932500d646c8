/**
 * An item as `Product`, and a group of variants as `ProductGroup`. One function for each property; undefined leaves the
 * property out. A group states only what all its variants have in common; a variant of a group that is written in parts
 * only names its group.
 */
import { meaningful } from "../../catalog/filler-words.ts";
import type { Item, LengthUnit, Measure, WeightUnit } from "../../catalog/item.ts";
import { memoizeLast } from "../../lib/memoize.ts";
import type { Variant } from "../kit/variants.ts";
import {
  AGE_YEARS,
  ENERGY_TERMS,
  GENDER_TERMS,
  GOOGLE_TAXONOMY,
  type GroupProperty,
  type ProductProperty,
  SCHEMA_ORG,
  SCHEMA_ORG_FIELD_TABLE,
  SIZE_GROUP_TERMS,
  SIZE_SYSTEM_TERMS,
  UNIT_CODES,
} from "./fields.ts";
import { array, type JsonText, maybeStr, node, nodeId, nodeWriter, str, strings, term } from "./json-text.ts";
import { offer } from "./offer.ts";
import type { SchemaOrgStore } from "./store.ts";

type ProductNodeContext = {
  readonly store: SchemaOrgStore;
  readonly groupId?: string;
  /** The group as an object, where the product is not nested in it. */
  readonly group?: JsonText;
  /** Variants that share SKU and GTIN with others: their SKU is their id. */
  readonly sharing?: ReadonlySet<Item>;
};
/** An item with what its properties need; the link is written three times, so its JSON is made once. */
type PlacedVariant = ProductNodeContext & {
  readonly variant: Variant;
  readonly item: Item;
  readonly link: JsonText | undefined;
};
type ProductValueReader = (placed: PlacedVariant) => JsonText | undefined;

/** Google takes no SKU with white space in it. */
function sku(item: Item, sharing: ReadonlySet<Item> | undefined): JsonText | undefined {
  const { sku: own, id } = item;
  const code = own !== undefined && !/\s/.test(own) && sharing?.has(item) !== true ? own : id;
  return /\s/.test(code) ? undefined : str(code);
}

function gtinOf(length: 8 | 12 | 13 | 14): ProductValueReader {
  return ({ item }) => (item.gtin?.length === length ? `"${item.gtin}"` : undefined);
}

const brandNode = memoizeLast((name: string) => `{"@type":"Brand","name":${str(name)}}`);

function brand(item: Item): JsonText | undefined {
  const name = meaningful(item.brand);
  return name === undefined ? undefined : brandNode(name);
}

const categoryText = memoizeLast(str);
const CATEGORY_CODE = `{"@type":"CategoryCode","inCodeSet":"${GOOGLE_TAXONOMY}","codeValue":`;

function category({ categories, item: { googleCategory } }: Variant): JsonText | undefined {
  const found = categories?.map(categoryText) ?? [];
  if (googleCategory !== undefined) found.push(`${CATEGORY_CODE}${str(googleCategory)}}`);
  return array(found);
}

function size({ size: text, sizeSystem, sizeType }: Item): JsonText | undefined {
  const name = meaningful(text);
  if (name === undefined || (sizeSystem === undefined && sizeType === undefined)) return maybeStr(name);
  return node("SizeSpecification", {
    name: str(name),
    sizeGroup: sizeType && term(SIZE_GROUP_TERMS[sizeType]),
    sizeSystem: sizeSystem && term(SIZE_SYSTEM_TERMS[sizeSystem]),
  });
}

function audience({ gender, ageGroup }: Item): JsonText | undefined {
  if (gender === undefined && ageGroup === undefined) return undefined;
  const years = ageGroup && AGE_YEARS[ageGroup];
  return node("PeopleAudience", {
    suggestedGender: gender && str(GENDER_TERMS[gender]),
    suggestedMinAge: years && String(years.min),
    suggestedMaxAge: years?.max === undefined ? undefined : String(years.max),
  });
}

function quantity(measure: Measure<WeightUnit | LengthUnit> | undefined): JsonText | undefined {
  if (measure === undefined) return undefined;
  return `{"@type":"QuantitativeValue","value":"${measure.value}","unitCode":"${UNIT_CODES[measure.unit]}"}`;
}

function property(name: string, value: string): JsonText {
  return node("PropertyValue", { name: str(name), value: str(value) });
}

/** An option that is a color, size, material or pattern has a property of its own already. */
function additionalProperty(item: Item): JsonText | undefined {
  if (item.options === undefined && item.details === undefined) return undefined;
  const stated = [item.color, item.size, item.material, item.pattern];
  const options = (item.options ?? []).filter(({ value }) => !stated.includes(value));
  return array([
    ...options.map(({ name, value }) => property(name, value)),
    ...(item.details ?? []).map(({ section, name, value }) =>
      property(section === undefined ? name : `${section}: ${name}`, value),
    ),
  ]);
}

function certifications({ certifications: all }: Item): JsonText | undefined {
  const taken = all?.slice(0, SCHEMA_ORG_FIELD_TABLE.types.Product.hasCertification.most) ?? [];
  return array(
    taken.map(({ authority, name, code }) =>
      node("Certification", {
        issuedBy: node("Organization", { name: str(authority) }),
        name: str(name),
        certificationIdentification: maybeStr(code),
      }),
    ),
  );
}

function energy({ energyClass }: Item): JsonText | undefined {
  const name = energyClass && ENERGY_TERMS.get(energyClass);
  if (name === undefined || name === "") return undefined;
  return node("EnergyConsumptionDetails", {
    hasEnergyEfficiencyCategory: term(`EUEnergyEfficiencyCategory${name}`),
  });
}

/** Readers take a scale of 1 to 5 for granted; a value outside of it makes the whole rating invalid. */
function rating({ rating: stated }: Item): JsonText | undefined {
  if (stated === undefined || stated.count < 1) return undefined;
  const stars = Number(stated.value);
  if (stars < 1 || stars > 5) return undefined;
  return `{"@type":"AggregateRating","ratingValue":"${stated.value}","reviewCount":${stated.count}}`;
}

/** The variants of a group often share it. */
const descriptionText = memoizeLast(str);

function description(text: string | undefined): JsonText | undefined {
  return text === undefined ? undefined : descriptionText(text);
}

const PRODUCT_VALUES: { readonly [P in ProductProperty]: ProductValueReader } = {
  name: ({ variant }) => str(variant.title.name + variant.title.suffix),
  description: ({ item }) => description(meaningful(item.description)),
  url: ({ link }) => link,
  image: ({ item }) => item.images && strings(item.images),
  productID: ({ item }) => str(item.id),
  sku: ({ item, sharing }) => sku(item, sharing),
  gtin8: gtinOf(8),
  gtin12: gtinOf(12),
  gtin13: gtinOf(13),
  gtin14: gtinOf(14),
  mpn: ({ item }) => maybeStr(meaningful(item.mpn)),
  brand: ({ item }) => brand(item),
  category: ({ variant }) => category(variant),
  color: ({ item }) => maybeStr(meaningful(item.color)),
  size: ({ item }) => size(item),
  material: ({ item }) => maybeStr(meaningful(item.material)),
  pattern: ({ item }) => maybeStr(item.pattern),
  audience: ({ item }) => audience(item),
  weight: ({ item }) => quantity(item.weight),
  depth: ({ item }) => quantity(item.length),
  width: ({ item }) => quantity(item.width),
  height: ({ item }) => quantity(item.height),
  additionalProperty: ({ item }) => additionalProperty(item),
  hasCertification: ({ item }) => certifications(item),
  hasEnergyConsumptionDetails: ({ item }) => energy(item),
  hasAdultConsideration: ({ item }) => (item.adult === true ? term("SexualContentConsideration") : undefined),
  aggregateRating: ({ item }) => rating(item),
  inProductGroupWithID: ({ groupId }) => maybeStr(groupId),
  isVariantOf: ({ group }) => group,
  offers: ({ variant, link, store }) => offer({ variant, link, store }),
};

const writeProduct = nodeWriter(SCHEMA_ORG_FIELD_TABLE.types.Product, PRODUCT_VALUES);

export function product(variant: Variant, context: ProductNodeContext): JsonText {
  const { item } = variant;
  const link = maybeStr(item.link);
  const id = nodeId(link, "product", item.id);
  const head = id === undefined ? '{"@type":"Product"' : `{"@type":"Product","@id":${id}`;
  return writeProduct(head, { ...context, variant, item, link });
}

type AttributeReader = (item: Item) => string | undefined;

/** The six axes that Google reads, by its names. */
const AXES: readonly (readonly [string, AttributeReader])[] = [
  ["color", (item) => meaningful(item.color)],
  ["size", (item) => meaningful(item.size)],
  ["material", (item) => meaningful(item.material)],
  ["pattern", (item) => item.pattern],
  ["suggestedAge", (item) => item.ageGroup],
  ["suggestedGender", (item) => item.gender],
];

function variesBy(variants: readonly Variant[]): JsonText | undefined {
  const varying = AXES.filter(([, attribute]) => isVarying(variants, attribute));
  return array(varying.map(([name]) => `"${SCHEMA_ORG}/${name}"`));
}

/** All variants have the attribute, and not all the same. */
function isVarying(variants: readonly Variant[], attribute: AttributeReader): boolean {
  let first: string | undefined;
  let differs = false;
  for (const { item } of variants) {
    const value = attribute(item);
    if (value === undefined) return false;
    first ??= value;
    differs ||= value !== first;
  }
  return differs;
}

function shared(variants: readonly Variant[], attribute: AttributeReader): string | undefined {
  const first = variants[0] && attribute(variants[0].item);
  return variants.every(({ item }) => attribute(item) === first) ? first : undefined;
}

/** Google distinguishes variants by SKU or GTIN; some shops give all variants of a product one SKU. */
function withSharedCodes(variants: readonly Variant[]): ReadonlySet<Item> {
  const skus = countOf(variants, ({ sku }) => sku);
  const gtins = countOf(variants, ({ gtin }) => gtin);
  const sharing = new Set<Item>();
  for (const { item } of variants) {
    const { sku, gtin } = item;
    const isUnique =
      (sku !== undefined && skus.get(sku) === 1) || (gtin !== undefined && gtins.get(gtin) === 1);
    if (!isUnique) sharing.add(item);
  }
  return sharing;
}

function countOf(variants: readonly Variant[], code: AttributeReader): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { item } of variants) {
    const value = code(item);
    if (value !== undefined) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return counts;
}

function groupName({ groupTitle, title }: Item): JsonText {
  return str(groupTitle ?? title);
}

export function productGroup(
  first: Item,
  variants: readonly Variant[],
  { groupId, store }: { readonly groupId: string; readonly store: SchemaOrgStore },
): JsonText {
  const page = shared(variants, (item) => item.canonicalLink);
  const context = { store, groupId, sharing: withSharedCodes(variants) };
  const properties: { readonly [P in GroupProperty]: JsonText | undefined } = {
    name: groupName(first),
    description: description(shared(variants, (item) => item.description)),
    url: maybeStr(page),
    productGroupID: str(groupId),
    brand: shared(variants, (item) => item.brand) === undefined ? undefined : brand(first),
    variesBy: variesBy(variants),
    hasVariant: array(variants.map((variant) => product(variant, context))),
  };
  const id = nodeId(maybeStr(page ?? first.link), "group", groupId);
  return node("ProductGroup", { "@id": id, ...properties });
}

/** A variant of a group that is written in parts. The group has no `@id`, since no node of the file has one for it. */
export function loneVariant(
  variant: Variant,
  { groupId, store }: { readonly groupId: string; readonly store: SchemaOrgStore },
): JsonText {
  const group = node("ProductGroup", { name: groupName(variant.item), productGroupID: str(groupId) });
  return product(variant, { store, groupId, group });
}
