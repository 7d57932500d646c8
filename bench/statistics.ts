/** The few numbers that many measurements come down to. */
export function median(numbers: readonly number[]): number {
  return percentile(numbers, 0.5);
}

/** The smallest of the numbers that at least `share` of them do not exceed: always one that was measured. */
export function percentile(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const value = sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)];
  if (value === undefined) throw new RangeError("nothing was measured");
  return value;
}
