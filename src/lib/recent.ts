/** A value that is expensive to compute, computed once for all who ask at the same time and for those shortly after. */
export function recent<T>(compute: () => Promise<T>, { maxAgeMs }: { readonly maxAgeMs: number }) {
  let current: { readonly value: Promise<T>; readonly until: number } | null = null;
  let isPending = false;
  return async (): Promise<T> => {
    if (current !== null && (isPending || performance.now() < current.until)) return current.value;
    isPending = true;
    const value = compute().finally(() => (isPending = false));
    current = { value, until: performance.now() + maxAgeMs };
    // A failure is for those who wait for it, not for those who ask next.
    value.catch(() => (current = null));
    return value;
  };
}
