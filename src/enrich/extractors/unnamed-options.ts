/** Options whose name says nothing ("Style", "Variant"), read by their values: if all variants have colors there, it is the color. */
import type { Item, ItemGroup } from "../../catalog/item.ts";
import { OPTION_NAME_WORDS } from "../../catalog/vocabulary/traits.ts";
import { meaningOf } from "../../catalog/words.ts";
import { quote } from "./evidence.ts";
import { CONFIDENCE, type Finding } from "./extractor.ts";

/** The value of the only option of which every variant has a value that `accepts` knows. */
export function valueOfUnnamedOption(
  item: Item,
  { items }: ItemGroup,
  accepts: (value: string) => boolean,
): Finding | undefined {
  const options = item.options ?? [];
  const found = options.flatMap(({ name, value }, at) => {
    const isUnnamed = meaningOf(OPTION_NAME_WORDS, name) === undefined;
    return isUnnamed && accepts(value) && valuesOf(items, name).every(accepts) ? [{ value, at }] : [];
  });
  const [only, another] = found;
  if (only === undefined || another !== undefined) return undefined;
  return {
    value: only.value,
    evidence: [quote(item, `options.${only.at}`)],
    confidence: CONFIDENCE.separate,
  };
}

function valuesOf(items: readonly Item[], name: string): readonly string[] {
  const values = items.flatMap(
    ({ options = [] }) => options.find((option) => option.name === name)?.value ?? [],
  );
  return [...new Set(values)];
}
