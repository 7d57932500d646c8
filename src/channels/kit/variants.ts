/**
 * What several formats need of a group, worked out once: each item's full title, its prices as text at the moment
 * of the snapshot, its further images and category paths, and the name under which the group is published.
 */
import { withDefaults } from "../../catalog/defaults.ts";
import type { Item } from "../../catalog/item.ts";
import { formatMoney, isZero } from "../../catalog/money.ts";
import { offerAt } from "../../catalog/price-now.ts";
import type { ItemGroup } from "../../catalog/item-group.ts";
import type { FeedContext } from "../channel.ts";
import { memoizeLast } from "./memoize.ts";
import { type Title, titledItems } from "./title.ts";
import { furtherImages } from "./urls.ts";

export type Variant = {
  readonly item: Item;
  readonly title: Title;
  /** The regular price, "19.90 USD". */
  readonly price: string;
  /** The sale price, if the sale is on. */
  readonly salePrice: string | undefined;
  readonly isFree: boolean;
  /** The images after the first, as they go into lists. */
  readonly furtherImages: readonly string[] | undefined;
  /** Each path as one text, broad to specific. */
  readonly categories: readonly string[] | undefined;
};

export type VariantGroup = {
  /** Undefined when the items are no variants of one another. */
  readonly groupId: string | undefined;
  readonly whole: boolean;
  readonly variants: readonly Variant[];
};

const PREFIX = "group-";

/**
 * A group id must differ from every item id of the group, or OpenAI takes it for no group. A part of a large
 * group cannot see the other parts' ids, so there the prefix is always set: all parts must agree.
 */
function publishedGroupId({ groupId, items, whole }: ItemGroup): string | undefined {
  if (groupId === null) return undefined;
  if (!whole) return PREFIX + groupId;
  if (items.length < 2) return undefined;
  let published = groupId;
  while (items.some((item) => item.id === published)) published = PREFIX + published;
  return published;
}

function variant(given: Item, title: Title, { asOf, settings }: FeedContext): Variant {
  const item = withDefaults(given, settings);
  const { price, salePrice } = item.salePrice === undefined ? item : offerAt(item, asOf);
  return {
    item,
    title,
    price: formatMoney(price),
    salePrice: salePrice === undefined ? undefined : formatMoney(salePrice),
    isFree: isZero(price),
    furtherImages: furtherImages(item),
    categories: item.categories?.map((path) => path.join(" > ")),
  };
}

export const variantGroupOf = memoizeLast(
  (group: ItemGroup, context: FeedContext): VariantGroup => ({
    groupId: publishedGroupId(group),
    whole: group.whole,
    variants: titledItems(group).map(({ item, title }) => variant(item, title, context)),
  }),
);

/** The group id a file may state when `carried` variants are in it: a group of one is no group. */
export function statedGroupId(variantGroup: VariantGroup, carried: number): string | undefined {
  return variantGroup.whole && carried < 2 ? undefined : variantGroup.groupId;
}
