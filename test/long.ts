/**
 * For tests that are a part of both suites: `npm test` runs them on a sample, `npm run test:long` on everything. The
 * long suite runs the files that import this one, and those named `*.long.test.ts`. CONTRIBUTING.md says what belongs
 * there.
 */
export const isLong = process.env["TEST_LONG"] !== undefined;

/** The number of random cases of a law: a fifth of them in `npm test`. */
export function cases(all: number): number {
  return isLong ? all : Math.ceil(all / 5);
}
