/**
 * One row, whatever file it came from: single values as text, lists and objects as such. What was in the file but
 * cannot be read as the field's kind is not here; it is reported already.
 */
import type { Findings } from "../../kit/validate/findings.ts";
import type { OpenaiRule } from "./rules.ts";

export type OpenaiFindings = Findings<OpenaiRule>;

const NONE: ReadonlySet<string> = new Set();

export class OpenaiRow {
  readonly line: number;
  /** Columns the file does not have at all; that is reported once. */
  readonly absent: ReadonlySet<string>;
  readonly texts = new Map<string, string>();
  readonly lists = new Map<string, readonly string[]>();
  readonly objects = new Map<string, ReadonlyMap<string, string>>();
  /** Values that were given and could not be read. */
  readonly unread = new Set<string>();

  constructor(line: number, absent = NONE) {
    this.line = line;
    this.absent = absent;
  }

  text(name: string): string | undefined {
    return this.texts.get(name);
  }

  list(name: string): readonly string[] | undefined {
    return this.lists.get(name);
  }

  object(name: string): ReadonlyMap<string, string> | undefined {
    return this.objects.get(name);
  }

  /** Whether the field has some value, readable or not. */
  has(name: string): boolean {
    return this.texts.has(name) || this.lists.has(name) || this.objects.has(name) || this.unread.has(name);
  }

  isTrue(name: string): boolean {
    return this.texts.get(name) === "true";
  }
}

export type RowCheck = (row: OpenaiRow, findings: OpenaiFindings) => void;
