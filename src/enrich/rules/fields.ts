/**
 * The fields that rules read and set, by the names that pushes use. This table is their only declaration: conditions,
 * actions and docs/rules.md are made from it.
 */
import {
  GOOGLE_COLUMNS,
  GOOGLE_TABLE,
  type GoogleColumn,
  type GoogleValue,
} from "../../catalog/google-attributes.ts";
import type { GoogleFormKind } from "../../catalog/google-form.ts";
import type { TextField } from "../../catalog/draft.ts";
import {
  AGE_GROUPS,
  AVAILABILITIES,
  CONDITIONS,
  GENDERS,
  type Item,
  type Measure,
  type Money,
  type ShippingRate,
  SIZE_SYSTEMS,
  SIZE_TYPES,
} from "../../catalog/item.ts";
import { formatMoney } from "../../catalog/money.ts";
import type { SingleField } from "../../catalog/read-value.ts";
import type { Day } from "../../lib/day.ts";
import { snakeCase } from "../../lib/snake-case.ts";

/** Where an item comes from: the source's id and name, or neither for a pushed item. */
export type RuleSource = {
  readonly id: string | null;
  readonly name: string | null;
  /** The day on which rules are applied, for fields that count days from it. */
  readonly today?: Day;
  /** The variants of the item's product, as sources have them and in the order of their ids; empty if they are too many. */
  readonly variants?: readonly Item[];
};

/** For fields that do not depend on it. */
export const NO_SOURCE: RuleSource = { id: null, name: null };

export type FieldKind =
  | "text"
  /** One of a closed list. */
  | "word"
  /** Yes or no. */
  | "flag"
  | "number"
  | "money"
  | "measure"
  | "time"
  /** Several texts. */
  | "list"
  /** Category paths. */
  | "paths"
  /** Values with parts, which conditions can only find to be there or not. */
  | "parts";

/** One text, several, or undefined where the item has no value. */
export type FieldText = string | readonly string[] | undefined;

/** How a field is set; a field without a target is only read. */
export type Target =
  | { readonly via: "field"; readonly field: SingleField }
  | { readonly via: "label"; readonly index: number }
  | { readonly via: "image" | "additionalImages" }
  | { readonly via: "google"; readonly name: GoogleColumn }
  | { readonly via: "shipping"; readonly country: string }
  /** Depends on other fields of the item. */
  | { readonly via: "patch"; readonly field: TextField };

export type RuleField = {
  readonly name: string;
  readonly kind: FieldKind;
  readonly read: (item: Item, source: RuleSource) => FieldText;
  readonly target?: Target;
  /** The values of a `word`, if they are few. */
  readonly values?: readonly string[];
  /** Every item has one, so that it cannot be cleared. */
  readonly isRequired?: boolean;
  /** Whether markup is removed from its texts, so that a plain text has to be escaped first. */
  readonly isProse?: boolean;
  /** No feed may show it: conditions and formulas read it, and no action copies it to another field. */
  readonly isPrivate?: boolean;
  readonly mayBeNegative?: boolean;
  /** Its value depends on more than the item. */
  readonly usesSource?: boolean;
  /** The field under which a change of this one is listed, if this one is a part of it. */
  readonly entryOf?: string;
};

type Reader = RuleField["read"];

const yesNo = (value: boolean | undefined): string | undefined =>
  value === undefined ? undefined : value ? "yes" : "no";
const numberText = (value: number | undefined): string | undefined =>
  value === undefined ? undefined : String(value);
export const moneyText = (value: Money | undefined): string | undefined =>
  value === undefined ? undefined : formatMoney(value);
const measureText = (value: Measure | undefined): string | undefined =>
  value === undefined ? undefined : `${value.value} ${value.unit}`;

const rateText = ({ country, price }: ShippingRate): string =>
  country === undefined ? formatMoney(price) : `${country} ${formatMoney(price)}`;

type FieldOf<Value> = {
  [Field in SingleField]: NonNullable<Item[Field]> extends Value ? Field : never;
}[SingleField];

