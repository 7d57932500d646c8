/** Products that the shop does not show, or that cannot be sold: they are no items, but they are counted by reason. */
import { type DropReason, productsThatAre } from "../kit/event-builder.ts";
import { flagIn, type JsonObject, textIn } from "../kit/json.ts";
import type { ShopifySettings } from "./settings.ts";

export const DROP_REASONS = {
  draft: { one: "product is a draft and was left out.", many: "products are drafts and were left out." },
  archived: productsThatAre("archived"),
  unlisted: {
    one: "product is unlisted and was left out. Set include_unlisted to yes to read it.",
    many: "products are unlisted and were left out. Set include_unlisted to yes to read them.",
  },
  unpublished: productsThatAre("not published to the Online Store"),
  gift_card: {
    one: "product is a gift card and was left out.",
    many: "products are gift cards and were left out.",
  },
  combined: {
    one: "product is a combined listing, which only groups other products, and was left out.",
    many: "products are combined listings, which only group other products, and were left out.",
  },
} as const satisfies Record<string, DropReason>;

export type DropReasonName = keyof typeof DROP_REASONS;

const BY_STATUS: Readonly<Record<string, DropReasonName>> = {
  DRAFT: "draft",
  ARCHIVED: "archived",
  UNLISTED: "unlisted",
};

/** Why a product is no item; null if it is one. */
export function dropReasonOf(
  product: JsonObject,
  { publishedOnly, includeUnlisted }: Pick<ShopifySettings, "publishedOnly" | "includeUnlisted">,
): DropReasonName | null {
  const byStatus = BY_STATUS[textIn(product, "status") ?? ""];
  if (byStatus !== undefined && !(byStatus === "unlisted" && includeUnlisted)) return byStatus;
  if (flagIn(product, "isGiftCard") === true) return "gift_card";
  if (product["combinedListingRole"] === "PARENT") return "combined";
  return publishedOnly && textIn(product, "onlineStoreUrl") === undefined ? "unpublished" : null;
}
