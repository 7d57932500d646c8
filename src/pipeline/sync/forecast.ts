/** Predicts from a sample which items each file leaves out and which its destination will refuse, by rendering them. */
import type { Item } from "../../catalog/item.ts";
import { CHANNELS, FEED_FILES, type FeedFile } from "../../channels/registry.ts";
import type { FeedContext } from "../../channels/channel.ts";
import { groupsOf } from "../render/item-groups.ts";
import { remedyFor } from "../render/remedies.ts";
import { Tally } from "../render/tally.ts";

export type Forecast = {
  readonly file: FeedFile;
  readonly written: number;
  readonly excluded: number;
  readonly refused: number;
  readonly reasons: readonly ForecastReason[];
};

export type ForecastReason = {
  readonly code: string;
  readonly count: number;
  readonly message: string;
};

export function forecastFeeds(items: readonly Item[], context: FeedContext): readonly Forecast[] {
  const groups = groupsOf(items);
  return FEED_FILES.map((file): Forecast => {
    const writer = CHANNELS[file].open(context);
    const tally = new Tally();
    const messages = new Map<string, string>();
    for (const group of groups) {
      const piece = writer.group(group);
      tally.addPiece(piece);
      for (const { code, message } of piece.refusals) messages.set(code, message);
    }
    const { written, excluded, refused, reasons: counts } = tally.stats();
    const reasons = Object.entries(counts)
      .sort(([, a], [, b]) => b - a)
      .map(([code, count]) => ({
        code,
        count,
        message: `${messages.get(code) ?? ""} ${remedyFor(code) ?? ""}`.trim(),
      }));
    return { file, written, excluded, refused, reasons };
  });
}
