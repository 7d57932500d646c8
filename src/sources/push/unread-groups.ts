/**
 * What a pushed product says in a form we cannot read: options whose value is a list, a certification that is a word.
 * The rest of the product is good, so it goes in; but what was left out of it is told, entry by entry counted.
 */
import { plural } from "../../lib/counted.ts";
import type { Draft } from "../../catalog/draft.ts";
import type { Warning } from "../../catalog/finding.ts";
import { fold } from "../product-record/header.ts";
import { isJsonObject } from "../product-record/json-fields.ts";

const GROUPS = ["options", "details", "certifications", "shipping"] as const;
/** These may be one object of names and values. */
const DICTIONARIES: ReadonlySet<string> = new Set(["options", "details"]);

export function unreadGroups(element: unknown, draft: Draft, position: number): Warning[] {
  if (!isJsonObject(element)) return [];
  const said = new Map(Object.entries(element).map(([name, value]) => [fold(name), value]));
  return GROUPS.flatMap((field): Warning[] => {
    const read =
      (draft[field]?.length ?? 0) + (field === "shipping" ? (draft.google?.shipping?.length ?? 0) : 0);
    const missing = entriesIn(said.get(field), DICTIONARIES.has(field)) - read;
    if (missing <= 0) return [];
    const message = `${missing} of the item's ${field} cannot be read and ${plural(missing, "is", "are")} left out; each must be an object of texts, as docs/push.md shows.`;
    return [{ itemId: draft.id ?? null, position, field, code: "incomplete_value", message }];
  });
}

/** How many things are said. Null and empty texts say nothing. */
function entriesIn(value: unknown, isDictionary: boolean): number {
  if (Array.isArray(value)) return value.filter(isSaid).length;
  if (!isJsonObject(value)) return isSaid(value) ? 1 : 0;
  const isPair = Object.keys(value).some((key) => /^(?:attribute_)?(?:name|value)$/.test(fold(key)));
  return isDictionary && !isPair ? Object.values(value).filter(isSaid).length : 1;
}

const isSaid = (value: unknown): boolean => value !== undefined && value !== null && value !== "";
