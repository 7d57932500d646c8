/** Small steps from what a shop sends to a draft. In a draft, absent means unknown: no field is ever undefined. */
import type { Draft } from "../../catalog/draft.ts";
import { OPTION_NAME_WORDS } from "../../catalog/vocabulary/traits.ts";
import { meaningOf } from "../../catalog/words.ts";

export type DraftFields = { [Field in keyof Draft]?: Draft[Field] | undefined };

/** The draft without the fields that are undefined. */
export function draftOf(fields: DraftFields): Draft {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

export function yesNo(flag: boolean | undefined): string | undefined {
  if (flag === undefined) return undefined;
  return flag ? "yes" : "no";
}

/**
 * The first is the main image. Addresses with the same key are one image: it keeps its first place, and the last of its
 * addresses.
 */
export function imageFields(urls: readonly string[], keyOf = (url: string) => url): Draft {
  const [image, ...additionalImages] = new Map(urls.map((url) => [keyOf(url), url])).values();
  return draftOf({ image, additionalImages: unlessEmpty(additionalImages) });
}

/** The options of a variant, and the color or size among them. */
export function optionFields(options: NonNullable<Draft["options"]>): Draft {
  const draft: Draft = options.length === 0 ? {} : { options };
  for (const { name, value } of options) {
    const trait = meaningOf(OPTION_NAME_WORDS, name);
    if (trait !== undefined) draft[trait] ??= value;
  }
  return draft;
}

/** A list field is absent when the list is empty. */
export function unlessEmpty<T>(list: readonly T[]): readonly T[] | undefined {
  return list.length === 0 ? undefined : list;
}

type Measures = { readonly [Field in "weight" | "length" | "width" | "height"]?: string | undefined };

/** Weight and size with their units. */
export function measureFields(
  { weight, length, width, height }: Measures,
  units: { readonly weight: string | undefined; readonly size: string | undefined },
): Draft {
  const hasSize = length !== undefined || width !== undefined || height !== undefined;
  return draftOf({
    weight,
    weightUnit: weight === undefined ? undefined : units.weight,
    length,
    width,
    height,
    dimensionsUnit: hasSize ? units.size : undefined,
  });
}

/** The address of a variant on the page of its product. */
export function withQuery(url: string, name: string, value: string): string {
  return `${url}${url.includes("?") ? "&" : "?"}${name}=${encodeURIComponent(value.toWellFormed())}`;
}
