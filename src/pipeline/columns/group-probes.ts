/** Groups that differ from the stored one in a field of one item, as one channel has them. */
import { channelView } from "../../catalog/channel-view.ts";
import type { ChannelName, Item } from "../../catalog/item.ts";
import type { FeedContext } from "../../channels/channel.ts";
import { FEED_FILES } from "../../channels/registry.ts";
import { shown } from "../../enrich/changed-fields.ts";
import { type Probe, probesOf } from "../../enrich/probes.ts";
import { NO_SOURCE, type RuleField } from "../../enrich/rules/fields.ts";
import { channelOf, feedPart, type Placed } from "../render/item-in-feeds.ts";

/** `sample` is the text of the field in the probe. */
export type GroupProbe = {
  readonly placed: Placed;
  readonly sample: string | null;
  readonly isWeak: boolean;
};
/** Changed copies of the group, field by field. `value` is the text that the field has. */
export type FieldProbes = {
  readonly field: RuleField;
  readonly value: string | null;
  readonly probes: readonly GroupProbe[];
};
export type ProbesOf = (base: Placed) => readonly FieldProbes[];

/** Channels mostly have the same values, and then the same probes. */
export function groupProbes(fields: readonly RuleField[], { settings }: FeedContext): ProbesOf {
  const known = new Map<string, readonly (readonly Probe[])[]>();
  return (base) => {
    const item = base.group.items[base.at];
    if (!item) return [];
    const key = JSON.stringify(item);
    const found = known.get(key) ?? fields.map((field) => probesOf(field, item, settings));
    known.set(key, found);
    return fields.map((field, at) => ({
      field,
      value: shown(field.read(item, NO_SOURCE)),
      probes:
        field.name === "group_id"
          ? regrouped(base)
          : (found[at] ?? []).map(({ item: changed, isWeak = false }) => ({
              placed: withItem(base, changed),
              sample: shown(field.read(changed, NO_SOURCE)),
              isWeak,
            })),
    }));
  };
}

/** Under another id, and without a group. */
const regrouped = ({ group, at }: Placed): readonly GroupProbe[] =>
  group.groupId === null
    ? []
    : [
        {
          placed: { group: { ...group, groupId: `${group.groupId}-7` }, at },
          sample: `${group.groupId}-7`,
          isWeak: false,
        },
        {
          placed: { group: { groupId: null, items: group.items.slice(at, at + 1), isWhole: true }, at: 0 },
          sample: null,
          isWeak: true,
        },
      ];

const withItem = ({ group, at }: Placed, item: Item): Placed => ({
  group: { ...group, items: group.items.with(at, item) },
  at,
});

/** The group as the channel has it, in plain items. */
export function viewOf({ group, at }: Placed, channel: ChannelName): Placed {
  const isIn = ({ feed }: Item): boolean => feed?.excluded?.[channel] === undefined;
  const items = group.items.filter(isIn).map((item) => {
    const { feed: _, ...view } = channelView(item, channel);
    return view;
  });
  return { group: { ...group, items }, at: group.items.slice(0, at).filter(isIn).length };
}

/** The first items of a group, and the item itself: as few as give the item the same texts as the whole group. */
export function reduced({ group, at }: Placed, channel: ChannelName, context: FeedContext): Placed {
  const files = FEED_FILES.filter((file) => channelOf(file) === channel);
  const textsIn = (placed: Placed): string =>
    JSON.stringify(files.map((file) => [...feedPart(file, placed, context).members()]));
  const wanted = textsIn({ group, at });
  for (let count = 1; count < group.items.length; count *= 2) {
    const items = group.items.filter((_, index) => index < count || index === at);
    const part = { group: { ...group, items }, at: Math.min(at, items.length - 1) };
    if (textsIn(part) === wanted) return part;
  }
  return { group, at };
}
