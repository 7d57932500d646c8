/**
 * Applies compiled rules to one item, in order; each rule sees what the earlier ones did. Same item, same rules: same
 * result.
 *
 * Every channel has its own view of the item, and all views are the item itself until a rule for some channels changes
 * one. A rule without channels applies to the item and to all views.
 */
import { inFieldOrder, inOrder } from "../../catalog/channel-view.ts";
import {
  CHANNEL_NAMES,
  type ChannelName,
  type ChannelValues,
  type FeedPart,
  type Item,
  type SourceField,
} from "../../catalog/item.ts";
import type { CompiledRule, CompiledRules } from "./compile.ts";
import { type FieldText, RULE_FIELDS, type RuleSource } from "./fields.ts";
import { isRefusal, isSame, type Refusal } from "./write.ts";

/** A change by a rule: of the item, or of one channel's view. Exclusions have the field `excluded`. */
export type RuleChange = {
  readonly rule: string;
  readonly channel?: ChannelName;
  readonly field: string;
  readonly before: FieldText;
  readonly after: FieldText;
};

/** A value that was not used, and why. The item stays as it was. */
export type RefusedValue = {
  readonly rule: string;
  readonly channel?: ChannelName;
  readonly field: string;
  readonly message: string;
};

export type RuleResult = {
  /** The item itself if no rule changed it. */
  readonly item: Item;
  readonly refused: readonly RefusedValue[];
  /** Only if asked for. */
  readonly trace: readonly RuleChange[];
};

const NONE: readonly never[] = [];

type State = {
  readonly source: RuleSource;
  item: Item;
  /** Of channels whose view differs from the item. */
  readonly views: Map<ChannelName, Item>;
  id: string | undefined;
  readonly excluded: Map<ChannelName, string>;
  readonly refused: RefusedValue[];
  readonly trace: RuleChange[] | undefined;
};

export function applyRules(
  item: Item,
  { rules }: CompiledRules,
  source: RuleSource,
  { withTrace = false }: { readonly withTrace?: boolean } = {},
): RuleResult {
  let state: State | undefined;
  for (const rule of rules) {
    // Most rules match few items: until one does, there is nothing to keep.
    if (state === undefined && !rule.matches(item, source)) continue;
    state ??= newState(item, source, withTrace);
    applyRule(rule, state);
  }
  if (state === undefined) return { item, refused: NONE, trace: NONE };
  return { item: effectiveItem(item, state), refused: state.refused, trace: state.trace ?? NONE };
}

function newState(item: Item, source: RuleSource, withTrace: boolean): State {
  return {
    source,
    item,
    views: new Map(),
    id: undefined,
    excluded: new Map(),
    refused: [],
    trace: withTrace ? [] : undefined,
  };
}

function applyRule(rule: CompiledRule, state: State): void {
  const { channels = CHANNEL_NAMES, action } = rule;
  if (action.type === "exclude") {
    for (const channel of channels) exclude(rule, state, channel);
    return;
  }
  if (rule.channels === undefined) {
    for (const [channel, view] of state.views) state.views.set(channel, changed(rule, state, view, channel));
    state.item = changed(rule, state, state.item);
    return;
  }
  for (const channel of rule.channels) {
    const view = viewOf(state, channel);
    const next = changed(rule, state, view, channel);
    if (next !== view) state.views.set(channel, next);
  }
}

const viewOf = ({ views, item }: State, channel: ChannelName): Item => views.get(channel) ?? item;

function exclude({ name, matches }: CompiledRule, state: State, channel: ChannelName): void {
  if (state.excluded.has(channel) || !matches(viewOf(state, channel), state.source)) return;
  state.excluded.set(channel, name);
  state.trace?.push({ rule: name, channel, field: "excluded", before: undefined, after: name });
}

type About = { readonly rule: string; readonly channel?: ChannelName };

/** The item or view after the rule; itself if the rule does not match or changes nothing. */
function changed(rule: CompiledRule, state: State, view: Item, channel?: ChannelName): Item {
  const { action, name, matches } = rule;
  if (action.type === "exclude" || !matches(view, state.source)) return view;
  const about: About = channel === undefined ? { rule: name } : { rule: name, channel };
  if (action.type === "id") {
    if (channel === undefined) setId(action.makeId(view, state.source), state, about);
    return view;
  }
  const next = action.change(view, state.source);
  if (isRefusal(next)) {
    state.refused.push({ ...about, field: action.field, message: next.refused });
    return view;
  }
  if (next !== view) state.trace?.push(...differences(view, next, state.source, about));
  return next;
}

function setId(made: { readonly id: string } | Refusal, state: State, about: About): void {
  if (isRefusal(made)) {
    state.refused.push({ ...about, field: "id", message: made.refused });
    return;
  }
  const before = state.id ?? state.item.id;
  if (made.id !== before) state.trace?.push({ ...about, field: "id", before, after: made.id });
  state.id = made.id === state.item.id ? undefined : made.id;
}

function differences(before: Item, after: Item, source: RuleSource, about: About): RuleChange[] {
  return RULE_FIELDS.flatMap(({ name, read }) => {
    const [old, current] = [read(before, source), read(after, source)];
    return isSame(old, current) ? [] : [{ ...about, field: name, before: old, after: current }];
  });
}

/** The item with its fields in the usual order and `feed` last; the given one if nothing differs. */
function effectiveItem(given: Item, state: State): Item {
  const feed = feedPart(state);
  if (feed === undefined && valuesOf(given, state.item) === undefined) return given;
  return inOrder(feed === undefined ? state.item : { ...state.item, feed });
}

function feedPart({ item, views, id, excluded }: State): FeedPart | undefined {
  const values = byChannel((channel) => valuesOf(item, views.get(channel) ?? item));
  const reasons = byChannel((channel) => excluded.get(channel));
  if (id === undefined && values === undefined && reasons === undefined) return undefined;
  return {
    ...(id !== undefined && { id }),
    ...(reasons !== undefined && { excluded: reasons }),
    ...(values !== undefined && { values }),
  };
}

function byChannel<T>(
  read: (channel: ChannelName) => T | undefined,
): { [Channel in ChannelName]?: T } | undefined {
  const result: { [Channel in ChannelName]?: T } = {};
  for (const channel of CHANNEL_NAMES) {
    const value = read(channel);
    if (value !== undefined) result[channel] = value;
  }
  return Object.keys(result).length === 0 ? undefined : result;
}

/** Undefined if the channel sees the item as it is. */
export function valuesOf(item: Item, view: Item): ChannelValues | undefined {
  if (item === view) return undefined;
  const all = new Set([...Object.keys(item), ...Object.keys(view)]) as Set<SourceField>;
  const fields = [...all].filter((field) => !isSame(item[field], view[field]));
  if (fields.length === 0) return undefined;
  return Object.fromEntries(inFieldOrder(fields).map((field) => [field, view[field] ?? null]));
}

/** What the rules did to one channel's view, in order: all that changed the item until the view became its own. */
export function channelTrace(trace: readonly RuleChange[], channel: ChannelName): readonly RuleChange[] {
  const isOwn = ({ channel: of, field }: RuleChange): boolean => of === channel && field !== "excluded";
  const split = trace.findIndex(isOwn);
  return trace.filter(
    ({ channel: of, field }, at) =>
      of === channel || (of === undefined && (split < 0 || at < split || field === "id")),
  );
}
