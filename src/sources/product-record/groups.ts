/**
 * The parts of a draft that are groups of texts: shipping rates, details, options, certifications, dimensions. Each
 * is read from nested elements or objects, from JSON in a cell, or from Google's cell grammar, into the same shape.
 */
import type { Draft, ShippingDraft } from "../../catalog/draft.ts";
import { DEFAULT_SHIPPING_PARTS, GOOGLE_ONLY_SHIPPING_PARTS } from "../../catalog/google-surplus.ts";
import type { GroupField, Header } from "./aliases.ts";
import {
  DECIMAL_COMMA,
  firstTextOf,
  type CellGroup,
  groupParts,
  namedGroups,
  parseJson,
  pick,
  textEntries,
  textOf,
  type CellValue,
} from "./cells.ts";

/** The fields of a draft that one column of groups can fill. */
export type GroupPart = Pick<
  Draft,
  | "shipping"
  | "details"
  | "options"
  | "certifications"
  | "length"
  | "width"
  | "height"
  | "dimensionsUnit"
  | "google"
>;

/** The meaning of the value, or null if it has none. */
type GroupReader = (value: CellValue, header: Header) => GroupPart | null;

const SHIPPING_NAMES: readonly (readonly [keyof ShippingDraft, ...string[]])[] = [
  ["country", "country"],
  ["region", "region"],
  ["postalCode", "postal_code"],
  ["service", "service", "service_class"],
  ["price", "price"],
  ["minHandling", "min_handling_time", "min_handling"],
  ["maxHandling", "max_handling_time", "max_handling"],
  ["minTransit", "min_transit_time", "min_transit"],
  ["maxTransit", "max_transit_time", "max_transit"],
];

/** Without a header that names them: Google's default has four parts; shorter ones leave out the middle. */
const SHORT_SHIPPING_PARTS: Readonly<Record<number, readonly string[]>> = {
  1: ["price"],
  2: ["country", "price"],
  3: ["country", "service", "price"],
};

function shipping(value: CellValue, header: Header): GroupPart | null {
  const plain = typeof value === "string" ? value.replace(DECIMAL_COMMA, "$1.$2") : value;
  const groups = namedGroups(
    plain,
    header.parts,
    (count) => SHORT_SHIPPING_PARTS[count] ?? DEFAULT_SHIPPING_PARTS,
  );
  const rates: ShippingDraft[] = [];
  const others: CellGroup[] = [];
  for (const group of groups.map(withMoney)) {
    const rate = pick(group, SHIPPING_NAMES);
    if (rate.price === undefined || firstTextOf(group, GOOGLE_ONLY_SHIPPING_PARTS) !== undefined)
      others.push(group);
    else rates.push(rate);
  }
  if (rates.length === 0 && others.length === 0) return null;
  return {
    ...(rates.length > 0 ? { shipping: rates } : {}),
    ...(others.length > 0 ? { google: { shipping: others } } : {}),
  };
}

/** An amount and its currency in two parts (`price_value`, `price_currency`) become one text. */
function withMoney(group: CellGroup): CellGroup {
  const amount = group["price_value"] ?? group["price_amount"];
  if (amount === undefined) return group;
  return { ...group, price: `${amount} ${group["price_currency"] ?? ""}` };
}

function shippingPrice(value: CellValue): GroupPart | null {
  const price = textOf(value);
  return price === undefined ? null : { shipping: [{ price }] };
}

function details(value: CellValue, header: Header): GroupPart | null {
  const usual = ["section_name", "attribute_name", "attribute_value"];
  const groups = namedGroups(value, header.parts, (count) => (count === 2 ? usual.slice(1) : usual));
  const found = groups.flatMap((group) => {
    const {
      section,
      name,
      value: text,
    } = pick(group, [
      ["section", "section_name", "section"],
      ["name", "attribute_name", "name"],
      ["value", "attribute_value", "value"],
    ]);
    if (name === undefined || text === undefined) return [];
    return [section === undefined ? { name, value: text } : { section, name, value: text }];
  });
  return found.length > 0 ? { details: found } : null;
}