/** Fields whose value is one of the item's own fields. */
function own<Value>(
  kind: FieldKind,
  names: readonly FieldOf<Value>[],
  textOf: (value: Value | undefined) => FieldText,
): RuleField[] {
  return names.map((field) => ({
    name: snakeCase(field),
    kind,
    read: (item) => textOf(item[field] as Value | undefined),
    target: { via: "field", field },
  }));
}

const asItIs = <Value extends FieldText>(value: Value): Value => value;
const prose = (fields: readonly RuleField[]): RuleField[] =>
  fields.map((field) => ({ ...field, isProse: true }));
const word = (field: FieldOf<string>, values: readonly string[]): RuleField[] =>
  own<string>("word", [field], asItIs).map((entry) => ({ ...entry, values }));
const required = (fields: readonly RuleField[]): RuleField[] =>
  fields.map((field) => ({ ...field, isRequired: true }));
const patched = (field: TextField, kind: FieldKind, read: Reader): RuleField => ({
  name: snakeCase(field),
  kind,
  read,
  target: { via: "patch", field },
});
const readOnly = (name: string, kind: FieldKind, read: Reader): RuleField => ({ name, kind, read });

const ENERGY_CLASSES = ["A+++", "A++", "A+", "A", "B", "C", "D", "E", "F", "G"];

const IDENTITY: readonly RuleField[] = [
  { name: "id", kind: "text", read: ({ id }) => id, isRequired: true },
  readOnly("group_id", "text", ({ groupId }) => groupId),
  {
    name: "source",
    kind: "list",
    read: (_, { id, name }) => (id === null ? ["pushed"] : name === null ? [id] : [name, id]),
    usesSource: true,
  },
  ...own<string>("text", ["sku", "gtin"], asItIs),
  readOnly("barcode", "text", ({ barcode }) => barcode),
  ...own<string>("text", ["mpn"], asItIs),
  ...prose(own<string>("text", ["brand"], asItIs)),
  ...own<boolean>("flag", ["identifierExists"], yesNo),
];

const TEXTS: readonly RuleField[] = [
  ...required(prose(own<string>("text", ["title"], asItIs))),
  ...prose(own<string>("text", ["groupTitle", "shortTitle", "description"], asItIs)),
  ...prose(own<readonly string[]>("list", ["highlights"], asItIs)),
  readOnly("details", "parts", ({ details }) => details?.map(({ value }) => value)),
];

const LINKS: readonly RuleField[] = [
  ...required(own<string>("text", ["link"], asItIs)),
  ...own<string>("text", ["canonicalLink", "mobileLink"], asItIs),
  { name: "image", kind: "text", read: ({ images }) => images?.[0], target: { via: "image" } },
  {
    name: "additional_images",
    kind: "list",
    read: ({ images = [] }) => (images.length < 2 ? undefined : images.slice(1)),
    target: { via: "additionalImages" },
  },
  ...own<readonly string[]>("list", ["videos"], asItIs),
];

/**
 * As a push states them: next to a list price, `price` is the price now. It is also the `sale_price`, which feeds show: shops
 * such as those on Shopify have their sales as list prices.
 */
const OFFER: readonly RuleField[] = [
  ...required([
    patched("price", "money", ({ price, salePrice, priceIsList }) =>
      moneyText(priceIsList === true ? salePrice : price),
    ),
  ]),
  patched("salePrice", "money", ({ salePrice }) => moneyText(salePrice)),
  patched("listPrice", "money", ({ price, priceIsList }) =>
    priceIsList === true ? moneyText(price) : undefined,
  ),
  patched("saleFrom", "time", ({ saleFrom }) => saleFrom),
  patched("saleTo", "time", ({ saleTo }) => saleTo),
  ...own<boolean>("flag", ["priceIncludesTax"], yesNo),
  patched("unitPricingMeasure", "text", ({ unitPricing }) => measureText(unitPricing?.measure)),
  patched("unitPricingBaseMeasure", "text", ({ unitPricing }) => measureText(unitPricing?.base)),
  ...own<Money>("money", ["cost"], moneyText).map((field) => ({ ...field, isPrivate: true })),
  {
    ...patched("availability", "word", ({ availability }) =>
      availability === "unknown" ? undefined : availability,
    ),
    values: AVAILABILITIES.filter((availability) => availability !== "unknown"),
  },
  patched("availabilityDate", "time", ({ availabilityDate }) => availabilityDate),
  patched("quantity", "number", ({ quantity }) => numberText(quantity)),
  ...own<string>("time", ["expiresAt"], asItIs),
  ...word("condition", CONDITIONS),
];

