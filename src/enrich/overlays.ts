/**
 * Approved values. Each is bound to what it was decided from: when the source changes that, the overlay is decided again
 * here, by the same rules everywhere. No approved value is lost by a sync, and none hides a newer price.
 */
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
import { type Basis, basisHash, isSameBasis } from "./basis.ts";
import { valuesOf } from "./rules/apply.ts";
import { fieldNamed } from "./rules/field-names.ts";
import type { RuleField } from "./rules/fields.ts";
import { isRefusal, setValue, type Write } from "./rules/write.ts";

export type Overlay = Basis & {
  readonly id: string;
  readonly field: string;
  readonly value: string;
  /** Of what it was decided from. */
  readonly sourceHash: Buffer;
  /** Of a conflicted or retired one: of what the source had when that was noticed. */
  readonly conflictHash: Buffer | null;
  /** `retired`: the source has brought the value itself. It is in force again once the source no longer has it. */
  readonly state: "approved" | "conflicted" | "retired";
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

/** Fields that can be proposed: those with one value that rules can set. */
export function proposableField(name: string): RuleField | undefined {
  const field = fieldNamed(name);
  const isSingle =
    field !== undefined && !["list", "paths", "parts"].includes(field.kind) && field.entryOf === undefined;
  return isSingle && field.target !== undefined && !FOLLOWS_SOURCE.has(field.name) ? field : undefined;
}

export type OverlayOutcome = {
  readonly item: Item;
  /** The value is not applied: the source has it itself, or has brought a newer one. */
  readonly isIdle?: true;
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
  const state = change?.state ?? overlay.state;
  if (state === "retired" || state === "stale") return { item, isIdle: true, ...(change && { change }) };
  const written = write(item);
  const applied = isRefusal(written)
    ? { item, refused: written.refused }
    : { item: inChannels(marked(written, item, overlay), item, (view) => writtenView(view, write, overlay)) };
  return { ...applied, ...(change && { change }) };
}

function writtenView(view: Item, write: Write, overlay: Overlay): Item {
  const written = write(view);
  return isRefusal(written) ? view : marked(written, view, overlay);
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
const withValues = ({ id, excluded, replaced }: FeedPart, values: FeedPart["values"]): FeedPart => ({
  ...(id !== undefined && { id }),
  ...(excluded !== undefined && { excluded }),
  ...(values !== undefined && { values }),
  ...(replaced !== undefined && { replaced }),
});

type SourceNow = {
  readonly source: Item;
  /** Whether the source has the value itself. */
  readonly isSame: () => boolean;
};

/** Undefined if the overlay stays as it is. */
function changeOf(
  overlay: Overlay,
  field: RuleField,
  { source, isSame }: SourceNow,
): OverlayChange | undefined {
  const { id, state, sourceHash, conflictHash } = overlay;
  const now = basisHash(source, field, overlay);
  if (isSameBasis(sourceHash, now)) return state === "approved" ? undefined : { id, state: "approved" };
  if (state === "retired") return undefined;
  if (isSame()) return { id, state: "retired", conflictHash: now };
  if (FOLLOWS_SOURCE.has(field.name)) return { id, state: "stale" };
  if (state === "conflicted" && conflictHash?.equals(now)) return undefined;
  return { id, state: "conflicted", conflictHash: now };
}

/**
 * Google wants to know which texts a model wrote: they stand in attributes of their own. What the item had before is kept,
 * because only that is evidence for other values.
 */
function marked(item: Item, before: Item, { isGenerated, field }: Overlay): Item {
  const content = field === "title" || field === "description" ? item[field] : undefined;
  if (!isGenerated || content === undefined) return item;
  const written = field as "title" | "description";
  const structured = [{ digital_source_type: "trained_algorithmic_media", content }];
  const values = { ...item.google, [`structured_${written}`]: structured };
  const google = Object.fromEntries(
    GOOGLE_NAMES.flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]]])),
  );
  return { ...item, google, feed: { ...item.feed, replaced: replacedTexts(before, written) } };
}

/** Always in the same order, so that equal items have equal JSON. */
function replacedTexts(before: Item, written: "title" | "description"): NonNullable<FeedPart["replaced"]> {
  const known = before.feed?.replaced ?? {};
  const { title, description } =
    written === "title"
      ? { ...known, title: before.title }
      : { ...known, description: before.description ?? null };
  return { ...(title !== undefined && { title }), ...(description !== undefined && { description }) };
}
