/** The fields in which two items differ, as texts: those of the item, then what differs in single channels. */
import { channelView } from "../catalog/channel-view.ts";
import { CHANNEL_NAMES, type Item } from "../catalog/item.ts";
import type { ChangedItem } from "../contract/plans.ts";
import { type FieldText, NO_SOURCE, RULE_FIELDS } from "./rules/fields.ts";

type Changes = ChangedItem["changes"];

export function changedFields(before: Item, after: Item): Changes {
  const own = differences(before, after);
  const isOwn = ({ field, before: was, after: is }: Changes[number]): boolean =>
    own.some((change) => change.field === field && change.before === was && change.after === is);
  const id = changeOf("id in feeds", before.feed?.id ?? before.id, after.feed?.id ?? after.id);
  const inChannels = CHANNEL_NAMES.flatMap((channel) => [
    ...changeOf(
      `excluded from ${channel}`,
      before.feed?.excluded?.[channel],
      after.feed?.excluded?.[channel],
    ),
    ...differences(channelView(before, channel), channelView(after, channel))
      .filter((change) => change.field !== "id" && !isOwn(change))
      .map((change) => ({ ...change, field: `${change.field} in ${channel}` })),
  ]);
  return [...id, ...own, ...inChannels];
}

const differences = (before: Item, after: Item): Changes =>
  RULE_FIELDS.flatMap(({ name, read }) => changeOf(name, read(before, NO_SOURCE), read(after, NO_SOURCE)));

function changeOf(field: string, before: FieldText, after: FieldText): Changes {
  const [was, is] = [shown(before), shown(after)];
  return was === is ? [] : [{ field, before: was, after: is }];
}

/** A value as one text; null: none. */
export const shown = (text: FieldText): string | null =>
  text === undefined ? null : typeof text === "string" ? text : text.join(", ");
