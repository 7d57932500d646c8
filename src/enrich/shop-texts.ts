/** An item with the texts of the shop: those that a model wrote are no evidence for anything. */
import type { Item, ItemGroup } from "../catalog/item.ts";

/** The item itself, unless an approved text of a model has replaced its title or description. */
export function withShopTexts(item: Item): Item {
  const { replaced } = item.feed ?? {};
  if (replaced === undefined) return item;
  const { title = item.title, description = item.description ?? null } = replaced;
  const { description: _written, ...rest } = item;
  return { ...rest, title, ...(description !== null && { description }) };
}

export function groupWithShopTexts(group: ItemGroup): ItemGroup {
  const isWritten = group.items.some(({ feed }) => feed?.replaced !== undefined);
  return isWritten ? { ...group, items: group.items.map(withShopTexts) } : group;
}
