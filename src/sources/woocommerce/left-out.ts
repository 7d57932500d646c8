/**
 * What the shop has and we do not take, counted by reason. A merchant who misses a product finds here why: one
 * warning a reason, with its number.
 */
import { counted } from "../../lib/counted.ts";
import type { Warning } from "../../catalog/finding.ts";

const reason = (one: string, many: string) => (count: number) => counted(count, one, many);

/** Each ends a sentence that begins with the number. */
const REASONS = {
  unpublished: reason(
    "product is a draft, private or scheduled in WooCommerce and was left out.",
    "products are drafts, private or scheduled in WooCommerce and were left out.",
  ),
  hidden: reason(
    "product has the catalog visibility Hidden and was left out.",
    "products have the catalog visibility Hidden and were left out.",
  ),
  password: reason(
    "product is protected by a password and was left out.",
    "products are protected by a password and were left out.",
  ),
  grouped: reason(
    "grouped product was left out: it has no price of its own, and its members are items themselves.",
    "grouped products were left out: they have no price of their own, and their members are items themselves.",
  ),
  giftCard: reason(
    "gift card was left out: feeds do not take them.",
    "gift cards were left out: feeds do not take them.",
  ),
  external: reason(
    "external product was left out, as the setting external_products asks.",
    "external products were left out, as the setting external_products asks.",
  ),
  noVariations: reason(
    "variable product has no variations, so there is nothing to buy, and was left out.",
    "variable products have no variations, so there is nothing to buy, and were left out.",
  ),
  switchedOff: reason(
    "variation is not enabled in WooCommerce and was left out.",
    "variations are not enabled in WooCommerce and were left out.",
  ),
  shelved: reason(
    "variation is a draft, scheduled or in the trash of WooCommerce and was left out.",
    "variations are drafts, scheduled or in the trash of WooCommerce and were left out.",
  ),
  notOffered: reason(
    "variation is not offered to visitors (no price, or out of stock and hidden) and was left out.",
    "variations are not offered to visitors (no price, or out of stock and hidden) and were left out.",
  ),
  ofUnpublished: reason(
    "variation belongs to a product that is not published and was left out.",
    "variations belong to products that are not published and were left out.",
  ),
  gone: reason(
    "variation that a product still names was deleted or moved to another product; there is nothing to sell.",
    "variations that products still name were deleted or moved to other products; there is nothing to sell.",
  ),
  notShown: reason(
    "variation that a product names is not shown to visitors and was left out; without a key the shop does not tell whether it was deleted or switched off.",
    "variations that products name are not shown to visitors and were left out; without a key the shop does not tell whether they were deleted or switched off.",
  ),
} as const;

export type Reason = keyof typeof REASONS;

export type LeftOut = {
  readonly count: (reason: Reason, more?: number) => void;
  readonly warnings: () => readonly Warning[];
};

export function leftOut(): LeftOut {
  const counts = new Map<Reason, number>();
  return {
    count: (reason, more = 1) => {
      if (more > 0) counts.set(reason, (counts.get(reason) ?? 0) + more);
    },
    warnings: () =>
      [...counts].map(([reason, count]) => ({
        itemId: null,
        position: null,
        field: null,
        code: "left_out",
        message: REASONS[reason](count),
      })),
  };
}
