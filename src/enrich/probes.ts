/**
 * Copies of an item in which one field differs and nothing else, to find out by rendering them where a file shows the
 * field. The values are samples; they only have to be unlike any that an item has.
 */
import { googleNamed } from "../catalog/google-attributes.ts";
import type { Item, SourceField } from "../catalog/item.ts";
import type { CatalogSettings } from "../catalog/settings.ts";
import { type FieldKind, NO_SOURCE, type RuleField, type Target } from "./rules/fields.ts";
import { clearValue, isRefusal, isSame, setValue, type Texts, withGoogle, withLabel } from "./rules/write.ts";

export type Probe = {
  readonly item: Item;
  /** It also changes what is no part of the field's own text, so it counts only where no other field explains a column. */
  readonly isWeak?: boolean;
};

/** The first one that shows a difference is enough; weak ones are always needed. */
export function probesOf(field: RuleField, item: Item, settings: CatalogSettings): readonly Probe[] {
  if (field.name === "id") return [{ item: { ...item, id: `${item.id}-7` } }];
  const { target } = field;
  if (target === undefined) return withoutPart(field, item);
  const changed = samplesOf(field, item)
    .values()
    .map((texts) => setValue(field, texts, settings)(item))
    .map((written) => (isRefusal(written) ? undefined : withParts(item, written, partsOf(target))))
    .find((probe) => probe !== undefined);
  const cleared = field.isRequired === true ? undefined : withoutValue(field, item, settings);
  return [
    ...[changed, cleared].flatMap((probe) => (probe === undefined ? [] : [{ item: probe }])),
    ...inOtherUnit(field, item, settings).map((probe) => ({ item: probe, isWeak: true })),
  ];
}

/** With the unit or the currency changed, which the samples leave as it is. */
function inOtherUnit(field: RuleField, item: Item, settings: CatalogSettings): readonly Item[] {
  if (field.name === "price") return [inOtherCurrency(item)];
  const value = field.read(item, NO_SOURCE);
  const isMeasure = field.kind === "measure" || field.name.startsWith("unit_pricing");
  if (!isMeasure || typeof value !== "string" || field.target === undefined) return [];
  const parts = partsOf(field.target);
  for (const sample of ["7 lb", "7 kg", "7 in", "7 cm", "7 ml"]) {
    const written = setValue(field, sample, settings)(item);
    const isOther = sample.slice(2) !== value.slice(value.indexOf(" ") + 1);
    const probe = isRefusal(written) || !isOther ? undefined : withParts(item, written, parts);
    if (probe !== undefined) return [probe];
  }
  return [];
}

function inOtherCurrency(item: Item): Item {
  const currency = item.price.currency === "EUR" ? "USD" : "EUR";
  const { price, salePrice } = item;
  return {
    ...item,
    price: { ...price, currency },
    ...(salePrice !== undefined && { salePrice: { ...salePrice, currency } }),
  };
}

function withoutValue(field: RuleField, item: Item, settings: CatalogSettings): Item | undefined {
  const { target } = field;
  if (target === undefined || field.read(item, NO_SOURCE) === undefined) return undefined;
  if (target.via === "field") return without(item, target.field);
  if (target.via === "label") return withLabel(item, target.index, null);
  if (target.via === "google") return withGoogle(item, target.name, undefined);
  const written = clearValue(field, settings)(item);
  return isRefusal(written) ? undefined : withParts(item, written, partsOf(target));
}

function without(item: Item, part: keyof Item): Item {
  const { [part]: _, ...rest } = item;
  return rest as Item;
}

/** Only these parts of the written item; undefined if they are the same. Writing a field may change others, which depend on it. */
function withParts(item: Item, written: Item, parts: readonly SourceField[]): Item | undefined {
  if (parts.every((part) => isSame(item[part], written[part]))) return undefined;
  const probe: Item = { ...item };
  for (const part of parts) {
    if (written[part] === undefined) delete (probe as Partial<Item>)[part];
    else Object.assign(probe, { [part]: written[part] });
  }
  return probe;
}

const PRICES = ["price", "salePrice", "priceIsList"] as const;

/** The parts of an item that have a field of a push, where that is not the one of the same name. */
const PARTS: Readonly<Record<string, readonly SourceField[]>> = {
  price: PRICES,
  salePrice: PRICES,
  listPrice: PRICES,
  unitPricingMeasure: ["unitPricing"],
  unitPricingBaseMeasure: ["unitPricing"],
  acceptsReturns: ["returns"],
  returnDays: ["returns"],
  returnPolicyUrl: ["returns"],
  ratingValue: ["rating"],
  ratingCount: ["rating"],
};

function partsOf(target: Target): readonly SourceField[] {
  if (target.via === "field") return [target.field];
  if (target.via === "patch") return PARTS[target.field] ?? [target.field as SourceField];
  if (target.via === "google") return ["google"];
  if (target.via === "shipping") return ["shipping", "google"];
  return target.via === "label" ? ["customLabels"] : ["images"];
}

/** Fields that cannot be set, without their value. */
function withoutPart({ name, kind }: RuleField, item: Item): readonly Probe[] {
  const [list, entry] = name.split(/\.(.*)/s);
  if (entry !== undefined && (list === "options" || list === "details"))
    return [{ item: withoutEntry(item, list, entry.toLowerCase()) }];
  if (kind !== "parts") return [];
  if (Object.hasOwn(item, name)) return [{ item: without(item, name as keyof Item) }];
  const google = googleNamed(name);
  const probe = google === undefined ? item : withGoogle(item, google, undefined);
  return probe === item ? [] : [{ item: probe }];
}

const withoutEntry = (item: Item, list: "options" | "details", name: string): Item => {
  const rest = (item[list] ?? []).filter((entry) => entry.name.toLowerCase() !== name);
  return rest.length === 0 ? without(item, list) : { ...item, [list]: rest };
};

const SAMPLE = "Quartz Nova Seven";
const LINK = "https://sample.example/quartz-7";
const TEXTS = [
  SAMPLE,
  `${SAMPLE}ty`,
  LINK,
  `${LINK}7`,
  "4006381333931",
  "4012345678901",
  "7 kg",
  "70 kg",
  "7",
  "US",
  "en",
];
const TIMES = ["2037-07-07T07:07:00.000Z", "2036-07-07T07:07:00.000Z", "2001-07-07T07:07:00.000Z"];

const SAMPLES: Readonly<Record<Exclude<FieldKind, "money" | "parts">, readonly Texts[]>> = {
  text: [...TEXTS, ...TIMES],
  word: [],
  flag: ["yes", "no"],
  number: ["7", "3", "4.5", "0.5"],
  measure: ["7 kg", "70 kg", "7 cm", "70 cm"],
  time: TIMES,
  list: TEXTS.map((text) => [text, `${text}7`]),
  paths: [["Quartz > Nova"], ["Nova > Quartz"]],
};

/** In the order in which they are tried: the first that the field takes, and that differs, is used. */
function samplesOf({ kind, values }: RuleField, { price: { currency } }: Item): readonly Texts[] {
  if (kind === "money") return ["7", "70", "9999999", "1", "0.01"].map((amount) => `${amount} ${currency}`);
  if (kind === "parts") return [];
  return values ?? (kind === "word" ? ["US", "DE", "en", "de"] : SAMPLES[kind]);
}
