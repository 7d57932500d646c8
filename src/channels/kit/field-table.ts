/**
 * A field table is what one destination documented at one date, with all its limits. The renderers, the validators, the
 * refusals, the audit and the documentation read the same table.
 */
import { clamp } from "../../catalog/text.ts";
import { isLonger } from "../../lib/text-length.ts";

/** `arranged`: used only for merchants who have an agreement with the destination. */
export type Requirement = "required" | "conditional" | "optional" | "arranged";

/**
 * The longest text that the destination takes, in code points, and what is done with a longer one: it is cut at a word,
 * kept (the destination only advises), dropped, shortened to a unique form, or written although the destination will
 * refuse the item.
 */
export type TextLimit = {
  readonly codePoints: number;
  readonly over: "cut" | "keep" | "drop" | "refuse" | "shorten";
};

export type Field = {
  /** How the value is written; the table explains its kinds in `kinds`. */
  readonly kind: string;
  readonly requirement: Requirement;
  readonly limit?: TextLimit;
  /** The fewest and the most values of a repeated field. */
  readonly least?: number;
  readonly most?: number;
  /** The sub-values of one group of a composite field, in our order. */
  readonly parts?: readonly string[];
  /** Sub-values that every group must have. */
  readonly requiredParts?: readonly string[];
  /** Sub-values with another limit than `limit`, in code points. */
  readonly partLimits?: Readonly<Record<string, number>>;
  /** The most characters of all groups together. */
  readonly total?: number;
  /** The closed list of values, where there is one. */
  readonly values?: readonly string[];
  /**
   * Says in one sentence where the value comes from. Null means that a catalog has no such value, and the cell stays
   * empty.
   */
  readonly source: string | null;
};

/** Why a destination will refuse an item. */
export type RefusalRule = { readonly field: string; readonly message: string };

/** Reasons that every channel has, since no destination can open such an address. */
export function addressRefusals(fields: { readonly link: string; readonly image: string }) {
  return {
    link_not_public: {
      field: fields.link,
      message: "The host of the link is an IP address or a name of a private network.",
    },
    image_not_public: {
      field: fields.image,
      message: "The host of the first image is an IP address or a name of a private network.",
    },
  } as const;
}

/** Fields by name, in the order in which they are written. */
export type Fields = Readonly<Record<string, Field>>;

export type FieldTable = {
  readonly id: string;
  readonly label: string;
  readonly reference: string;
  /** When the destination's text was last read: a day or a month. */
  readonly observed: string;
  /** Tells a user how the destination gets the file. */
  readonly note: string;
  readonly kinds: Readonly<Record<string, string>>;
  /** In the order in which they are tried; the first that applies is reported. */
  readonly refusals: Readonly<Record<string, RefusalRule>>;
} & (
  | { readonly fields: Fields }
  /** For a file of nested objects: the fields of each type of object. */
  | { readonly types: Readonly<Record<string, Fields>> }
);

/** The names of a table in its order, typed as its own. */
export function namesOf<Table extends object>(table: Table): Extract<keyof Table, string>[] {
  const names: Extract<keyof Table, string>[] = [];
  for (const name in table) names.push(name);
  return names;
}

type More = Omit<Field, "kind" | "requirement" | "source">;

type FieldOfKind<Kind> = (
  requirement: Requirement,
  source: string | null,
  more?: More,
) => Field & { readonly kind: Kind };

/** For each kind of a table the function that declares its fields, so that the table has one line for each field. */
export function fieldKinds<Kind extends string>(
  kinds: Readonly<Record<Kind, string>>,
): { readonly [Name in Kind]: FieldOfKind<Name> } {
  const builders = namesOf(kinds).map((kind) => [
    kind,
    (requirement: Requirement, source: string | null, more: More = {}) => ({
      kind,
      requirement,
      source,
      ...more,
    }),
  ]);
  return Object.fromEntries(builders) as { readonly [Name in Kind]: FieldOfKind<Name> };
}

const limitBy =
  (over: TextLimit["over"]) =>
  (codePoints: number): TextLimit => ({ codePoints, over });

export const cut = limitBy("cut");
export const keep = limitBy("keep");
export const drop = limitBy("drop");
export const refuse = limitBy("refuse");
export const shorten = limitBy("shorten");

/** Applies a limit: the text, its beginning, or undefined when a longer text is dropped. */
export function within(text: string, limit: TextLimit | undefined): string | undefined {
  if (limit === undefined || text.length <= limit.codePoints) return text;
  const { codePoints, over } = limit;
  if (over === "cut") return clamp(text, codePoints);
  return over === "drop" && isLonger(text, codePoints) ? undefined : text;
}

/** How long a field's text may be. */
export function limitOf({ limit }: Pick<Field, "limit">): number {
  return limit?.codePoints ?? Number.POSITIVE_INFINITY;
}

/** How long a sub-value of a field may be. */
export function partLimitOf(field: Field, part: string): number {
  return field.partLimits?.[part] ?? limitOf(field);
}

/** `5,000`, as sentences write it. */
export function shownNumber(count: number): string {
  return count.toLocaleString("en");
}
