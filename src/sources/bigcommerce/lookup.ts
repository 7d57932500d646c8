/**
 * Things that products name by id, such as brands: asked for when a page first names them, many at once, and
 * remembered up to a bound. Then all are forgotten, and the next page asks anew. What the shop does not have is
 * remembered as well, so that it is not asked for again.
 */
export type Lookup<T> = {
  /** Makes these known, for this page at least. */
  readonly ensure: (ids: Iterable<number>) => Promise<void>;
  readonly get: (id: number) => T | undefined;
};

/** As many as one answer can hold. */
const MAX_AT_ONCE = 250;

export function lookup<T>(
  ask: (ids: readonly number[]) => Promise<ReadonlyMap<number, T>>,
  maxRemembered: number,
): Lookup<T> {
  const known = new Map<number, T | null>();
  return {
    ensure: async (ids) => {
      const wanted = new Set(ids);
      if (known.size + wanted.size > maxRemembered) {
        for (const id of known.keys()) if (!wanted.has(id)) known.delete(id);
      }
      const unknown = [...wanted].filter((id) => !known.has(id));
      for (let from = 0; from < unknown.length; from += MAX_AT_ONCE) {
        const some = unknown.slice(from, from + MAX_AT_ONCE);
        const found = await ask(some);
        for (const id of some) known.set(id, found.get(id) ?? null);
      }
    },
    get: (id) => known.get(id) ?? undefined,
  };
}
