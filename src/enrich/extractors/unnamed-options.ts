/**
 * Options whose name says nothing ("Style", "Variant"), read by their values: if all variants have colors there, it is the color.
 * Other names say that the value belongs to a part: "Border: white".
 */
import type { Item, ItemGroup } from "../../catalog/item.ts";
import { memoizeLastPair } from "../../lib/memoize.ts";
import { quote } from "./evidence.ts";
import { CONFIDENCE, type Finding } from "./extractor.ts";
import { phraseKey } from "./words.ts";

const EMPTY_NAMES = new Set(
  "style styles variant variants variation variations option options title type model version choice select edition stil variante varianten ausführung modell modèle modelo modello opción opzione optie uitvoering déclinaison"
    .split(" ")
    .map(phraseKey),
);

/** Reads the value of the only option of which every variant has a value that `accepts` knows. */
export function unnamedOption<Table>(
  accepts: (value: string, table: Table) => boolean,
  confidence: number = CONFIDENCE.uncertain,
): (item: Item, group: ItemGroup, table: Table) => Finding | undefined {
  // Once per group: groups may have thousands of variants.
  const acceptedNames = memoizeLastPair((items: readonly Item[], table: Table): ReadonlySet<string> => {
    const options = items.flatMap((item) => item.options ?? []);
    const byName = Map.groupBy(options, ({ name }) => name);
    const isAccepted = ([name, values]: [string, readonly { readonly value: string }[]]): boolean =>
      EMPTY_NAMES.has(phraseKey(name)) &&
      [...new Set(values.map(({ value }) => value))].every((value) => accepts(value, table));
    return new Set([...byName].filter(isAccepted).map(([name]) => name));
  });
  return (item, { items }, table) => {
    const names = acceptedNames(items, table);
    const options = item.options ?? [];
    const [at, another] = [...options.keys()].filter((index) => names.has(options[index]?.name ?? ""));
    if (at === undefined || another !== undefined) return undefined;
    const evidence = quote(item, `options.${at}`);
    return { value: evidence.text, evidence: [evidence], confidence };
  };
}
