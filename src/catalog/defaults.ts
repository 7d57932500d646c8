/** What the shop says of all its items holds where an item says nothing itself: for the feeds and for the audit alike. */
import type { Item } from "./item.ts";
import { meaningful } from "./filler-words.ts";
import type { CatalogSettings } from "./settings.ts";

export function withDefaults(item: Item, { defaultBrand }: Pick<CatalogSettings, "defaultBrand">): Item {
  const isFilled = defaultBrand === undefined || meaningful(item.brand) !== undefined;
  return isFilled ? item : { ...item, brand: defaultBrand };
}