function options(value: CellValue, header: Header): GroupPart | null {
  if (isProgramText(value)) return null;
  const found = optionsIn(value, header);
  return found.length > 0 ? { options: found } : null;
}

/** Whether the text is a list or an object of a program that is no JSON, such as `[{'name': 'Size'}]` of Python. */
const isProgramText = (value: CellValue): boolean =>
  typeof value === "string" && /^\s*(?:\[\s*)?\{\s*'/.test(value) && parseJson(value) === undefined;

function optionsIn(value: CellValue, header: Header): { name: string; value: string }[] {
  const dictionary = optionDictionary(value);
  if (dictionary !== null) return dictionary;
  return namedGroups(value, header.parts, () => ["name", "value"]).flatMap((group) => {
    const { name, value: text } = pick(group, [
      ["name", "name", "attribute_name"],
      ["value", "value", "attribute_value"],
    ]);
    return name === undefined || text === undefined ? [] : [{ name, value: text }];
  });
}

/** `{"Color": "Teal"}`: every key is an option of its own. */
function optionDictionary(value: CellValue): { name: string; value: string }[] | null {
  const parsed = typeof value === "string" && value.trim().startsWith("{") ? parseJson(value) : undefined;
  if (typeof parsed === "object" && parsed !== null) {
    return Object.entries(parsed).flatMap(([name, text]) =>
      typeof text === "string" ? [{ name, value: text }] : [],
    );
  }
  const [group, ...more] = groupParts(value);
  if (group === undefined || more.length > 0 || "name" in group || "attribute_name" in group) return null;
  return Object.entries(group).map(([name, text]) => ({ name, value: text }));
}

function certifications(value: CellValue, header: Header): GroupPart | null {
  const usual = [
    "certification_authority",
    "certification_name",
    "certification_code",
    "certification_value",
  ];
  const found = namedGroups(value, header.parts, () => usual).flatMap((group) => {
    const { authority, name, ...more } = pick(group, [
      ["authority", "certification_authority", "authority"],
      ["name", "certification_name", "name"],
      ["code", "certification_code", "code"],
      ["value", "certification_value", "value"],
    ]);
    if (authority === undefined || name === undefined) return [];
    return [{ authority, name, ...more }];
  });
  return found.length > 0 ? { certifications: found } : null;
}

/** OpenAI's object of three lengths and their unit; it wins over the separate columns. */
function dimensions(value: CellValue): GroupPart | null {
  const parsed = typeof value === "string" ? parseJson(value) : undefined;
  const group = typeof parsed === "object" && parsed !== null ? textEntries(parsed) : groupParts(value)[0];
  if (group === undefined) return null;
  const { unit, ...lengths } = pick(group, [
    ["length", "length"],
    ["width", "width"],
    ["height", "height"],
    ["unit", "unit"],
  ]);
  return unit === undefined ? lengths : { ...lengths, dimensionsUnit: unit };
}

export const GROUP_READERS: Readonly<Record<GroupField, GroupReader>> = {
  shipping,
  shippingPrice,
  details,
  options,
  certifications,
  dimensions,
};

/** Adds the values of a column to those of others: rates, details and similar lists are joined. */
export function addPart(draft: Draft, part: GroupPart): void {
  const {
    shipping: rates,
    details: more,
    options: chosen,
    certifications: labels,
    google,
    ...lengths
  } = part;
  if (rates !== undefined) draft.shipping = join(draft.shipping, rates);
  if (more !== undefined) draft.details = join(draft.details, more);
  if (chosen !== undefined) draft.options = join(draft.options, chosen);
  if (labels !== undefined) draft.certifications = join(draft.certifications, labels);
  if (google !== undefined)
    draft.google = { ...draft.google, shipping: join(draft.google?.shipping, google.shipping ?? []) };
  Object.assign(draft, lengths);
}

export function join<Part>(before: readonly Part[] | undefined, more: readonly Part[]): readonly Part[] {
  return before === undefined ? more : [...before, ...more];
}
