/**
 * The shape of a field table. A table is what one consumer documented at one date: renderers, validators, the
 * documentation and the console all read it, and a new revision is a new table, never an edit of an old one.
 */

/** `arranged`: takes effect only where the consumer has set the merchant up for it. */
export type Requirement = "required" | "conditional" | "optional" | "arranged";

/**
 * The longest text the consumer takes, in code points, and what we do with a longer one: cut it at a word, keep
 * it (the consumer only advises), drop the value, leave the item out, or shorten it to a unique form.
 */
export type Limit = {
  readonly codePoints: number;
  readonly over: "cut" | "keep" | "drop" | "exclude" | "shorten";
};

export type Field = {
  /** How the value is written; each profile explains its kinds in `kinds`. */
  readonly kind: string;
  readonly requirement: Requirement;
  readonly limit?: Limit;
  /** The fewest and the most values of a repeated field. */
  readonly least?: number;
  readonly most?: number;
  /** The sub-values of one group of a composite field, in our order. */
  readonly parts?: readonly string[];
  /** The closed list of values, where there is one. */
  readonly values?: readonly string[];
  /** One sentence: where the value comes from. Null: we hold nothing that fits, and the cell stays empty. */
  readonly source: string | null;
};

/** A reason to leave an item out of this consumer's files: the row would be refused there, or be wrong. */
export type ExclusionRule = { readonly field: string; readonly message: string };

export type Profile = {
  readonly id: string;
  readonly label: string;
  readonly reference: string;
  /** The day on which the consumer's text was last seen. */
  readonly observed: string;
  /** What a user should know about how the consumer gets the file. */
  readonly note: string;
  readonly kinds: Readonly<Record<string, string>>;
  /** In column order. */
  readonly fields: Readonly<Record<string, Field>>;
  /** In the order in which they are tried; an item is left out for the first that applies. */
  readonly exclusions: Readonly<Record<string, ExclusionRule>>;
};

/** The names of a table in its order, typed as its own. */
export function namesOf<Table extends object>(table: Table): Extract<keyof Table, string>[] {
  const names: Extract<keyof Table, string>[] = [];
  for (const name in table) names.push(name);
  return names;
}
