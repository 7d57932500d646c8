/** Which value of each feed shows which field of an item, so that they can be compared side by side. */
import type { ItemAnswer } from "../../src/contract/items.ts";
import { itemText } from "./messages/items.ts";

type Feed = ItemAnswer["data"]["feeds"][number];
export type FeedPlace = "stored" | Feed["file"];
export const PLACES = ["stored", "acp.csv", "acp.json", "gmc.tsv", "jsonld.json"] as const;

export type FieldRow = {
  readonly key: string;
  readonly label: string;
  /** Named as in the feeds, not one of the fields that all have. */
  readonly isOther: boolean;
  readonly values: Readonly<Partial<Record<FeedPlace, readonly string[]>>>;
};

type Names = readonly string[];
type Field = {
  readonly label: string;
  readonly stored: Names;
  readonly acp: Names;
  readonly gmc: Names;
  readonly jsonld: Names;
};

const same = (label: string, name: string): Field => ({
  label,
  stored: [name],
  acp: [name],
  gmc: [name],
  jsonld: [name],
});

const { fields: label } = itemText;
const FIELDS: readonly Field[] = [
  { label: label.id, stored: ["id"], acp: ["item_id"], gmc: ["id"], jsonld: ["productID"] },
  { ...same(label.title, "title"), jsonld: ["name"] },
  same(label.description, "description"),
  { label: label.link, stored: ["link"], acp: ["url"], gmc: ["link"], jsonld: ["url"] },
  {
    label: label.images,
    stored: ["images"],
    acp: ["image_url", "additional_image_urls"],
    gmc: ["image_link", "additional_image_link"],
    jsonld: ["image"],
  },
  // While a sale runs, JSON-LD has the price before it as a price of its own.
  { ...same(label.price, "price"), jsonld: ["offers.priceSpecification.price", "offers.price"] },
  { ...same(label.salePrice, "sale_price"), jsonld: ["offers.price"] },
  { ...same(label.availability, "availability"), jsonld: ["offers.availability"] },
  { ...same(label.brand, "brand"), jsonld: ["brand.name"] },
  { ...same(label.gtin, "gtin"), jsonld: ["gtin8", "gtin12", "gtin13", "gtin14"] },
  same(label.mpn, "mpn"),
  same(label.sku, "sku"),
  { ...same(label.condition, "condition"), jsonld: ["offers.itemCondition"] },
  {
    label: label.googleCategory,
    stored: ["google_category"],
    acp: [],
    gmc: ["google_product_category"],
    jsonld: [],
  },
  {
    label: label.category,
    stored: ["categories"],
    acp: ["product_category"],
    gmc: ["product_type"],
    jsonld: ["category"],
  },
  {
    label: label.group,
    stored: ["group_id"],
    acp: ["group_id"],
    gmc: ["item_group_id"],
    jsonld: ["inProductGroupWithID"],
  },
  same(label.color, "color"),
  same(label.size, "size"),
  same(label.material, "material"),
  same(label.pattern, "pattern"),
  { ...same(label.gender, "gender"), jsonld: ["audience.suggestedGender"] },
  { ...same(label.ageGroup, "age_group"), jsonld: [] },
];

/** A field takes one value, except those that are lists in every feed. */
const LISTS: ReadonlySet<string> = new Set([label.images]);

type Values = Map<string, readonly string[]>;

export function compareFeeds({ item, feeds }: ItemAnswer["data"]): readonly FieldRow[] {
  const values: Record<FeedPlace, Values> = {
    stored: flatten(item),
    "acp.csv": new Map(),
    "acp.json": new Map(),
    "gmc.tsv": new Map(),
    "jsonld.json": new Map(),
  };
  for (const feed of feeds) values[feed.file] = valuesOf(feed, item.id);
  const rows = FIELDS.map((field): FieldRow => {
    const isList = LISTS.has(field.label);
    const names = namesOf(field);
    return rowOf(field.label, false, (place) => take(values[place], names[place], isList));
  });
  const others = new Set(PLACES.flatMap((place) => [...values[place].keys()]));
  const rest = [...others].map((name) => rowOf(name, true, (place) => take(values[place], [name], false)));
  return [...rows, ...rest].filter(({ values: found }) => Object.keys(found).length > 0);
}

const namesOf = ({ stored, acp, gmc, jsonld }: Field): Record<FeedPlace, Names> => ({
  stored,
  "acp.csv": acp,
  "acp.json": acp,
  "gmc.tsv": gmc,
  "jsonld.json": jsonld,
});

function rowOf(name: string, isOther: boolean, valueIn: (place: FeedPlace) => readonly string[]): FieldRow {
  const found = PLACES.map((place) => [place, valueIn(place)] as const).filter(([, list]) => list.length > 0);
  return { key: `${isOther} ${name}`, label: name, isOther, values: Object.fromEntries(found) };
}

/** Removes what it returns: what is left is shown under its own name. */
function take(values: Values, names: Names, isList: boolean): readonly string[] {
  const taken: string[] = [];
  for (const name of names) {
    const list = values.get(name);
    if (!list) continue;
    values.delete(name);
    taken.push(...list);
    if (!isList) break;
  }
  return taken;
}

function valuesOf({ file, text, columns }: Feed, id: string): Values {
  if (columns) return new Map(columns.map(({ name, value }) => [name, listed(name, value)]));
  if (text === null) return new Map();
  const json: unknown = JSON.parse(file === "jsonld.json" ? `[${text}]` : text);
  const own = file === "jsonld.json" ? productIn(json, id) : json;
  return withCurrency(flatten(own, file === "jsonld.json"));
}

/** Columns with several URLs have them in one cell. */
const listed = (name: string, value: string): readonly string[] =>
  name.includes("image") ? value.split(/,(?=https?:)/) : [value];

type Json = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The product itself, among the parts of its group. */
function productIn(json: unknown, id: string): unknown {
  const nodes = Array.isArray(json) ? json.filter(isObject) : [];
  const variants = nodes.flatMap(({ hasVariant }) =>
    Array.isArray(hasVariant) ? hasVariant.filter(isObject) : [],
  );
  return [...nodes, ...variants].find(({ productID }) => productID === id) ?? {};
}

/** JSON-LD has the currency of a price beside it. */
function withCurrency(values: Values): Values {
  for (const name of ["offers.price", "offers.priceSpecification.price"]) {
    const amount = values.get(name);
    const currency = values.get(`${name}Currency`);
    if (!amount || !currency) continue;
    values.set(name, [`${amount.join(" ")} ${currency.join(" ")}`]);
    values.delete(`${name}Currency`);
  }
  return values;
}

/** Names and values, without the types of JSON-LD. If not deep, inner objects are JSON, as in tables. */
function flatten(value: unknown, isDeep = true): Values {
  const values: Values = new Map();
  const visit = (name: string, found: unknown): void => {
    const isOpened = isObject(found) && !isMoney(found) && (isDeep || name === "");
    if (isOpened)
      for (const [inner, one] of Object.entries(found)) visit(name === "" ? inner : `${name}.${inner}`, one);
    else if (!name.endsWith("@type")) values.set(name, listOf(found));
  };
  visit("", value);
  return values;
}

const isMoney = (value: Json): boolean => typeof value["amount"] === "string" && "currency" in value;

const listOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.map(shown) : [shown(value)];

function shown(value: unknown): string {
  if (Array.isArray(value)) return value.map(shown).join(" > ");
  if (!isObject(value)) return String(value);
  if (isMoney(value)) return `${String(value["amount"])} ${String(value["currency"])}`;
  const { codeValue } = value;
  return typeof codeValue === "string" ? codeValue : JSON.stringify(value);
}
