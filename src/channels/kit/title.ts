/**
 * A variant's title names the variant: the option values that the title does not mention yet are appended to it.
 * Variants whose titles are then still equal also get the traits in which they differ: color, size, material, pattern.
 * "Mentions" means as a word of its own, so that size "M" is not found in "Mug" nor "Blue" in "Bluetooth".
 */
import { type Item, VARIANT_TRAITS, type VariantTrait, type ItemGroup } from "../../catalog/item.ts";
import { isPlaceholder, meaningful } from "../../catalog/filler-words.ts";
import { mentions } from "../../catalog/mentions.ts";
import { clamp } from "../../catalog/text.ts";
import { lengthOf } from "../../lib/text-length.ts";
import { trimEndOf } from "../../lib/trim-text.ts";

export type Title = {
  readonly name: string;
  /** Options and traits, separators included; empty when there is nothing to add. */
  readonly suffix: string;
};

type Titled = { readonly item: Item; readonly title: Title };

const ALL_TRAITS: readonly Differing[] = VARIANT_TRAITS.map((trait) => ({ trait, isAmbiguous: false }));

/** The items of a group in their order, with their titles. */
export function titledItems({ groupId, items, isWhole }: ItemGroup): readonly Titled[] {
  const titled = items.map((item) => ({ item, title: optionsTitle(item) }));
  if (groupId === null) return titled;
  return isWhole ? distinguished(titled) : titled.map(withAllTraits);
}

/**
 * A part of a large group cannot see the other parts, and an item must have the same title in whatever part it is. So
 * there each item decides alone: where the shop gives no options, all four traits are appended.
 */
function withAllTraits({ item, title }: Titled): Titled {
  return { item, title: item.options === undefined ? withTraits(title, item, ALL_TRAITS) : title };
}

function distinguished(titled: readonly Titled[]): readonly Titled[] {
  if (new Set(titled.map(({ title: { name, suffix } }) => name + suffix)).size === titled.length)
    return titled;
  const equal = Map.groupBy(titled, ({ title: { name, suffix } }) => name + suffix);
  const differing = new Map<string, readonly Differing[]>();
  for (const [text, sharing] of equal) differing.set(text, differingTraits(text.toLowerCase(), sharing));
  return titled.map(({ item, title }) => {
    const traits = differing.get(title.name + title.suffix) ?? [];
    return { item, title: withTraits(title, item, traits) };
  });
}

/**
 * A title that mentions several values ("Scarf S M L") names none of them, so the value is appended in this case too.
 */
type Differing = { readonly trait: VariantTrait; readonly isAmbiguous: boolean };

function differingTraits(title: string, sharing: readonly Titled[]): readonly Differing[] {
  const found: Differing[] = [];
  for (const trait of VARIANT_TRAITS) {
    const values = [...new Set(sharing.map(({ item }) => item[trait]))];
    if (values.length < 2) continue;
    const mentioned = values.filter((value) => value !== undefined && mentions(title, value.toLowerCase()));
    found.push({ trait, isAmbiguous: mentioned.length > 1 });
  }
  return found;
}

function optionsTitle({ title, options }: Item): Title {
  if (options === undefined) return { name: title, suffix: "" };
  const text = title.toLowerCase();
  let suffix = "";
  for (const { value } of options) {
    if (!mentions(text, value.toLowerCase())) suffix += `, ${value}`;
  }
  return following(title, suffix);
}

function withTraits({ name, suffix }: Title, item: Item, traits: readonly Differing[]): Title {
  let longer = suffix;
  for (const { trait, isAmbiguous } of traits) {
    const value = meaningful(item[trait]);
    if (value === undefined) continue;
    if (isAmbiguous || !mentions((name + longer).toLowerCase(), value.toLowerCase())) longer += `, ${value}`;
  }
  return following(name, longer);
}

/**
 * A comma that already ends the name is not doubled. A filler word stays alone: "n/a, Red" would hide from every reader
 * of the file that the name is missing.
 */
function following(name: string, suffix: string): Title {
  if (isPlaceholder(name)) return { name, suffix: "" };
  return { name: suffix === "" ? name : withoutEnd(name), suffix };
}

function withoutEnd(name: string): string {
  return name.endsWith(",") || name.endsWith(";") ? trimEndOf(name, /[\s,;]/) : name;
}

/**
 * The title within `limit` code points. The name is cut, not the options: they distinguish the variants.
 * Only when the options alone would fill half of the limit is the whole text cut.
 */
export function fitTitle({ name, suffix }: Title, limit: number): string {
  const whole = name + suffix;
  if (whole.length <= limit) return whole;
  if (suffix === "" || suffix.length > limit / 2) return clamp(whole, limit);
  return withoutEnd(clamp(name, limit - lengthOf(suffix))) + suffix;
}
