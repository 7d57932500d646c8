/**
 * One row of a file: single values as texts, lists, and groups of sub-values; an object is one group. A row does not
 * contain empty values, nor values that cannot be read as the kind of their field, which are reported already.
 */
import type { FeedFinding, Findings } from "./findings.ts";

export type RowGroup = ReadonlyMap<string, string>;

type RowOptions = {
  /** Columns that the file does not have, which is reported once. */
  readonly absent?: ReadonlySet<string>;
  /** Each value has an element of its own, so commas separate nothing. */
  readonly isXml?: boolean;
};

export class CheckedRow {
  readonly line: number;
  readonly absent: ReadonlySet<string>;
  readonly isXml: boolean;
  readonly texts = new Map<string, string>();
  readonly lists = new Map<string, readonly string[]>();
  readonly groupLists = new Map<string, readonly RowGroup[]>();
  /** Fields with a value that could not be read. */
  readonly unread = new Set<string>();

  constructor(line: number, { absent = new Set(), isXml = false }: RowOptions = {}) {
    this.line = line;
    this.absent = absent;
    this.isXml = isXml;
  }

  text(name: string): string | undefined {
    return this.texts.get(name);
  }

  list(name: string): readonly string[] {
    return this.lists.get(name) ?? [];
  }

  groups(name: string): readonly RowGroup[] {
    return this.groupLists.get(name) ?? [];
  }

  /** Whether the field has a value, readable or not. */
  has(name: string): boolean {
    return this.texts.has(name) || this.lists.has(name) || this.groupLists.has(name) || this.unread.has(name);
  }

  isTrue(name: string): boolean {
    return this.texts.get(name) === "true";
  }
}

export type RowCheck<Rule extends string> = (row: CheckedRow, findings: Findings<Rule>, now: Date) => void;

type ReportText<Rule extends string> = (rule: Rule, more?: Pick<FeedFinding, "detail" | "isMild">) => void;

/** A check of one single value, for rows that have it. */
export function checkText<Rule extends string>(
  field: string,
  check: (value: string, add: ReportText<Rule>, row: CheckedRow, now: Date) => void,
): RowCheck<Rule> {
  return (row, findings, now) => {
    const value = row.text(field);
    if (value !== undefined)
      check(value, (rule, more) => findings.add(rule, { field, value, ...more }), row, now);
  };
}
