/**
 * A group of items becomes OpenAI rows: one value a column, in the order of the profile. `acp.csv` and `acp.json`
 * write the very same rows, so a row is built once for both.
 */
import type { ItemGroup } from "../../catalog/item-group.ts";
import type { Exclusion, FeedContext } from "../channel.ts";
import { OPENAI_FIELD_TABLE, type OpenaiFieldName, type OpenaiKind } from "./fields.ts";
import { isPlaceholder } from "../../catalog/filler-words.ts";
import { namesOf } from "../kit/field-table.ts";
import { openaiStore } from "./store.ts";
import { OPENAI_VALUES, type RowContext, type OpenaiValue, sharedChoices } from "./values.ts";
import { exclusionRules, splitExcluded } from "../kit/exclusions.ts";
import { within } from "../kit/limits.ts";
import { variantGroupOf, type Variant, statedGroupId } from "../kit/variants.ts";
import { memoizeLast } from "../kit/memoize.ts";

export type OpenaiColumn = { readonly name: OpenaiFieldName; readonly kind: OpenaiKind };
export type OpenaiRow = readonly OpenaiValue[];
export type OpenaiRows = { readonly rows: readonly OpenaiRow[]; readonly excluded: readonly Exclusion[] };

/** The columns in order; a row has one value for each. */
export const OPENAI_COLUMNS: readonly OpenaiColumn[] = namesOf(OPENAI_FIELD_TABLE.fields).map((name) => ({
  name,
  kind: OPENAI_FIELD_TABLE.fields[name].kind,
}));

const SOURCES = OPENAI_COLUMNS.map(({ name }) => ({
  valueOf: OPENAI_VALUES[name],
  limit: OPENAI_FIELD_TABLE.fields[name].limit,
}));

const EXCLUSION_CHECKS = exclusionRules<
  keyof typeof OPENAI_FIELD_TABLE.exclusions,
  Pick<RowContext, "store">
>(OPENAI_FIELD_TABLE.exclusions, {
  placeholder_title: ({ item }) => isPlaceholder(item.title),
  missing_description: ({ item }) => item.description === undefined || isPlaceholder(item.description),
  missing_brand: ({ item }) => item.brand === undefined || isPlaceholder(item.brand),
  missing_seller_name: (_, { store }) => store.sellerName === undefined,
  missing_image: ({ item }) => item.images === undefined,
  price_not_positive: ({ isFree }) => isFree,
});

function row(variant: Variant, place: RowContext): OpenaiRow {
  const values: OpenaiValue[] = [];
  for (const { valueOf, limit } of SOURCES) {
    const value = valueOf?.(variant, place);
    values.push(limit !== undefined && typeof value === "string" ? within(value, limit) : value);
  }
  return values;
}

const NONE: ReadonlySet<string> = new Set();

/** The rows of a group. Whether they form a group for OpenAI depends on how many of them can be carried. */
export const openaiRows = memoizeLast((group: ItemGroup, context: FeedContext): OpenaiRows => {
  const variantGroup = variantGroupOf(group, context);
  const store = openaiStore(context);
  const { carried, excluded } = splitExcluded(variantGroup.variants, EXCLUSION_CHECKS, { store });
  const groupId = statedGroupId(variantGroup, carried.length);
  const place = { store, groupId, choices: groupId === undefined ? NONE : sharedChoices(carried) };
  return { rows: carried.map((variant) => row(variant, place)), excluded };
});
