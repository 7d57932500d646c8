/** Memoizes a function of one text. Above `maxEntries` all results are dropped: for what is cheap to compute again. */
export function memoize<T>(maxEntries: number, compute: (key: string) => T): (key: string) => T {
  const results = new Map<string, T>();
  return (key) => {
    const known = results.get(key);
    if (known !== undefined) return known;
    const fresh = compute(key);
    if (results.size >= maxEntries) results.clear();
    results.set(key, fresh);
    return fresh;
  };
}
