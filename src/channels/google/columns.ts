/**
 * The fields of Google's files in their order, with their values held to the limits of the table. `gmc.tsv` writes
 * them as cells and `gmc.xml` as elements.
 */
import {
  GOOGLE_COLUMNS,
  GOOGLE_TABLE,
  type GoogleColumn,
  type GoogleValue,
} from "../../catalog/google-attributes.ts";
import { type Field, namesOf } from "../kit/field-table.ts";
import { within } from "../kit/limits.ts";
import type { Variant } from "../kit/variants.ts";
import { GOOGLE_FIELD_TABLE, type GoogleFieldName } from "./fields.ts";
import type { GroupValue } from "./cell.ts";
import { GOOGLE_VALUES, type OwnFieldName, type RowContext } from "./values.ts";

type ValueOf<Value> = (variant: Variant, context: RowContext) => Value | undefined;

/** `isPlain`: the value has no character that a file treats specially. */
export type Column = { readonly name: string } & (
  | { readonly shape: "one"; readonly isPlain: boolean; readonly read: ValueOf<string> }
  | { readonly shape: "list"; readonly read: ValueOf<readonly string[]> }
  | {
      readonly shape: "groups";
      readonly parts: readonly string[];
      readonly read: ValueOf<readonly GroupValue[]>;
    }
);

function isOwn(name: GoogleFieldName): name is OwnFieldName {
  return name in GOOGLE_VALUES;
}

function columnOf(name: OwnFieldName): Column {
  const { kind, parts = [], limit }: Field = GOOGLE_FIELD_TABLE.fields[name];
  // The kind decides the type of the value; TypeScript checks that in the table of values.
  const read = GOOGLE_VALUES[name] as ValueOf<never>;
  if (kind === "list") return { name, shape: "list", read };
  if (kind === "groups") return { name, shape: "groups", parts, read };
  if (kind !== "text" && kind !== "url") return { name, shape: "one", isPlain: true, read };
  if (limit === undefined) return { name, shape: "one", isPlain: false, read };
  const fitted: ValueOf<string> = (variant, context) => {
    const value: string | undefined = read(variant, context);
    return value === undefined ? undefined : within(value, limit);
  };
  return { name, shape: "one", isPlain: false, read: fitted };
}

/** What an item's own fields fill. */
export const OWN_COLUMNS: readonly Column[] = namesOf(GOOGLE_FIELD_TABLE.fields).filter(isOwn).map(columnOf);

/** What is passed through from the source; `parts` is empty for what has no sub-values. */
export const PASSED_COLUMNS: readonly { readonly name: GoogleColumn; readonly parts: readonly string[] }[] =
  GOOGLE_COLUMNS.map((name) => {
    const attribute = GOOGLE_TABLE[name];
    return { name, parts: attribute.shape === "groups" ? Object.keys(attribute.parts) : [] };
  });

/** The groups of a passed value, each in the order of the parts. */
export function groupsOf(
  value: Exclude<GoogleValue, string>,
  parts: readonly string[],
): readonly GroupValue[] {
  return value.map((group) => (typeof group === "string" ? [group] : parts.map((part) => group[part])));
}
