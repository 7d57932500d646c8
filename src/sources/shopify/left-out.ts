/**
 * Products that the shop itself does not show, or that are nothing to be shown: they are no items, but they are
 * counted, and each reason is told once in words a merchant knows.
 */
import { flagAt, type JsonObject, textAt } from "./json.ts";
import type { ShopifySettings } from "./settings.ts";

type Sentence = { readonly one: string; readonly many: string };

export const LEFT_OUT = {
  draft: {
    one: "1 product is a draft and was left out.",
    many: "{count} products are drafts and were left out.",
  },
  archived: {
    one: "1 product is archived and was left out.",
    many: "{count} products are archived and were left out.",
  },
  unlisted: {
    one: "1 product is unlisted and was left out. Set include_unlisted to yes to take it.",
    many: "{count} products are unlisted and were left out. Set include_unlisted to yes to take them.",
  },
  unpublished: {
    one: "1 product is not published to the Online Store and was left out.",
    many: "{count} products are not published to the Online Store and were left out.",
  },
  gift_card: {
    one: "1 product is a gift card and was left out.",
    many: "{count} products are gift cards and were left out.",
  },
  combined: {
    one: "1 product is a combined listing, which only gathers other products, and was left out.",
    many: "{count} products are combined listings, which only gather other products, and were left out.",
  },
} as const satisfies Record<string, Sentence>;

export type LeftOutReason = keyof typeof LEFT_OUT;

const BY_STATUS: Readonly<Record<string, LeftOutReason>> = {
  DRAFT: "draft",
  ARCHIVED: "archived",
  UNLISTED: "unlisted",
};

/** Why a product is no item; null if it is one. */
export function whyLeftOut(
  product: JsonObject,
  { publishedOnly, includeUnlisted }: Pick<ShopifySettings, "publishedOnly" | "includeUnlisted">,
): LeftOutReason | null {
  const byStatus = BY_STATUS[textAt(product, "status") ?? ""];
  if (byStatus !== undefined && !(byStatus === "unlisted" && includeUnlisted)) return byStatus;
  if (flagAt(product, "isGiftCard") === true) return "gift_card";
  if (product["combinedListingRole"] === "PARENT") return "combined";
  return publishedOnly && textAt(product, "onlineStoreUrl") === undefined ? "unpublished" : null;
}

export type LeftOutCounts = ReadonlyMap<LeftOutReason, number>;

export function leftOutSentences(counts: LeftOutCounts): readonly string[] {
  return [...counts]
    .filter(([, count]) => count > 0)
    .map(([reason, count]) => {
      const { one, many } = LEFT_OUT[reason];
      return count === 1 ? one : many.replace("{count}", String(count));
    });
}
