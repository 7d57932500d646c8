/**
 * Counts for one file: how many items it has, how many are left out of it, how many its destination will refuse, and
 * why, with the first refusals.
 */
import type { Piece, Refusal } from "../../channels/channel.ts";

/** A refusal as it is stored and answered. `included`: the file has the item all the same. */
export type RefusalEntry = {
  readonly item_id: string;
  readonly included: boolean;
  readonly code: string;
  readonly field: string | null;
  readonly message: string;
};

export type Tally = {
  written: number;
  /** Items that the file does not have. */
  excluded: number;
  /** Items that the file has and its destination will refuse. */
  refused: number;
  /** How many refusals of either kind have each code. */
  readonly reasons: Record<string, number>;
  readonly refusals: RefusalEntry[];
};

export type FileStats = Readonly<Tally>;

const MAX_REFUSALS = 20;

export const newTally = (): Tally => ({ written: 0, excluded: 0, refused: 0, reasons: {}, refusals: [] });

export function tallyPiece(tally: Tally, { text, written, refusals }: Piece): string {
  tally.written += written;
  for (const refusal of refusals) tallyRefusal(tally, refusalEntry(refusal));
  return text;
}

export const refusalEntry = ({ itemId, isWritten, code, field, message }: Refusal): RefusalEntry => ({
  item_id: itemId,
  included: isWritten,
  code,
  field,
  message,
});

export function tallyRefusal(tally: Tally, refusal: RefusalEntry): void {
  if (refusal.included) tally.refused += 1;
  else tally.excluded += 1;
  tally.reasons[refusal.code] = (tally.reasons[refusal.code] ?? 0) + 1;
  if (tally.refusals.length < MAX_REFUSALS) tally.refusals.push(refusal);
}
