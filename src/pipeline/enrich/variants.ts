/** Loads the variants of products, for rules that compare them. */
import { decodeItem, type Item } from "../../catalog/item.ts";
import type { Queries } from "../../store/db.ts";
import { listVariants } from "../../store/effective-items.ts";

type VariantsOf = (item: Item) => readonly Item[] | undefined;

/** The variants of the products that these items belong to, as sources have them. */
export async function loadVariants(
  db: Queries,
  catalogId: string,
  items: readonly Item[],
): Promise<VariantsOf> {
  const groupIds = [...new Set(items.flatMap(({ groupId }) => groupId ?? []))];
  const groups = new Map<string, Item[]>(groupIds.map((id) => [id, []]));
  for (const { groupId, body } of await listVariants(db, catalogId, groupIds, MAX_VARIANTS + 1))
    groups.get(groupId)?.push(decodeItem(body));
  return ({ groupId }) => {
    const variants = groupId === undefined ? undefined : groups.get(groupId);
    return variants && variants.length > MAX_VARIANTS ? [] : variants;
  };
}

/** The fields of a larger group have no value, and GET /rules says so: it is rather a mistake than a product, and each variant is compared with all others. */
export const MAX_VARIANTS = 2_000;
