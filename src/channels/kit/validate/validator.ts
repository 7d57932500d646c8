/**
 * Defines the validator of a channel: text goes in as it arrives, and problems go to the findings. Only the values that
 * rules across rows need are kept, and their number is bounded.
 */
import type { Findings, RuleTable } from "./findings.ts";

export type FeedReader = {
  readonly push: (text: string) => void;
  /** There is no more; `bytes` is the length of the unpacked file. */
  readonly end: (bytes: number) => void;
  readonly rows: () => number;
};

/** How a file is recognized by its content. */
export type Recognition =
  /** Recognizes a file by its first characters, without a byte order mark and white space. */
  | { readonly by: "content"; readonly matches: (text: string) => boolean }
  /** Recognizes a file by the names in its header row. */
  | {
      readonly by: "columns";
      readonly names: ReadonlySet<string>;
      /** Names that are read too, and do not show that a file is of another channel. */
      readonly aliases: ReadonlySet<string>;
      readonly delimiter: string;
    };

export type Validator = {
  readonly rules: RuleTable;
  /** The name of a row in messages. */
  readonly rowName: string;
  /** Describes the input, for the documentation. */
  readonly reads: string;
  /** The end of the names of files that are taken for this channel's. */
  readonly fileName: RegExp;
  readonly recognition: Recognition;
  /** The rule for a file that is not plain UTF-8. */
  readonly encodingRule: string;
  /** Whether a byte order mark is allowed. */
  readonly allowsMark?: boolean;
  /** `now`: the time that dates are compared with. */
  readonly open: (findings: Findings, now: Date) => FeedReader;
};
