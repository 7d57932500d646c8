/** The item as one channel sees it: with the id and the values that rules set for the feeds. */
import type { ChannelName, ChannelValues, Item, SourceField } from "./item.ts";
import { ITEM_FIELDS, type MutableItem, setField } from "./normalize.ts";

/** The item itself if nothing differs. `feed` stays, for what else it says about the channel. */
export function channelView(item: Item, channel: ChannelName): Item {
  const { feed } = item;
  const values = feed?.values?.[channel];
  const id = feed?.id ?? item.id;
  if (values !== undefined) return merged({ ...item, id }, values);
  return id === item.id ? item : { ...item, id };
}

function merged(item: Item, values: ChannelValues): Item {
  const view: MutableItem = { ...item };
  for (const field of Object.keys(values) as SourceField[]) {
    const value = values[field];
    if (value === null) delete (view as Partial<MutableItem>)[field];
    else setField(view, field, value);
  }
  return inOrder(view);
}

const POSITIONS: ReadonlyMap<string, number> = new Map(ITEM_FIELDS.map((field, at) => [field, at]));

/** `feed` is the last field. */
const positionOf = (field: string): number => POSITIONS.get(field) ?? ITEM_FIELDS.length;

export const inFieldOrder = <Field extends string>(fields: readonly Field[]): readonly Field[] =>
  fields.toSorted((a, b) => positionOf(a) - positionOf(b));

/** Puts the fields of the item in the order of `normalize`, so that equal items have equal JSON. */
export function inOrder(item: Item): Item {
  const fields = Object.keys(item) as (keyof Item)[];
  if (isInOrder(item, fields)) return item;
  const ordered: Partial<MutableItem> = {};
  for (const field of inFieldOrder(fields)) setField(ordered as MutableItem, field, item[field]);
  return ordered as Item;
}

function isInOrder(item: Item, fields: readonly (keyof Item)[]): boolean {
  let last = -1;
  for (const field of fields) {
    const position = positionOf(field);
    if (position < last || item[field] === undefined) return false;
    last = position;
  }
  return true;
}
