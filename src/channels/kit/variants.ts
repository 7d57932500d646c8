/**
 * Computes the values of a group of items that all channels need, once for all channels: each item's full title, its
 * prices as text at the time of the render, its further images and category paths, and the group's id.
 * `writtenVariants` finds the items that the destination will refuse.
 */
import { withDefaults } from "../../catalog/defaults.ts";
import type { ItemGroup, Item } from "../../catalog/item.ts";
import { formatMoney, isZero } from "../../catalog/money.ts";
import { offerAt } from "../../catalog/price-now.ts";
import type { RefusingChannel } from "../../catalog/settings.ts";
import type { Refusal, FeedContext } from "../channel.ts";
import { type RefusalRule, namesOf } from "./field-table.ts";
import { memoizeLastPair } from "../../lib/memoize.ts";
import { hasPublicHost } from "../../lib/public-host.ts";
import { type Title, titledItems } from "./title.ts";

/** An address in a list, where a comma separates. */
export function commaSafe(url: string): string {
  return url.includes(",") ? url.replaceAll(",", "%2C") : url;
}

/** Lists the images after the main image, in order and without repetitions; undefined if there are none. */
function furtherImages({ images }: Item): readonly string[] | undefined {
  if (images === undefined || images.length < 2) return undefined;
  const further = images.filter((image, at) => at > 0 && images.indexOf(image) === at).map(commaSafe);
  return further.length === 0 ? undefined : further;
}

export type Variant = {
  readonly item: Item;
  readonly title: Title;
  /** The regular price, "19.90 USD". */
  readonly price: string;
  /** The sale price, if the sale is on. */
  readonly salePrice: string | undefined;
  readonly isFree: boolean;
  /** False where the host of the link, or of the main image, is not public; true without a link or image. */
  readonly isLinkPublic: boolean;
  readonly isImagePublic: boolean;
  /** The images after the first, as they go into lists. */
  readonly furtherImages: readonly string[] | undefined;
  /** Each path as one text, broad to specific. */
  readonly categories: readonly string[] | undefined;
};

type VariantGroup = {
  /** Undefined when the items are not variants of each other. */
  readonly groupId: string | undefined;
  readonly variants: readonly Variant[];
};

const PREFIX = "group-";

/**
 * A group id must differ from every item id of the group, or OpenAI ignores the group. A part of a large group
 * cannot see the ids in other parts, so there the prefix is always set: all parts must agree.
 */
function publishedGroupId({ groupId, items, isWhole }: ItemGroup): string | undefined {
  if (groupId === null) return undefined;
  if (!isWhole) return PREFIX + groupId;
  if (items.length < 2) return undefined;
  let published = groupId;
  while (items.some((item) => item.id === published)) published = PREFIX + published;
  return published;
}

function variant(stored: Item, title: Title, { asOf, settings }: FeedContext): Variant {
  const item = withDefaults(stored, settings);
  const { price, salePrice } = item.salePrice === undefined ? item : offerAt(item, asOf);
  return {
    item,
    title,
    price: formatMoney(price),
    salePrice: salePrice === undefined ? undefined : formatMoney(salePrice),
    isFree: isZero(price),
    isLinkPublic: item.link === undefined || hasPublicHost(item.link),
    isImagePublic: item.images?.[0] === undefined || hasPublicHost(item.images[0]),
    furtherImages: furtherImages(item),
    categories: item.categories?.map((path) => path.join(" > ")),
  };
}

const variantGroupOf = memoizeLastPair(
  (group: ItemGroup, context: FeedContext): VariantGroup => ({
    groupId: publishedGroupId(group),
    variants: titledItems(group).map(({ item, title }) => variant(item, title, context)),
  }),
);

export type RefusalCheck = RefusalRule & {
  readonly code: string;
  readonly applies: (variant: Variant, context: FeedContext) => boolean;
};

/** Joins the table's reasons with their tests; a reason without a test does not compile. */
export function refusalChecks<Code extends string>(
  rules: Readonly<Record<Code, RefusalRule>>,
  tests: Readonly<Record<Code, RefusalCheck["applies"]>>,
): readonly RefusalCheck[] {
  return namesOf(rules).map((code) => ({ code, ...rules[code], applies: tests[code] }));
}

/** The tests of `addressRefusals`. */
export const ADDRESS_CHECKS = {
  link_not_public: ({ isLinkPublic }) => !isLinkPublic,
  image_not_public: ({ isImagePublic }) => !isImagePublic,
} as const satisfies Record<string, RefusalCheck["applies"]>;

export type WrittenVariants = {
  readonly written: readonly Variant[];
  readonly refusals: readonly Refusal[];
  /** The group id that the file may state; a group with one variant in the file has none. */
  readonly groupId: string | undefined;
};

/**
 * Returns the variants of a group that a file has, and the refusals with the first reason that applies to each variant.
 * Variants that will be refused are written, unless the catalog leaves out the incomplete items of the channel.
 */
export function writtenVariants(
  group: ItemGroup,
  context: FeedContext,
  {
    checks = [],
    channel,
  }: { readonly checks?: readonly RefusalCheck[]; readonly channel?: RefusingChannel } = {},
): WrittenVariants {
  const { groupId, variants } = variantGroupOf(group, context);
  const isWritten = channel === undefined || context.settings.incompleteItems?.[channel] !== "leave_out";
  const refusals: Refusal[] = [];
  const accepted: Variant[] = [];
  for (const variant of variants) {
    const check = checks.find(({ applies }) => applies(variant, context));
    if (check === undefined) accepted.push(variant);
    else {
      const { code, field, message } = check;
      refusals.push({ itemId: variant.item.id, isWritten, code, field, message });
    }
  }
  const written = isWritten ? variants : accepted;
  return { written, refusals, groupId: group.isWhole && written.length < 2 ? undefined : groupId };
}
