/** Counts for one file: how many items are written, how many are excluded and why, with the first exclusions. */
import type { Exclusion, Piece } from "../../channels/channel.ts";

export type ExclusionEntry = Omit<Exclusion, "itemId"> & { readonly item_id: string };

export type Tally = {
  written: number;
  excluded: number;
  readonly reasons: Record<string, number>;
  readonly exclusions: ExclusionEntry[];
};

export type FileStats = Readonly<Tally>;

const MAX_EXCLUSIONS = 20;

export const newTally = (): Tally => ({ written: 0, excluded: 0, reasons: {}, exclusions: [] });

export function tallyPiece(tally: Tally, { text, written, excluded }: Piece): string {
  tally.written += written;
  tallyExclusions(tally, excluded);
  return text;
}

export function tallyExclusions(tally: Tally, excluded: readonly Exclusion[]): void {
  for (const { itemId, ...why } of excluded) tallyExclusion(tally, { item_id: itemId, ...why });
}

export function tallyExclusion(tally: Tally, exclusion: ExclusionEntry): void {
  tally.excluded += 1;
  tally.reasons[exclusion.code] = (tally.reasons[exclusion.code] ?? 0) + 1;
  if (tally.exclusions.length < MAX_EXCLUSIONS) tally.exclusions.push(exclusion);
}
