/** Where a proposed value was found: a character span (UTF-16) in a text of an item. */
import type { Item, Measure } from "../../catalog/item.ts";

export type Evidence = {
  /** The item that has the text, if it is a sibling of the item that the proposal is about. */
  readonly itemId?: string;
  /** `title`, `description`, `sku`; `options.0`, `details.2`, `categories.0` for entries of lists. */
  readonly field: string;
  readonly from: number;
  readonly to: number;
  readonly text: string;
};

/** The text that evidence with this field name is a span of. */
export function textOf(item: Item, field: string): string | undefined {
  const [name = "", index] = field.split(".");
  if (index !== undefined) return entryOf(item, name, Number(index));
  if (name === "unit_pricing_measure") return asText(item.unitPricing?.measure);
  return asText(item[name as "title" | "weight"]);
}

function entryOf({ categories, options, details }: Item, list: string, at: number): string | undefined {
  if (list === "categories") return categories?.[at]?.join(" > ");
  return (list === "options" ? options : details)?.[at]?.value;
}

function asText(value: string | Measure | undefined): string | undefined {
  return typeof value === "object" ? `${value.value} ${value.unit}` : value;
}

/** Evidence for a span of a text of the item, the whole text unless limits are given. */
export function quote(item: Item, field: string, from = 0, to?: number): Evidence {
  const text = textOf(item, field) ?? "";
  const end = to ?? text.length;
  return { field, from, to: end, text: text.slice(from, end) };
}
