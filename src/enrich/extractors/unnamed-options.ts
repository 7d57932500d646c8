/** Options whose name says nothing ("Style", "Variant"), read by their values: if all variants have colors there, it is the color. */
import type { Item, ItemGroup } from "../../catalog/item.ts";
import { OPTION_NAME_WORDS } from "../../catalog/vocabulary/traits.ts";
import { meaningOf } from "../../catalog/words.ts";
import { memoizeLastPair } from "../../lib/memoize.ts";
import { quote } from "./evidence.ts";
import { CONFIDENCE, type Finding } from "./extractor.ts";

/** Reads the value of the only option of which every variant has a value that `accepts` knows. */
export function unnamedOption<Table>(
  accepts: (value: string, table: Table) => boolean,
): (item: Item, group: ItemGroup, table: Table) => Finding | undefined {
  // Once per group: groups may have thousands of variants.
  const acceptedNames = memoizeLastPair((items: readonly Item[], table: Table): ReadonlySet<string> => {
    const options = items.flatMap((item) => item.options ?? []);
    const byName = Map.groupBy(options, ({ name }) => name);
    const isAccepted = ([name, values]: [string, readonly { readonly value: string }[]]): boolean =>
      meaningOf(OPTION_NAME_WORDS, name) === undefined &&
      [...new Set(values.map(({ value }) => value))].every((value) => accepts(value, table));
    return new Set([...byName].filter(isAccepted).map(([name]) => name));
  });
  return (item, { items }, table) => {
    const names = acceptedNames(items, table);
    const options = item.options ?? [];
    const [at, another] = [...options.keys()].filter((index) => names.has(options[index]?.name ?? ""));
    if (at === undefined || another !== undefined) return undefined;
    const evidence = quote(item, `options.${at}`);
    return { value: evidence.text, evidence: [evidence], confidence: CONFIDENCE.separate };
  };
}
