/**
 * A group of items becomes OpenAI rows: one value a column, in the order of the profile. `acp.csv` and `acp.json`
 * write the very same rows, so a row is built once for both.
 */
import type { ItemGroup } from "../../catalog/item-group.ts";
import type { Exclusion, FeedContext } from "../channel.ts";
import { OPENAI_FLAT_2026_09, type OpenaiField, type OpenaiKind } from "./fields.ts";
import { isPlaceholder } from "../../catalog/filler-words.ts";
import { namesOf } from "../kit/field-table.ts";
import { acpStore } from "./store.ts";
import { ACP_VALUES, type RowContext, type AcpValue, sharedChoices } from "./values.ts";
import { exclusionRules, splitExcluded } from "../kit/exclusions.ts";
import { within } from "../kit/limits.ts";
import { variantGroupOf, type Variant, statedGroupId } from "../kit/variants.ts";
import { memoizeLast } from "../kit/memoize.ts";

export const ACP_PROFILE = OPENAI_FLAT_2026_09;

export type AcpColumn = { readonly name: OpenaiField; readonly kind: OpenaiKind };
export type AcpRow = readonly AcpValue[];
export type AcpRows = { readonly rows: readonly AcpRow[]; readonly excluded: readonly Exclusion[] };

/** The columns in order; a row has one value for each. */
export const ACP_COLUMNS: readonly AcpColumn[] = namesOf(ACP_PROFILE.fields).map((name) => ({
  name,
  kind: ACP_PROFILE.fields[name].kind,
}));

const SOURCES = ACP_COLUMNS.map(({ name }) => ({
  valueOf: ACP_VALUES[name],
  limit: ACP_PROFILE.fields[name].limit,
}));

const EXCLUSION_CHECKS = exclusionRules<keyof typeof ACP_PROFILE.exclusions, Pick<RowContext, "store">>(
  ACP_PROFILE.exclusions,
  {
    placeholder_title: ({ item }) => isPlaceholder(item.title),
    missing_description: ({ item }) => item.description === undefined || isPlaceholder(item.description),
    missing_brand: ({ item }) => item.brand === undefined || isPlaceholder(item.brand),
    missing_seller_name: (_, { store }) => store.sellerName === undefined,
    missing_image: ({ item }) => item.images === undefined,
    price_not_positive: ({ isFree }) => isFree,
  },
);

function row(variant: Variant, place: RowContext): AcpRow {
  const values: AcpValue[] = [];
  for (const { valueOf, limit } of SOURCES) {
    const value = valueOf?.(variant, place);
    values.push(limit !== undefined && typeof value === "string" ? within(value, limit) : value);
  }
  return values;
}

const NONE: ReadonlySet<string> = new Set();

/** The rows of a group. Whether they form a group for OpenAI depends on how many of them can be carried. */
export const acpRows = memoizeLast((group: ItemGroup, context: FeedContext): AcpRows => {
  const variantGroup = variantGroupOf(group, context);
  const store = acpStore(context);
  const { carried, excluded } = splitExcluded(variantGroup.variants, EXCLUSION_CHECKS, { store });
  const groupId = statedGroupId(variantGroup, carried.length);
  const place = { store, groupId, choices: groupId === undefined ? NONE : sharedChoices(carried) };
  return { rows: carried.map((variant) => row(variant, place)), excluded };
});
