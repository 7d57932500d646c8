/**
 * Turns a draft into an item or a rejection. Values are cleaned and checked, never guessed. Required values (id, title,
 * link, price) are read first; any other value that cannot be used is dropped with a warning.
 * Same draft, same settings: same item, with its fields in the same order.
 */
import { objectWithFastProperties } from "../lib/fast-properties.ts";
import type { Draft } from "./draft.ts";
import type { Rejection, Warning } from "./finding.ts";
import type { Item, Option, SourceField } from "./item.ts";
import type { DecimalMark } from "./decimal.ts";
import {
  readCategories,
  readCertifications,
  readCustomLabels,
  readGoogleCategory,
  readMultipack,
  readOptions,
  readTags,
  type Traits,
  traitsOf,
} from "./normalize/classification.ts";
import {
  booleanField,
  codeField,
  type DraftState,
  instantField,
  quoted,
  reject,
  type RequiredValue,
  textField,
  TITLE_LIMIT,
  urlField,
  wordField,
} from "./normalize/fields.ts";
import { fieldFinder } from "./normalize/field-finder.ts";
import { readGoogle } from "./normalize/google.ts";
import { readBarcode, readGtin, readId, readIdentifierExists } from "./normalize/identity.ts";
import {
  countryField,
  languageField,
  lengthField,
  readRating,
  readReturns,
  readShipping,
  readUnitPricing,
  weightField,
} from "./normalize/logistics.ts";
import { type ParsedPrices, readCost, readPrices } from "./normalize/price.ts";
import { conditionField, readAvailabilityDate, readStock } from "./normalize/stock.ts";
import {
  readBrand,
  readDescription,
  readDetails,
  readHighlights,
  readImages,
  readLink,
  readTitle,
  readVideos,
} from "./normalize/texts.ts";
import type { CatalogSettings } from "./settings.ts";
import type { StockStatus } from "./vocabulary/availability.ts";
import {
  AGE_GROUP_WORDS,
  ENERGY_CLASS_WORDS,
  GENDER_WORDS,
  PUBLISHED_WORDS,
  SIZE_SYSTEM_WORDS,
  SIZE_TYPE_WORDS,
} from "./vocabulary/traits.ts";

/**
 * Raise it when the same input, a file's row included, becomes another item than before: a file that has not changed
 * is then read again, once.
 */
export const NORMALIZER_VERSION = 11;

export type NormalizeContext = {
  /** The position in the source, counted from 1. */
  readonly position: number;
  readonly settings: CatalogSettings;
  /**
   * How the source writes decimals, when it is known: a platform's API always has `.`, a file's columns are judged
   * as a whole (`decimal-mark.ts`). Without it `1.299` and `1,299` follow the rules in `money.ts` and `decimal.ts`.
   */
  readonly decimalMark?: DecimalMark | undefined;
};

export type Normalized =
  | { readonly kind: "item"; readonly item: Item; readonly warnings: readonly Warning[] }
  | { readonly kind: "rejected"; readonly rejection: Rejection };

export function normalize(draft: Draft, context: NormalizeContext): Normalized {
  const { position, settings, decimalMark } = context;
  const state: DraftState = { draft, position, settings, decimalMark, warnings: [], itemId: null };
  const id = readId(state);
  if (id.kind === "valid" && wordField(state, "published", PUBLISHED_WORDS) === "no") {
    const status = quoted(draft.published ?? "");
    const message = `The shop marks the item as ${status}. Publish it in the shop to list it.`;
    return reject(state, "unpublished", "published", message);
  }
  const title = readTitle(state);
  const prices = readPrices(state);
  if (id.kind === "rejected" || title.kind === "rejected" || prices.kind === "rejected")
    return rejectedFor([id, title, prices]);
  const required = { id: id.value, title: title.value };
  return { kind: "item", item: assemble(state, required, prices.value), warnings: state.warnings };
}

/** One rejection with the code of the first problem and the sentences of all, so that all can be fixed at once. */
function rejectedFor(required: readonly RequiredValue<unknown>[]): Normalized {
  const rejections = required.flatMap((value) => (value.kind === "rejected" ? [value.rejection] : []));
  const [first] = rejections as [Rejection, ...Rejection[]];
  return {
    kind: "rejected",
    rejection: { ...first, message: rejections.map(({ message }) => message).join(" ") },
  };
}

/** The fields that are read before the optional fields. */
export type ItemState = DraftState & {
  readonly item: MutableItem;
  readonly prices: ParsedPrices;
  readonly stock: StockStatus;
  readonly options: readonly Option[];
  readonly traits: Traits;
};

export type MutableItem = { -readonly [Field in keyof Item]: Item[Field] };
export type OptionalField = Exclude<SourceField, RequiredField | "link">;
type RequiredField = "id" | "title" | "price" | "availability";
type FieldReader<Field extends keyof Item> = (state: ItemState, field: Field) => Item[Field] | undefined;

