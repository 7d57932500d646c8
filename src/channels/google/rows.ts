/** The items of a group that Google's files carry, and what their values depend on besides the item. */
import type { ItemGroup } from "../../catalog/item-group.ts";
import type { Exclusion, FeedContext } from "../channel.ts";
import { splitExcluded } from "../kit/exclusions.ts";
import { statedGroupId, type Variant, variantGroupOf } from "../kit/variants.ts";
import { GOOGLE_EXCLUSIONS } from "./exclusions.ts";
import type { RowContext } from "./values.ts";

export type GoogleRows = {
  readonly carried: readonly Variant[];
  readonly excluded: readonly Exclusion[];
  readonly rowContext: RowContext;
};

export function googleRows(group: ItemGroup, context: FeedContext): GoogleRows {
  const variantGroup = variantGroupOf(group, context);
  const { carried, excluded } = splitExcluded(variantGroup.variants, GOOGLE_EXCLUSIONS, undefined);
  const groupId = statedGroupId(variantGroup, carried.length);
  const rowContext = { groupId, now: context.asOf.toISOString(), country: context.settings.country };
  return { carried, excluded, rowContext };
}
