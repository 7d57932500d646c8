/**
 * Counts for one file: how many items it has, how many are left out of it, how many its destination will refuse, and
 * why, with the first refusals.
 */
import type { Piece, Refusal } from "../../channels/channel.ts";
import { FirstFew, type PlacedValue } from "../../lib/first-few.ts";

/** A refusal as it is stored and answered. `included`: the file has the item all the same. */
export type RefusalEntry = {
  readonly item_id: string;
  readonly included: boolean;
  readonly code: string;
  readonly field: string | null;
  readonly message: string;
};

type Counts = {
  readonly written: number;
  /** Items that the file does not have. */
  readonly excluded: number;
  /** Items that the file has and its destination will refuse. */
  readonly refused: number;
  /** How many refusals of either kind have each code. */
  readonly reasons: Readonly<Record<string, number>>;
};

export type FileStats = Counts & { readonly refusals: readonly RefusalEntry[] };

/** What the next render continues from: with the places of the groups. */
export type StoredTally = Counts & { readonly refusals: readonly PlacedValue<RefusalEntry>[] };

const MAX_REFUSALS = 20;

export class Tally {
  written: number;
  private excluded: number;
  private refused: number;
  private readonly reasons: Map<string, number>;
  readonly first: FirstFew<RefusalEntry>;

  constructor(previous?: StoredTally) {
    this.written = previous?.written ?? 0;
    this.excluded = previous?.excluded ?? 0;
    this.refused = previous?.refused ?? 0;
    this.reasons = new Map(Object.entries(previous?.reasons ?? {}));
    this.first = new FirstFew(MAX_REFUSALS, previous?.refusals);
  }

  addPiece({ text, written, refusals }: Piece): string {
    this.written += written;
    for (const refusal of refusals) this.add("", refusalEntry(refusal));
    return text;
  }

  /** `place` is that of the group; groups come in feed order. */
  add(place: string, refusal: RefusalEntry): void {
    this.count(refusal, 1);
    if (!this.first.isFull) this.first.add(place, refusal);
  }

  /** A refusal of a group that was replaced. */
  remove(place: string, refusal: RefusalEntry): void {
    this.count(refusal, -1);
    this.first.drop(place);
  }

  stored(): StoredTally {
    const { written, excluded, refused } = this;
    const reasons = Object.fromEntries([...this.reasons].filter(([, count]) => count > 0));
    return { written, excluded, refused, reasons, refusals: this.first.list() };
  }

  stats(): FileStats {
    const { refusals, ...counts } = this.stored();
    return { ...counts, refusals: refusals.map(({ value }) => value) };
  }

  private count({ included, code }: RefusalEntry, change: 1 | -1): void {
    if (included) this.refused += change;
    else this.excluded += change;
    this.reasons.set(code, (this.reasons.get(code) ?? 0) + change);
  }
}

export const refusalEntry = ({ itemId, isWritten, code, field, message }: Refusal): RefusalEntry => ({
  item_id: itemId,
  included: isWritten,
  code,
  field,
  message,
});
