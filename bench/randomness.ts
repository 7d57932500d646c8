/** Seeded random numbers, the same on every machine: mulberry32, a generator of 32 bits. */
export type Randomness = {
  /** A whole number from 0 up to, but not including, `limit`. */
  readonly below: (limit: number) => number;
  readonly chance: (probability: number) => boolean;
  readonly one: <T>(from: readonly T[]) => T;
  /** From `least` to `most` different ones, in their order. */
  readonly some: <T>(from: readonly T[], least: number, most: number) => readonly T[];
};

export function randomness(seed: number): Randomness {
  let state = Math.imul(seed, 0x9e3779b1);
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  const one = <T>(from: readonly T[]): T => {
    const chosen = from[below(from.length)];
    if (chosen === undefined) throw new RangeError("there is nothing to choose from");
    return chosen;
  };
  return {
    below,
    chance: (probability) => next() < probability,
    one,
    some: (from, least, most) => {
      const count = least + below(most - least + 1);
      const start = below(from.length);
      return Array.from({ length: Math.min(count, from.length) }, (_, i) => (start + i) % from.length)
        .toSorted((a, b) => a - b)
        .flatMap((at) => from.slice(at, at + 1));
    },
  };
}
