/** One item of the file: texts, lists, and groups by the names of their sub-attributes. Empty cells are not here. */
import type { Findings } from "../../kit/validate/findings.ts";
import type { GoogleRule } from "./rules.ts";

export type GoogleFindings = Findings<GoogleRule>;
/** Sub-values that are not empty. */
export type Group = ReadonlyMap<string, string>;

const NO_VALUES: readonly string[] = [];
const NO_GROUPS: readonly Group[] = [];

export class GoogleRow {
  readonly line: number;
  /** Columns the file does not have at all; that is reported once. */
  readonly absent: ReadonlySet<string>;
  readonly texts = new Map<string, string>();
  readonly lists = new Map<string, readonly string[]>();
  readonly groupLists = new Map<string, readonly Group[]>();

  /** Whether each value has an element of its own, so that commas separate nothing. */
  readonly isXml: boolean;

  constructor(line: number, absent: ReadonlySet<string>, isXml = false) {
    this.line = line;
    this.absent = absent;
    this.isXml = isXml;
  }

  text(name: string): string | undefined {
    return this.texts.get(name);
  }

  list(name: string): readonly string[] {
    return this.lists.get(name) ?? NO_VALUES;
  }

  groups(name: string): readonly Group[] {
    return this.groupLists.get(name) ?? NO_GROUPS;
  }

  has(name: string): boolean {
    return this.texts.has(name) || this.lists.has(name) || this.groupLists.has(name);
  }
}

export type RowCheck = (row: GoogleRow, findings: GoogleFindings, now: Date) => void;
