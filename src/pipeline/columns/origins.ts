/** What the differences between an item in a file and its probes say about the columns of the file. */
import type { RuleField } from "../../enrich/rules/fields.ts";

/** On which fields the text of a column depends. */
export type Origin = {
  readonly fields: ReadonlySet<string>;
  /** They only decide whether the column is there: its text is not made of their values. */
  readonly isConditional: boolean;
};

export type Origins = {
  /** By column. */
  readonly origins: ReadonlyMap<string, Origin>;
  /** By field: columns that are empty, and would not be if the field had another value. */
  readonly empty: ReadonlyMap<string, readonly string[]>;
};

/** By column. */
type Texts = ReadonlyMap<string, string>;

export type ProbedField = {
  readonly field: RuleField;
  /** Its text in the item, and in the probe; null: none. */
  readonly value: string | null;
  readonly sample: string | null;
  readonly isWeak: boolean;
};

export class OriginFinder {
  /** By column: fields that make its text, fields that may, and fields that only switch it on. */
  private readonly made = new Map<string, Set<string>>();
  private readonly weak = new Map<string, Set<string>>();
  private readonly conditional = new Map<string, Set<string>>();
  private readonly empty = new Map<string, string[]>();

  /** Whether anything differs. */
  compare(probe: ProbedField, texts: Texts, probed: Texts): boolean {
    const { field, isWeak } = probe;
    const more = [...probed.keys()].filter((column) => !texts.has(column));
    if (more.length > 0 && !isWeak) this.empty.set(field.name, more);
    const differing = [...texts].filter(([column, text]) => probed.get(column) !== text);
    for (const [column, text] of differing) {
      if (isMadeOf(probe, text, probed.get(column)))
        addTo(isWeak ? this.weak : this.made, column, field.name);
      // A text that moved to another column says nothing.
      else if (more.length === 0 && probe.value !== null) addTo(this.conditional, column, field.name);
    }
    return differing.length > 0 || more.length > 0;
  }

  result(): Origins {
    const conditional = originsOf(this.conditional, true);
    const made = [...originsOf(this.weak, false), ...originsOf(this.made, false)];
    return { origins: new Map([...conditional, ...made]), empty: this.empty };
  }
}

const originsOf = (found: ReadonlyMap<string, Set<string>>, isConditional: boolean): [string, Origin][] =>
  [...found].map(([column, fields]) => [column, { fields, isConditional }]);

/** Whether the text of a column is made of the field's value, and not only there because of it. */
function isMadeOf({ field, value, sample }: ProbedField, text: string, probed: string | undefined): boolean {
  // A default stands where the value would.
  if (value === null) return probed === sample;
  // Without another value to try, a text that is gone is the field's.
  return probed !== undefined || text === value || field.kind === "parts" || field.kind === "flag";
}

function addTo(fields: Map<string, Set<string>>, column: string, field: string): void {
  fields.set(column, (fields.get(column) ?? new Set()).add(field));
}
