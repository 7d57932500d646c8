/** Groups items that are all in memory: a sample, or a feed that is read without a database. */
import type { Item } from "../../catalog/item.ts";
import type { ItemGroup } from "../../catalog/item-group.ts";
import { MAX_PART } from "./item-groups.ts";

/** In the order of the database: by group, then by id. */
export function groupsOf(items: Iterable<Item>): readonly ItemGroup[] {
  const byGroup = Map.groupBy(items, (item) =>
    item.groupId === undefined ? `i${item.id}` : `g${item.groupId}`,
  );
  const named = [...byGroup.values()].map((members) => ({
    members,
    key: members[0]?.groupId ?? members[0]?.id ?? "",
  }));
  return named.sort((a, b) => (a.key < b.key ? -1 : 1)).flatMap(({ members }) => partsOf(members));
}

function partsOf(members: readonly Item[]): readonly ItemGroup[] {
  const groupId = members[0]?.groupId ?? null;
  const sorted = members.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const whole = sorted.length <= MAX_PART;
  const parts: ItemGroup[] = [];
  for (let at = 0; at < sorted.length; at += MAX_PART) {
    parts.push({ groupId, items: sorted.slice(at, at + MAX_PART), whole });
  }
  return parts;
}
