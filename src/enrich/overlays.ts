/**
 * Approved values. Each is bound to the source's value that it was decided against: when the source changes, the overlay is
 * decided again here, by the same rules everywhere. No approved value is lost by a sync, and none hides a newer price.
 */
import { hash } from "node:crypto";
import { GOOGLE_NAMES } from "../catalog/google-attributes.ts";
import { channelView } from "../catalog/channel-view.ts";
import {
  CHANNEL_NAMES,
  type ChannelName,
  type ChannelValues,
  type FeedPart,
  type Item,
} from "../catalog/item.ts";
import type { CatalogSettings } from "../catalog/settings.ts";
import type { ProposalState } from "../contract/proposals.ts";
import { valuesOf } from "./rules/apply.ts";
import { fieldNamed } from "./rules/field-names.ts";
import type { RuleField } from "./rules/fields.ts";
import { isRefusal, setValue, type Write } from "./rules/write.ts";

export type Overlay = {
  readonly id: string;
  readonly field: string;
  readonly value: string;
  readonly sourceHash: Buffer;
  readonly state: "approved" | "conflicted";
  readonly isGenerated: boolean;
};

export type OverlayChange = {
  readonly id: string;
  readonly state: ProposalState;
  readonly conflictHash?: Buffer;
};

/** What the source says about these changes too fast for an approved value to outlive it. */
const FOLLOWS_SOURCE: ReadonlySet<string> = new Set([
  "price",
  "sale_price",
  "list_price",
  "sale_from",
  "sale_to",
  "availability",
  "availability_date",
  "quantity",
  "expires_at",
  "link",
  "mobile_link",
  "canonical_link",
]);

const NO_SOURCE = { id: null, name: null };
const HASH_BYTES = 16;

/** Identifies the value of a field of a source item. */
export function valueHash(source: Item, field: RuleField): Buffer {
  const text = JSON.stringify(field.read(source, NO_SOURCE) ?? null);
  return hash("sha256", text, "buffer").subarray(0, HASH_BYTES);
}

/** Fields that can be proposed: those with one value that rules can set. */
export function proposableField(name: string): RuleField | undefined {
  const field = fieldNamed(name);
  const isSingle = field !== undefined && !["list", "paths", "parts"].includes(field.kind);
  return isSingle && field.target !== undefined && !FOLLOWS_SOURCE.has(field.name) ? field : undefined;
}

export type OverlayOutcome = {
  readonly item: Item;
  readonly change?: OverlayChange;
  readonly refused?: string;
};

/** Applies one approved value to the item that the rules have made of the source's. */
export function applyOverlay(
  item: Item,
  source: Item,
  overlay: Overlay,
  settings: CatalogSettings,
): OverlayOutcome {
  const field = fieldNamed(overlay.field);
  if (field?.target === undefined) return { item, refused: `There is no field "${overlay.field}".` };
  const write = setValue(field, overlay.value, settings);
  const change = changeOf(overlay, field, { source, isSame: () => write(source) === source });
  if (change?.state === "retired" || change?.state === "stale") return { item, change };
  const written = write(item);
  const applied = isRefusal(written)
    ? { item, refused: written.refused }
    : { item: inChannels(marked(written, overlay), item, (view) => writtenView(view, write, overlay)) };
  return { ...applied, ...(change && { change }) };
}

function writtenView(view: Item, write: Write, overlay: Overlay): Item {
  const written = write(view);
  return isRefusal(written) ? view : marked(written, overlay);
}

const withoutFeed = ({ feed: _feed, ...item }: Item): Item => item;

/** An approved value is also that of channels for which a rule has set another one. */
function inChannels(item: Item, before: Item, apply: (view: Item) => Item): Item {
  const { values } = before.feed ?? {};
  if (values === undefined) return item;
  const next: { [Channel in ChannelName]?: ChannelValues } = {};
  for (const channel of CHANNEL_NAMES) {
    if (values[channel] === undefined) continue;
    const view = apply(channelView({ ...before, feed: { values } }, channel));
    const own = valuesOf(withoutFeed(item), withoutFeed(view));
    if (own !== undefined) next[channel] = own;
  }
  return { ...item, feed: withValues(item.feed ?? {}, Object.keys(next).length === 0 ? undefined : next) };
}

/** With its parts in their order, so that equal items have equal JSON. */
const withValues = ({ id, excluded, generated }: FeedPart, values: FeedPart["values"]): FeedPart => ({
  ...(id !== undefined && { id }),
  ...(excluded !== undefined && { excluded }),
  ...(values !== undefined && { values }),
  ...(generated !== undefined && { generated }),
});

type SourceNow = {
  readonly source: Item;
  /** Whether the source has the value itself. */
  readonly isSame: () => boolean;
};

/** Undefined if the overlay stays as it is. */
function changeOf(
  { id, state, sourceHash }: Overlay,
  field: RuleField,
  { source, isSame }: SourceNow,
): OverlayChange | undefined {
  const now = valueHash(source, field);
  if (now.equals(sourceHash)) return state === "approved" ? undefined : { id, state: "approved" };
  if (isSame()) return { id, state: "retired" };
  if (FOLLOWS_SOURCE.has(field.name)) return { id, state: "stale" };
  return { id, state: "conflicted", conflictHash: now };
}

/** Google wants to know which texts a model wrote: they stand in attributes of their own. */
function marked(item: Item, { isGenerated, field }: Overlay): Item {
  const content = field === "title" || field === "description" ? item[field] : undefined;
  if (!isGenerated || content === undefined) return item;
  const written = field as "title" | "description";
  const generated = [...new Set([...(item.feed?.generated ?? []), written])].sort();
  const structured = [{ digital_source_type: "trained_algorithmic_media", content }];
  const values = { ...item.google, [`structured_${written}`]: structured };
  const google = Object.fromEntries(
    GOOGLE_NAMES.flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]]])),
  );
  return { ...item, google, feed: { ...item.feed, generated } };
}
