/** The node of one item. One function a property; undefined leaves the property out. */
import type { Item, LengthUnit, Measure, WeightUnit } from "../../catalog/item.ts";
import { meaningful } from "../../catalog/filler-words.ts";
import { namesOf } from "../kit/field-table.ts";
import {
  AGE_YEARS,
  ENERGY_TERMS,
  GENDER_TERMS,
  GOOGLE_TAXONOMY,
  type ProductProperty,
  SCHEMA_ORG_FIELD_TABLE,
  SIZE_GROUP_TERMS,
  SIZE_SYSTEM_TERMS,
  UNIT_CODES,
} from "./fields.ts";
import { array, type Json, maybeStr, node, nodeId, str, strings, term } from "./json-text.ts";
import { offer } from "./offer.ts";
import type { SchemaOrgStore } from "./store.ts";
import type { Variant } from "../kit/variants.ts";
import { memoizeLastArgument } from "../kit/memoize.ts";

export type ProductContext = {
  readonly store: SchemaOrgStore;
  readonly groupId: string | undefined;
  /** The group as an object, where the product stands outside of it. */
  readonly group: Json | undefined;
  /** Variants that share their SKU with another one and have no GTIN of their own: these go by their ids. */
  readonly alike: ReadonlySet<Item> | undefined;
};
/** An item with what its properties need; the link is written three times, so its JSON is made once. */
type PlacedVariant = ProductContext & { readonly variant: Variant; readonly item: Item; readonly link: Json };
type ValueOf = (placed: PlacedVariant) => Json | undefined;

/** Google takes no SKU with white space in it. */
function sku(item: Item, alike: ReadonlySet<Item> | undefined): Json | undefined {
  const { sku: own, id } = item;
  const code = own !== undefined && !/\s/.test(own) && alike?.has(item) !== true ? own : id;
  return /\s/.test(code) ? undefined : str(code);
}

function gtinOf(length: 8 | 12 | 13 | 14): ValueOf {
  return ({ item }) => (item.gtin?.length === length ? `"${item.gtin}"` : undefined);
}

const brandNode = memoizeLastArgument((name: string) => `{"@type":"Brand","name":${str(name)}}`);

export function brand(item: Item): Json | undefined {
  const name = meaningful(item.brand);
  return name === undefined ? undefined : brandNode(name);
}

const categoryText = memoizeLastArgument(str);
const CATEGORY_CODE = `{"@type":"CategoryCode","inCodeSet":"${GOOGLE_TAXONOMY}","codeValue":`;

function category({ categories, item: { googleCategory } }: Variant): Json | undefined {
  const found = categories?.map(categoryText) ?? [];
  if (googleCategory !== undefined) found.push(`${CATEGORY_CODE}${str(googleCategory)}}`);
  return array(found);
}

function size({ size: given, sizeSystem, sizeType }: Item): Json | undefined {
  const name = meaningful(given);
  if (name === undefined || (sizeSystem === undefined && sizeType === undefined)) return maybeStr(name);
  return node("SizeSpecification", {
    name: str(name),
    sizeGroup: sizeType && term(SIZE_GROUP_TERMS[sizeType]),
    sizeSystem: sizeSystem && term(SIZE_SYSTEM_TERMS[sizeSystem]),
  });
}

function audience({ gender, ageGroup }: Item): Json | undefined {
  if (gender === undefined && ageGroup === undefined) return undefined;
  const years = ageGroup && AGE_YEARS[ageGroup];
  return node("PeopleAudience", {
    suggestedGender: gender && str(GENDER_TERMS[gender]),
    suggestedMinAge: years && String(years.min),
    suggestedMaxAge: years?.max === undefined ? undefined : String(years.max),
  });
}

function quantity(measure: Measure<WeightUnit | LengthUnit> | undefined): Json | undefined {
  if (measure === undefined) return undefined;
  return `{"@type":"QuantitativeValue","value":"${measure.value}","unitCode":"${UNIT_CODES[measure.unit]}"}`;
}

function property(name: string, value: string): Json {
  return node("PropertyValue", { name: str(name), value: str(value) });
}

/** An option that is a color, size, material or pattern has a property of its own already. */
function additionalProperty(item: Item): Json | undefined {
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

function certifications({ certifications: given }: Item): Json | undefined {
  const taken = given?.slice(0, SCHEMA_ORG_FIELD_TABLE.types.Product.hasCertification.most) ?? [];
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

function energy({ energyClass }: Item): Json | undefined {
  const name = energyClass && ENERGY_TERMS.get(energyClass);
  if (name === undefined || name === "") return undefined;
  return node("EnergyConsumptionDetails", {
    hasEnergyEfficiencyCategory: term(`EUEnergyEfficiencyCategory${name}`),
  });
}

/** Readers take a scale of 1 to 5 for granted; a value outside of it makes the whole rating invalid. */
function rating({ rating: given }: Item): Json | undefined {
  if (given === undefined || given.count < 1) return undefined;
  const stars = Number(given.value);
  if (stars < 1 || stars > 5) return undefined;
  return `{"@type":"AggregateRating","ratingValue":"${given.value}","reviewCount":${given.count}}`;
}

const PRODUCT_VALUES: { readonly [P in ProductProperty]: ValueOf } = {
  name: ({ variant }) => str(variant.title.name + variant.title.suffix),
  description: ({ item }) => maybeStr(meaningful(item.description)),
  url: ({ link }) => link,
  image: ({ item }) => item.images && strings(item.images),
  productID: ({ item }) => str(item.id),
  sku: ({ item, alike }) => sku(item, alike),
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

const COLUMNS = namesOf(SCHEMA_ORG_FIELD_TABLE.types.Product).map((name) => ({
  key: `,"${name}":`,
  valueOf: PRODUCT_VALUES[name],
}));

export function product(variant: Variant, { store, groupId, group, alike }: ProductContext): Json {
  const { item } = variant;
  const link = str(item.link);
  const placed: PlacedVariant = { variant, item, link, store, groupId, group, alike };
  let text = `{"@type":"Product","@id":${nodeId(link, "product", item.id)}`;
  for (const { key, valueOf } of COLUMNS) {
    const value = valueOf(placed);
    if (value !== undefined) text += key + value;
  }
  return `${text}}`;
}
