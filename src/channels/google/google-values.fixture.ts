/** Any values of the attributes for Google, in the form in which items have them. */
import {
  type Arbitrary,
  array,
  constantFrom,
  integer,
  record,
  stringMatching,
  tuple,
  uniqueArray,
} from "fast-check";
import {
  GOOGLE_NAMES,
  GOOGLE_TABLE,
  type GoogleGroup,
  type GoogleValue,
  type GoogleValues,
} from "../../catalog/google-attributes.ts";
import type { GoogleAttribute, GoogleForm } from "../../catalog/google-form.ts";
import { foldText } from "../../catalog/text.ts";

const prose = array(constantFrom('"', '""', ",", ":", "'", "é", "a", "Z", " ", "/", "\\", "(", "1.5"), {
  minLength: 1,
  maxLength: 12,
}).map((parts) => foldText(`t${parts.join("")}.`));
const label = stringMatching(/^L[A-Za-z0-9_.{}/?=-]{0,19}$/);
const cents = integer({ min: 1, max: 999_999 });
const day = integer({ min: 1, max: 28 }).map((number) => String(number).padStart(2, "0"));

type GroupsAttribute = Extract<GoogleAttribute, { shape: "groups" }>;

const FORMS: Readonly<Record<GoogleForm["kind"], (form: GoogleForm) => Arbitrary<string>>> = {
  text: ({ longest = Number.POSITIVE_INFINITY }) => prose.filter((text) => text.length <= longest),
  code: () => label,
  word: ({ values = [] }) => constantFrom(...values),
  url: () => stringMatching(/^[a-z0-9_?=-]{1,12}$/).map((path) => `https://shop.example/${path}`),
  money: () => cents.map((n) => `${Math.floor(n / 100)}.${String(n % 100).padStart(2, "0")} EUR`),
  flag: () => constantFrom("yes", "no"),
  country: () => constantFrom("DE", "US", "BR", "JP"),
  time: () => day.map((d) => `2026-12-${d}T10:30Z`),
  interval: () => tuple(day, day).map(([a, b]) => `2026-11-${a}T00:00Z/2026-12-${b}T23:59Z`),
  gtin: () => constantFrom("036000291452", "96385074", "10614141000415"),
  clock: () => constantFrom("16:00", "1530", "23:59"),
  number: ({ least = 0 }) => integer({ min: least, max: 360 }).map(String),
  decimal: () => integer({ min: 0, max: 999 }).map((n) => String(n / 10)),
};

function isSound({ exclusive, anyOf }: GroupsAttribute, group: object): boolean {
  return (
    exclusive.filter((name) => name in group).length < 2 && anyOf?.every((name) => !(name in group)) !== true
  );
}

function valueOf(attribute: GoogleAttribute): Arbitrary<GoogleValue> {
  if (attribute.shape === "one") return FORMS[attribute.form.kind](attribute.form);
  if (attribute.shape === "list")
    return uniqueArray(FORMS[attribute.form.kind](attribute.form), {
      minLength: 1,
      maxLength: Math.min(attribute.most, 4),
    });
  const parts = Object.entries(attribute.parts);
  const arbitraries = Object.fromEntries(parts.map(([name, { form }]) => [name, FORMS[form.kind](form)]));
  const requiredKeys = parts.filter(([, { isRequired }]) => isRequired).map(([name]) => name);
  const group = record(arbitraries, { requiredKeys })
    .filter((one) => Object.keys(one).length > 0 && isSound(attribute, one))
    .map((one) =>
      Object.fromEntries(parts.flatMap(([name]) => (name in one ? [[name, one[name] ?? ""]] : []))),
    );
  return array(group, { minLength: 1, maxLength: Math.min(attribute.most, 3) });
}

/** A rate that every buyer gets is a field of the item and no rate for Google alone. */
function isForGoogle(rate: string | GoogleGroup): boolean {
  if (typeof rate === "string") return false;
  const isForSome = Object.keys(rate).some((part) => /^(?:location|loyalty|handling)_/.test(part));
  return isForSome || rate["price"] === undefined;
}

/** For an item whose size type is `regular`. */
function isSurplus(name: string, value: GoogleValue | undefined): boolean {
  if (name === "shipping") return Array.isArray(value) && value.every(isForGoogle);
  return name !== "size_type" || value?.[0] !== "regular";
}

export const anyGoogleValues: Arbitrary<GoogleValues> = record(
  Object.fromEntries(GOOGLE_NAMES.map((name) => [name, valueOf(GOOGLE_TABLE[name])])),
  {
    requiredKeys: [],
  },
).map((values) =>
  Object.fromEntries(
    GOOGLE_NAMES.flatMap((name) =>
      name in values && isSurplus(name, values[name]) ? [[name, values[name]]] : [],
    ),
  ),
);
