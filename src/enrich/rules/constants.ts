/** Checks the values that a rule states itself, once, before any item is known. */
import type { Draft } from "../../catalog/draft.ts";
import type { GoogleName } from "../../catalog/google-attributes.ts";
import type { Item } from "../../catalog/item.ts";
import { parseMoney } from "../../catalog/money.ts";
import { normalize } from "../../catalog/normalize.ts";
import { memoize } from "../../lib/memoize.ts";
import type { CatalogSettings } from "../../catalog/settings.ts";
import type { RuleField } from "./fields.ts";
import { fieldNamed } from "./field-names.ts";
import {
  isRefusal,
  type Refusal,
  replaced,
  setValue,
  type Texts,
  withGoogle,
  withLabel,
  type Write,
} from "./write.ts";

export type Scalar = string | number | boolean;

export const scalarText = (value: Scalar): string =>
  typeof value === "boolean" ? (value ? "yes" : "no") : String(value);

/** What the item of a check has so that it can have the field at all. */
const PROBES: Readonly<Record<string, Draft>> = {
  sale_price: { price: "999999999999" },
  sale_from: { price: "2", salePrice: "1" },
  sale_to: { price: "2", salePrice: "1" },
  additional_images: { image: "https://shop.example/probe.jpg" },
  rating_value: { ratingValue: "5", ratingCount: "1" },
  rating_count: { ratingValue: "5", ratingCount: "1" },
};

/** An item that any acceptable value fits. */
function probe({ name }: RuleField, texts: Texts, settings: CatalogSettings): Item {
  const currency = settings.currency ?? currencyIn(texts) ?? "USD";
  return probeItem(`${currency} ${Object.hasOwn(PROBES, name) ? name : ""}`);
}

/** Tables may have thousands of values to check. */
const probeItem = memoize(1_000, (key): Item => {
  const [currency = "", name = ""] = key.split(" ");
  const draft: Draft = { id: "probe", title: "Item", link: "https://shop.example/", price: "1", currency };
  const result = normalize({ ...draft, ...PROBES[name] }, { position: 1, settings: {}, decimalMark: "." });
  if (result.kind === "rejected") throw new Error(result.rejection.message);
  return result.item;
});

function currencyIn(texts: Texts): string | undefined {
  const money = parseMoney(String(texts), { decimalMark: "." });
  return money.kind === "valid" ? money.value.currency : undefined;
}

/** The item of the check with the value, or why the field cannot have it. */
export function checkConstant(field: RuleField, texts: Texts, settings: CatalogSettings): Item | Refusal {
  // A base measure alone has no meaning; it has the same form as the measure.
  const checked =
    field.name === "unit_pricing_base_measure" ? (fieldNamed("unit_pricing_measure") ?? field) : field;
  const item = probe(field, texts, settings);
  const result = setValue(checked, texts, settings)(item);
  return isRefusal(result)
    ? { refused: result.refused.replace(/^unit_pricing_measure/, field.name) }
    : result;
}

/** How a constant is set, or why it cannot be. */
export function constantWrite(field: RuleField, texts: Texts, settings: CatalogSettings): Write | Refusal {
  const checked = checkConstant(field, texts, settings);
  if (isRefusal(checked)) return checked;
  return knownWrite(field, checked) ?? setValue(field, texts, settings);
}

/** For values that are the same on every item: they need not be read again. */
function knownWrite({ target, kind, name }: RuleField, checked: Item): Write | undefined {
  if (name === "availability" && checked.quantity === undefined)
    return (item) => withAvailability(item, checked.availability);
  // An amount may be in the currency of the item.
  if (target === undefined || kind === "money") return undefined;
  if (target.via === "field") return (item) => replaced(item, target.field, checked[target.field]);
  if (target.via === "label") return labelWrite(target.index, checked);
  return target.via === "google" ? googleWrite(target.name, checked) : undefined;
}

function labelWrite(index: number, { customLabels = [] }: Item): Write {
  const label = customLabels[index] ?? null;
  return (item) => withLabel(item, index, label);
}

function googleWrite(name: GoogleName, { google = {} }: Item): Write {
  return (item) => withGoogle(item, name, google[name]);
}

/** As `patchItem` does it: another availability makes quantity and date untrue. */
function withAvailability(item: Item, availability: Item["availability"]): Item {
  if (item.availability === availability) return item;
  const { quantity: _, availabilityDate: __, ...rest } = item;
  return { ...rest, availability };
}
