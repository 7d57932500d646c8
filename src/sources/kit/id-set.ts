/**
 * A set of row ids: a bitmap in blocks that are allocated when needed. Ids of a database are integers close together,
 * so a million of them need a few hundred kilobytes; a `Set` needs tens of megabytes.
 */
const BITS = 16;
const BLOCK_WORDS = 2 ** BITS / 32;

export type IdSet = {
  /** Whether it was new. */
  readonly add: (id: number) => boolean;
  readonly has: (id: number) => boolean;
  readonly size: () => number;
};

export function idSet(): IdSet {
  const blocks = new Map<number, Uint32Array>();
  let size = 0;

  function has(id: number): boolean {
    const word = blocks.get(Math.floor(id / 2 ** BITS))?.[wordOf(id)] ?? 0;
    return (word & maskOf(id)) !== 0;
  }

  return {
    has,
    add: (id) => {
      if (has(id)) return false;
      const key = Math.floor(id / 2 ** BITS);
      const block = blocks.get(key) ?? new Uint32Array(BLOCK_WORDS);
      blocks.set(key, block);
      block[wordOf(id)] = (block[wordOf(id)] ?? 0) | maskOf(id);
      size += 1;
      return true;
    },
    size: () => size,
  };
}

const wordOf = (id: number): number => Math.floor((id % 2 ** BITS) / 32);
const maskOf = (id: number): number => 1 << (id % 32);
