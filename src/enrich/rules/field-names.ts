/** Looks up fields by name, and says what to use instead of a name that is none. */
import { COMPUTED_FIELDS } from "./computed-fields.ts";
import { readCountry } from "../../catalog/vocabulary/places.ts";
import { parseInstant } from "../../catalog/dates.ts";
import { dayOf } from "../../lib/day.ts";
import { closest } from "../../lib/closest.ts";
import { fold } from "./fold.ts";
import { moneyText, RULE_FIELDS, type RuleField } from "./fields.ts";
import { RuleError } from "./problem.ts";
import { countryRate } from "./shipping-rates.ts";
import { extremeOf } from "./variants.ts";

const BY_NAME: ReadonlyMap<string, RuleField> = new Map(
  [...RULE_FIELDS, ...COMPUTED_FIELDS].map((field) => [field.name, field]),
);

/** Google's names for fields that have another name here. */
const GOOGLE_NAMES: ReadonlyMap<string, string> = new Map([
  ["google_product_category", "google_category"],
  ["product_type", "categories"],
  ["item_group_id", "group_id"],
  ["image_link", "image"],
  ["additional_image_link", "additional_images"],
  ["video_link", "videos"],
  ["product_highlight", "highlights"],
  ["product_detail", "details"],
  ["expiration_date", "expires_at"],
  ["energy_efficiency_class", "energy_class"],
  ...[0, 1, 2, 3, 4].map((index) => [`custom_label_${index}`, `custom_label${index}`] as const),
]);

/** Fields of a push that rules do not have, and what to do instead. */
const INSTEAD: ReadonlyMap<string, string> = new Map([
  [
    "currency",
    "The currency of an item cannot be changed; conditions on price take an amount with a currency.",
  ],
  ["published", "Use the action exclude to leave items out."],
  ["sale_window", "Use sale_from and sale_to."],
  ["short_description", "Use description."],
  ["weight_unit", "Give the value of weight with its unit, such as 2 kg."],
  ["dimensions_unit", "Give the values of length, width and height with their unit, such as 20 cm."],
  ["google", "Use the attribute's own name, such as excluded_destination."],
]);

/** `options.Color`, `details.Glaze`: one entry by its name, in any case. */
const ENTRY = /^(options|details)\.(.+)$/s;
const SHIPPING = "shipping.";
const GROUP = /^group_(min|max)\.(.+)$/s;
const DAYS = /^days_(since|until)\.(.+)$/s;
const LONGEST_SHOWN = 60;

export function fieldNamed(name: string): RuleField | undefined {
  const known = BY_NAME.get(GOOGLE_NAMES.get(name) ?? name);
  return known ?? shippingField(name) ?? daysField(name) ?? groupField(name) ?? entryField(name);
}

/** All fields to choose from, with those that are made of another field or of a country, except entries by name. */
export function listedFields(countries: readonly string[]): readonly RuleField[] {
  const own = [...BY_NAME.values()];
  const names = [
    ...countries.map((country) => `${SHIPPING}${country}`),
    ...own.flatMap(({ name }) => [
      `days_until.${name}`,
      `days_since.${name}`,
      `group_min.${name}`,
      `group_max.${name}`,
    ]),
  ];
  return [...own, ...names.flatMap((name) => fieldNamed(name) ?? [])];
}

/** `group_min.price`: the lowest price of the variants. */
function groupField(name: string): RuleField | undefined {
  const [, end, ofEach = ""] = GROUP.exec(name) ?? [];
  const field = end === undefined ? undefined : fieldNamed(ofEach);
  if (field === undefined || (field.kind !== "number" && field.kind !== "money")) return undefined;
  const { kind, isPrivate = false, mayBeNegative = false } = field;
  const read = extremeOf(field, end === "min" ? (a, b) => a < b : (a, b) => a > b);
  return { name: `group_${end}.${field.name}`, kind, read, isPrivate, mayBeNegative, usesSource: true };
}

/** `days_until.sale_to`, `days_since.details.Added`: below zero if the day is on the other side of today. */
function daysField(name: string): RuleField | undefined {
  const [, direction, dated = ""] = DAYS.exec(name) ?? [];
  const field = direction === undefined ? undefined : fieldNamed(dated);
  if (field === undefined || (field.kind !== "time" && !field.name.startsWith("details."))) return undefined;
  return {
    name: `days_${direction}.${field.name}`,
    kind: "number",
    mayBeNegative: true,
    entryOf: field.name,
    read: (item, source) => {
      const time = parseInstant(String(field.read(item, source) ?? ""), "start");
      if (time.kind === "invalid" || source.today === undefined) return undefined;
      const days = dayOf(new Date(time.value)) - source.today;
      return String(direction === "until" || days === 0 ? days : -days);
    },
  };
}

/** `shipping.DE`: what shipping to a country costs. */
function shippingField(name: string): RuleField | undefined {
  const country = name.startsWith(SHIPPING) ? readCountry(name.slice(SHIPPING.length)) : undefined;
  if (country === undefined) return undefined;
  return {
    name: `${SHIPPING}${country}`,
    kind: "money",
    read: (item) => moneyText(countryRate(item, country)?.price),
    target: { via: "shipping", country },
    entryOf: "shipping",
  };
}

function entryField(name: string): RuleField | undefined {
  const [, list, entry = ""] = ENTRY.exec(name) ?? [];
  const key = fold(entry);
  if (list === undefined || key === "") return undefined;
  const part = list as "options" | "details";
  return {
    name,
    kind: "text",
    read: (item) => item[part]?.find((candidate) => candidate.name.toLowerCase() === key)?.value,
  };
}

/** The field, or a problem at the place where it is named. */
export function requiredField(name: string, pointer: string): RuleField {
  const field = fieldNamed(name);
  if (field === undefined) throw new RuleError("unknown_field", pointer, unknownField(name));
  return field;
}

/** The same for an action that writes what it reads into another field, where a feed may show it. */
export function publishableField(name: string, pointer: string): RuleField {
  return checkPublishable(requiredField(name, pointer), pointer);
}

export function checkPublishable(field: RuleField, pointer: string): RuleField {
  if (field.isPrivate !== true) return field;
  const message = `${field.name} is never published, so no other field can be set to it. Conditions and formulas can use it.`;
  throw new RuleError("private_field", pointer, message);
}

export function unknownField(name: string): string {
  const shown = name.length > LONGEST_SHOWN ? `${name.slice(0, LONGEST_SHOWN).toWellFormed()}…` : name;
  const instead = INSTEAD.get(name) ?? suggestion(name);
  return `There is no field ${JSON.stringify(shown)}. ${instead}`;
}

function suggestion(name: string): string {
  if (DAYS.test(name))
    return "Days are counted from a date: sale_from, sale_to, availability_date, expires_at, or one in details, as in days_since.details.Added.";
  if (GROUP.test(name)) return "Only numbers and amounts can be compared, as in group_min.price.";
  if (name.startsWith(SHIPPING)) return "Use the two letters of a country, as in shipping.DE.";
  const likely = name.length > LONGEST_SHOWN ? undefined : closest(name.toLowerCase(), BY_NAME.keys());
  return likely === undefined ? "docs/rules.md lists all fields." : `Did you mean ${likely}?`;
}
