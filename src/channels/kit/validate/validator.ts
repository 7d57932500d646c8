/**
 * What a channel's validator is: text goes in as it comes, findings go to the collector. Nothing of a file is kept
 * except what rules across rows need, and that is bounded.
 */
import type { Collector, RuleTable } from "./findings.ts";

export type FeedReader = {
  readonly push: (text: string) => void;
  /** There is no more; `bytes` is the length of the unpacked file. */
  readonly end: (bytes: number) => void;
  /** The file is not plain UTF-8: it has a byte order mark, or other bytes from that line on. */
  readonly misencoded: (what: "mark" | "bytes" | "utf-16", line: number) => void;
  readonly rows: () => number;
};

export type ReaderOptions = {
  readonly collector: Collector;
  /** The time at which dates are past or to come. */
  readonly now: Date;
};

/** How a file is recognized by its content. */
export type Recognition =
  /** By its first characters, without a byte order mark and white space. */
  | { readonly by: "content"; readonly matches: (text: string) => boolean }
  /** By the names in its header row. */
  | {
      readonly by: "columns";
      readonly names: ReadonlySet<string>;
      /** Names that are read too, and do not show that a file is of another channel. */
      readonly aliases: ReadonlySet<string>;
      readonly delimiter: string;
    };

export type Validator = {
  readonly rules: RuleTable;
  /** What one row is called. */
  readonly rowName: string;
  /** What is read, for the documentation. */
  readonly reads: string;
  /** The end of the names of files that are taken for this channel's. */
  readonly fileName: RegExp;
  readonly recognition: Recognition;
  readonly open: (options: ReaderOptions) => FeedReader;
};
