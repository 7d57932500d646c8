/**
 * The forms of Google's attributes: what one value may be, and how several are combined. The names are short, so that
 * the table in `google-attributes.ts` has one line for each attribute.
 */
import { type WordTable, wordTable } from "./words.ts";

export type GoogleFormKind =
  /** Prose: markup is removed, a longer text is cut. */
  | "text"
  /** An identifier, a label or a template: kept as written, a longer one is not used. */
  | "code"
  /** A word that Google documents. Others are kept as written, because Google adds words between revisions. */
  | "word"
  | "url"
  | "money"
  | "flag"
  | "country"
  | "time"
  | "interval"
  | "gtin"
  /** Hours and minutes. */
  | "clock"
  | "number"
  | "decimal";

/** How one value is written. */
export type GoogleForm = {
  readonly kind: GoogleFormKind;
  /** The most characters of a text or a code. */
  readonly longest?: number;
  /** The range of a number. */
  readonly least?: number;
  readonly most?: number;
  /** The words in Google's spelling, and what means each. */
  readonly values?: readonly string[];
  readonly words?: WordTable<string>;
};

export type GooglePart = { readonly form: GoogleForm; readonly isRequired: boolean };

export type GoogleAttribute = {
  /** Other names of the attribute: names in Google's APIs, and names from before it was renamed. */
  readonly aliases: readonly string[];
} & (
  | { readonly shape: "one"; readonly form: GoogleForm }
  | { readonly shape: "list"; readonly form: GoogleForm; readonly most: number }
  | {
      readonly shape: "groups";
      /** In the order of the columns that we write. */
      readonly parts: Readonly<Record<string, GooglePart>>;
      /**
       * The parts of a cell whose header names none, one order for each number of parts. Undefined: the first ones, in
       * order.
       */
      readonly orders: readonly (readonly string[])[] | undefined;
      readonly most: number;
      /** The most characters of all groups together. */
      readonly longest: number | undefined;
      /** Parts of which a group must have at least one. */
      readonly anyOf: readonly string[] | undefined;
      /** Parts of which a group may have at most one. */
      readonly exclusive: readonly string[];
    }
);

export type GoogleGroupsAttribute = Extract<GoogleAttribute, { readonly shape: "groups" }>;

/** Google documents no limit; this limit keeps an item bounded. */
const MAX_VALUES = 100;

export const text = (longest: number): GoogleForm => ({ kind: "text", longest });
export const code = (longest: number): GoogleForm => ({ kind: "code", longest });
export const number = (least: number): GoogleForm => ({ kind: "number", least });
export const percentage: GoogleForm = { kind: "decimal", most: 100 };
export const decimal: GoogleForm = { kind: "decimal" };
export const url: GoogleForm = { kind: "url" };
export const money: GoogleForm = { kind: "money" };
export const flag: GoogleForm = { kind: "flag" };
export const country: GoogleForm = { kind: "country" };
export const time: GoogleForm = { kind: "time" };
export const interval: GoogleForm = { kind: "interval" };
export const gtin: GoogleForm = { kind: "gtin" };
export const clock: GoogleForm = { kind: "clock" };

/** Google's spellings, each with the others that mean the same. */
export function wordsWithAliases(spellings: Readonly<Record<string, readonly string[]>>): GoogleForm {
  return { kind: "word", values: Object.keys(spellings), words: wordTable(spellings) };
}

export const words = (values: string): GoogleForm =>
  wordsWithAliases(Object.fromEntries(values.split(" ").map((value) => [value, []])));

const names = (list: string): readonly string[] => (list === "" ? [] : list.split(" "));

export const one = (form: GoogleForm, aliases = "") =>
  ({ shape: "one", form, aliases: names(aliases) }) as const;

export const list = (form: GoogleForm, aliases: string, most = MAX_VALUES) =>
  ({ shape: "list", form, most, aliases: names(aliases) }) as const;

export const required = (form: GoogleForm): GooglePart => ({ form, isRequired: true });
export const optional = (form: GoogleForm): GooglePart => ({ form, isRequired: false });

type GroupOptions = {
  readonly aliases?: string;
  readonly orders?: readonly string[];
  readonly most?: number;
  readonly longest?: number;
  readonly anyOf?: string;
  readonly exclusive?: string;
};

export const groups = (
  parts: Readonly<Record<string, GooglePart>>,
  { aliases = "", orders, most = MAX_VALUES, longest, anyOf, exclusive = "" }: GroupOptions = {},
) =>
  ({
    shape: "groups",
    parts,
    orders: orders?.map(names),
    most,
    longest,
    anyOf: anyOf === undefined ? undefined : names(anyOf),
    exclusive: names(exclusive),
    aliases: names(aliases),
  }) as const;
