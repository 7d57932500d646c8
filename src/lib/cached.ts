/** Caches the result of an expensive computation for `maxAgeMs`. Concurrent callers share one computation. */
export function cached<T>(compute: () => Promise<T>, { maxAgeMs }: { readonly maxAgeMs: number }) {
  let current: { readonly value: Promise<T>; readonly until: number } | null = null;
  let isPending = false;
  return async (): Promise<T> => {
    if (current !== null && (isPending || performance.now() < current.until)) return current.value;
    isPending = true;
    const value = compute().finally(() => (isPending = false));
    current = { value, until: performance.now() + maxAgeMs };
    // A failure is not cached.
    value.catch(() => (current = null));
    return value;
  };
}