const CLASSIFICATION: readonly RuleField[] = [
  ...prose(own<string>("text", ["googleCategory"], asItIs)),
  ...prose(
    own<readonly (readonly string[])[]>("paths", ["categories"], (paths) =>
      paths?.map((path) => path.join(" > ")),
    ),
  ),
  ...prose(own<readonly string[]>("list", ["tags"], asItIs)),
  readOnly("options", "parts", ({ options }) => options?.map(({ value }) => value)),
  ...prose(own<string>("text", ["color", "size", "material", "pattern"], asItIs)),
  ...word("sizeSystem", SIZE_SYSTEMS),
  ...word("sizeType", SIZE_TYPES),
  ...word("gender", GENDERS),
  ...word("ageGroup", AGE_GROUPS),
  ...own<boolean>("flag", ["adult", "isBundle", "isDigital"], yesNo),
  ...own<number>("number", ["multipack"], numberText),
  ...word("energyClass", ENERGY_CLASSES),
  ...word("minEnergyClass", ENERGY_CLASSES),
  ...word("maxEnergyClass", ENERGY_CLASSES),
  readOnly("certifications", "parts", ({ certifications }) => certifications?.map(({ name }) => name)),
  ...[0, 1, 2, 3, 4].map(
    (index): RuleField => ({
      name: `custom_label${index}`,
      kind: "text",
      read: ({ customLabels }) => customLabels?.[index] ?? undefined,
      target: { via: "label", index },
      isProse: true,
    }),
  ),
];

const LOGISTICS: readonly RuleField[] = [
  ...own<Measure>(
    "measure",
    [
      "weight",
      "length",
      "width",
      "height",
      "shippingWeight",
      "shippingLength",
      "shippingWidth",
      "shippingHeight",
    ],
    measureText,
  ),
  readOnly("shipping", "parts", ({ shipping }) => shipping?.map(rateText)),
  ...prose(own<string>("text", ["shippingLabel"], asItIs)),
  patched("acceptsReturns", "flag", ({ returns }) => yesNo(returns?.accepted)),
  patched("returnDays", "number", ({ returns }) => numberText(returns?.days)),
  patched("returnPolicyUrl", "text", ({ returns }) => returns?.policyUrl),
  patched("ratingValue", "number", ({ rating }) => rating?.value),
  patched("ratingCount", "number", ({ rating }) => numberText(rating?.count)),
  ...own<string>("word", ["country", "language"], asItIs),
];

/** The forms of Google's attributes that are not compared as texts. */
const GOOGLE_KINDS: Readonly<Partial<Record<GoogleFormKind, FieldKind>>> = {
  number: "number",
  decimal: "number",
  money: "money",
  flag: "flag",
};

function googleField(name: GoogleColumn): RuleField {
  const attribute = GOOGLE_TABLE[name];
  const read: Reader = ({ google }) => googleText(google?.[name]);
  if (attribute.shape === "groups") return readOnly(name, "parts", read);
  const { kind } = attribute.form;
  return {
    name,
    kind: attribute.shape === "list" ? "list" : (GOOGLE_KINDS[kind] ?? "text"),
    read,
    target: { via: "google", name },
    isProse: kind === "text",
  };
}

function googleText(value: GoogleValue | undefined): FieldText {
  if (value === undefined || typeof value === "string") return value;
  return value.map((entry) => (typeof entry === "string" ? entry : Object.values(entry).join(":")));
}

/** In the order of docs/rules.md. */
export const RULE_FIELDS: readonly RuleField[] = [
  ...IDENTITY,
  ...TEXTS,
  ...LINKS,
  ...OFFER,
  ...CLASSIFICATION,
  ...LOGISTICS,
  ...GOOGLE_COLUMNS.map(googleField),
];
