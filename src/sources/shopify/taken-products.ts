/** The products that a read has taken so far, by their numbers, so that none is taken twice. */
export type TakenProducts = {
  /** False if the product was taken before. */
  readonly take: (number: number) => boolean;
  /** A product without a usable id can only be counted. */
  readonly takeUnreadable: () => void;
  readonly count: () => number;
  readonly highest: () => number;
};

export function takenProducts(): TakenProducts {
  const taken = new Set<number>();
  let unreadable = 0;
  let highest = 0;
  return {
    take: (number) => {
      if (taken.has(number)) return false;
      taken.add(number);
      highest = Math.max(highest, number);
      return true;
    },
    takeUnreadable: () => {
      unreadable += 1;
    },
    count: () => taken.size + unreadable,
    highest: () => highest,
  };
}
