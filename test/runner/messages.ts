/** What the runner and its workers send each other. */

/** From the runner: the next file to run, as a path from the root of the repository. */
export type Order = { readonly file: string };

/** From a worker. */
export type Report =
  | { readonly type: "started"; readonly title: string }
  | { readonly type: "test"; readonly result: TestResult }
  /** The file has ended; `failure` is what is wrong with the file as a whole. */
  | { readonly type: "file"; readonly failure: string | undefined; readonly cpuSeconds: number };

export type TestResult = {
  /** The titles of its suites and its own. */
  readonly title: string;
  readonly state: "passed" | "failed" | "skipped";
  /** File, line and column. */
  readonly place: string;
  readonly failure: string | undefined;
};
