/**
 * How the driver sees a format's validator: text goes in as it comes, findings go to the collector. Nothing of a file
 * is kept but what a rule across rows needs, and that is bounded.
 */
import type { Collector } from "./findings.ts";
import type { RuleTable } from "./problem.ts";

export type FeedReader = {
  readonly push: (text: string) => void;
  /** There is no more; `bytes` is how long the file was, unpacked. */
  readonly end: (bytes: number) => void;
  /** The file is not plain UTF-8: it has a byte order mark, or there are other bytes from that line on. */
  readonly misencoded: (what: "mark" | "bytes" | "utf-16", line: number) => void;
  readonly rows: () => number;
};

export type ReaderOptions = {
  readonly collector: Collector;
  /** The moment at which dates are past or to come. */
  readonly now: Date;
};

export type FormatReader = {
  readonly rules: RuleTable;
  /** What one row is called. */
  readonly rowName: string;
  readonly open: (options: ReaderOptions) => FeedReader;
};
