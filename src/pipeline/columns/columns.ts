/**
 * Which columns of a file show which fields of an item, found by rendering: a column depends on a field if it differs
 * when the field does. So no table of fields and columns has to agree with the renderers.
 */
import type { ChannelName } from "../../catalog/item.ts";
import type { Refusal, FeedContext } from "../../channels/channel.ts";
import { FEED_FILES, type FeedFile } from "../../channels/registry.ts";
import type { RuleField } from "../../enrich/rules/fields.ts";
import { channelOf, feedPart, type Placed } from "../render/item-in-feeds.ts";
import { groupProbes, type ProbesOf, reduced, viewOf } from "./group-probes.ts";
import { OriginFinder, type Origins } from "./origins.ts";

export type FileColumns = Origins & {
  readonly file: FeedFile;
  readonly channel: ChannelName;
  readonly refusal: Refusal | null;
  /** The texts of the file by column, in its order; empty if the item is not in it. */
  readonly texts: ReadonlyMap<string, string>;
};

const NOTHING = {
  texts: new Map<string, never>(),
  origins: new Map<string, never>(),
  empty: new Map<string, never>(),
};

export function fileColumns(
  placed: Placed,
  context: FeedContext,
  fields: readonly RuleField[],
): readonly FileColumns[] {
  const probes = groupProbes(fields, context);
  const bases = new Map<ChannelName, Placed>();
  return FEED_FILES.map((file) => {
    const channel = channelOf(file);
    const { refusal, members } = feedPart(file, placed, context);
    if (refusal?.isWritten === false) return { file, channel, refusal, ...NOTHING };
    const base = bases.get(channel) ?? reduced(viewOf(placed, channel), channel, context);
    bases.set(channel, base);
    return { file, channel, refusal, texts: members(), ...originsIn(file, base, { context, probes }) };
  });
}

function originsIn(
  file: FeedFile,
  base: Placed,
  { context, probes }: { readonly context: FeedContext; readonly probes: ProbesOf },
): Origins {
  const part = feedPart(file, base, context);
  const texts = part.members();
  const finder = new OriginFinder();
  for (const { field, value, probes: own } of probes(base)) {
    let isFound = false;
    for (const { placed, sample, isWeak } of own) {
      // The first probe that shows a difference is enough.
      if (isFound && !isWeak) continue;
      const probe = feedPart(file, placed, context);
      // If the file does not have the probe, that says nothing about columns.
      if (probe.refusal?.isWritten === false || probe.text === part.text) continue;
      isFound = finder.compare({ field, value, sample, isWeak }, texts, probe.members()) || isFound;
    }
  }
  return finder.result();
}
