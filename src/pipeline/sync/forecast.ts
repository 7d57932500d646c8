/**
 * What a whole read would lose, told from a sample: the sampled items go through the same rules by which the four
 * files leave items out, so that a shop without a brand hears of it before it wonders where its feed went.
 */
import type { Item } from "../../catalog/item.ts";
import { FEED_FILES } from "../../feeds/format.ts";
import type { FeedContext, FeedFile } from "../../feeds/format.ts";
import { RENDERERS } from "../../feeds/registry.ts";
import { groupsOf } from "../render/group-items.ts";
import { newTally, tallyPiece } from "../render/tally.ts";

export type Forecast = {
  readonly file: FeedFile;
  readonly written: number;
  readonly excluded: number;
  /** Why items would be left out, the commonest reason first. */
  readonly reasons: readonly ForecastReason[];
};

export type ForecastReason = {
  readonly code: string;
  readonly count: number;
  /** What is missing, and what to do about it. */
  readonly message: string;
};

export function forecastFeeds(items: readonly Item[], context: FeedContext): readonly Forecast[] {
  const groups = groupsOf(items);
  return FEED_FILES.map((file): Forecast => {
    const writer = RENDERERS[file].open(context);
    const tally = newTally();
    const messages = new Map<string, string>();
    for (const group of groups) {
      const piece = writer.group(group);
      tallyPiece(tally, piece);
      for (const { code, message } of piece.excluded) messages.set(code, message);
    }
    const reasons = Object.entries(tally.reasons)
      .sort(([, a], [, b]) => b - a)
      .map(([code, count]) => ({
        code,
        count,
        message: withRemedy(messages.get(code) ?? "", REMEDIES[code]),
      }));
    return { file, written: tally.written, excluded: tally.excluded, reasons };
  });
}

const withRemedy = (message: string, remedy: string | undefined): string =>
  remedy === undefined ? message : `${message} ${remedy}`;

/** What to do, by the code of the exclusion; the exclusion's own message says what is wrong. */
const REMEDIES: Readonly<Record<string, string>> = {
  missing_brand:
    "Set the catalog's default brand (shelfwire catalog update --default-brand …) if the shop sells its own, or give the products a brand in the shop.",
  missing_seller_name: "Set the catalog's seller name (shelfwire catalog update --seller-name …).",
  missing_description: "Give the products a description in the shop, or add the column to the feed.",
  missing_image: "Give the products an image in the shop, or add the column to the feed.",
  unknown_availability:
    "Add a column with the availability or the quantity to the feed; for a shop's own connector, allow it to read stock.",
  id_too_long: "Give the products shorter ids.",
  price_not_positive: "Give the products a price.",
  placeholder_title: "Give the products a title.",
};
