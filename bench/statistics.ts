/** Median and percentile. */
export function median(numbers: readonly number[]): number {
  return percentile(numbers, 0.5);
}

/** The smallest measured number that at least `share` of them do not exceed. */
export function percentile(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const value = sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)];
  if (value === undefined) throw new RangeError("nothing was measured");
  return value;
}
