/** Fills in the catalog's defaults where an item has no value, for the feeds and for the audit. */
import type { Item } from "./item.ts";
import { meaningful } from "./filler-words.ts";
import type { CatalogSettings } from "./settings.ts";

export function withDefaults(item: Item, { defaultBrand }: Pick<CatalogSettings, "defaultBrand">): Item {
  const isFilled = defaultBrand === undefined || meaningful(item.brand) !== undefined;
  return isFilled ? item : { ...item, brand: defaultBrand };
}