type FieldReaders = { readonly [Field in OptionalField]: FieldReader<Field> };

/** How each optional field is read, in the order in which an item has them. Equal items have equal JSON. */
export const FIELD_READERS: FieldReaders = {
  // A group may be named like one of its items: shops often name it after the first variant.
  groupId: codeField,
  sku: codeField,
  gtin: readGtin,
  barcode: (state) => readBarcode(state, state.item),
  mpn: codeField,
  brand: readBrand,
  identifierExists: (state) => readIdentifierExists(state, state.item),
  groupTitle: (state, field) => textField(state, field, TITLE_LIMIT),
  shortTitle: (state, field) => textField(state, field, TITLE_LIMIT),
  description: readDescription,
  highlights: readHighlights,
  details: readDetails,
  canonicalLink: urlField,
  mobileLink: urlField,
  images: readImages,
  videos: readVideos,
  salePrice: ({ prices }) => prices.salePrice,
  saleFrom: ({ prices }) => prices.sale?.from,
  saleTo: ({ prices }) => prices.sale?.to,
  priceIsList: ({ prices }) => prices.isList,
  priceIncludesTax: booleanField,
  unitPricing: readUnitPricing,
  cost: (state) => readCost(state, state.item.price.currency),
  availabilityDate: (state) => readAvailabilityDate(state, state.stock.availability),
  quantity: ({ stock }) => stock.quantity,
  expiresAt: (state, field) => instantField(state, field, "end"),
  condition: conditionField,
  googleCategory: readGoogleCategory,
  categories: readCategories,
  tags: readTags,
  options: ({ options }) => (options.length === 0 ? undefined : options),
  color: traitField,
  size: traitField,
  sizeSystem: (state, field) => wordField(state, field, SIZE_SYSTEM_WORDS),
  sizeType: (state, field) => wordField(state, field, SIZE_TYPE_WORDS),
  material: traitField,
  pattern: traitField,
  gender: (state, field) => wordField(state, field, GENDER_WORDS),
  ageGroup: (state, field) => wordField(state, field, AGE_GROUP_WORDS),
  adult: booleanField,
  multipack: readMultipack,
  isBundle: booleanField,
  isDigital: booleanField,
  energyClass: energyClassField,
  minEnergyClass: energyClassField,
  maxEnergyClass: energyClassField,
  certifications: readCertifications,
  customLabels: readCustomLabels,
  weight: weightField,
  length: lengthField,
  width: lengthField,
  height: lengthField,
  shippingWeight: weightField,
  shippingLength: lengthField,
  shippingWidth: lengthField,
  shippingHeight: lengthField,
  shipping: (state) => readShipping(state, state.item.price.currency),
  shippingLabel: textField,
  returns: readReturns,
  rating: readRating,
  country: countryField,
  language: languageField,
  google: (state) => readGoogle(state, state.item.price.currency, state.stock.handling),
};

type NamedFieldReader = { readonly field: OptionalField; readonly read: FieldReader<OptionalField> };

/** The readers are a list, because looking up 59 readers by name for each item takes longer. */
const READERS = Object.entries(FIELD_READERS).map(([field, read]) => ({
  field,
  read,
})) as readonly NamedFieldReader[];
const OPTIONAL_FIELDS = Object.keys(FIELD_READERS) as readonly OptionalField[];
const fieldsIn = fieldFinder(OPTIONAL_FIELDS);
/** The fields that a source can fill, in the order in which an item has them. */
export const ITEM_FIELDS: readonly SourceField[] = [
  "id",
  "title",
  "link",
  "price",
  "availability",
  ...OPTIONAL_FIELDS,
];

function traitField(state: ItemState, field: keyof Traits): string | undefined {
  return textField(state, field) ?? state.traits[field];
}

function energyClassField(state: ItemState, field: "energyClass" | "minEnergyClass" | "maxEnergyClass") {
  return wordField(state, field, ENERGY_CLASS_WORDS);
}

function assemble(
  state: DraftState,
  required: { readonly id: string; readonly title: string },
  prices: ParsedPrices,
): Item {
  const stock = readStock(state);
  const options = readOptions(state);
  const item = objectWithFastProperties() as MutableItem;
  item.id = required.id;
  item.title = required.title;
  setField(item, "link", readLink(state));
  item.price = prices.price;
  item.availability = stock.availability;
  const itemState: ItemState = { ...state, item, prices, stock, options, traits: traitsOf(options) };
  const found = fieldsIn(state.draft);
  for (let index = 0; index < READERS.length; index += 1) {
    if (found[index] === 0) continue;
    const { field, read } = READERS[index] as NamedFieldReader;
    setField(item, field, read(itemState, field));
  }
  return item;
}

export function setField<Field extends keyof Item>(
  item: MutableItem,
  field: Field,
  value: Item[Field] | undefined,
): void {
  if (value !== undefined) item[field] = value;
}
