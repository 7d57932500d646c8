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

/** The same item with its fields in the order of `normalize`, so that equal items have equal JSON. */
export function inOrder(item: Item): Item {
  const { id, title, link, price, availability } = item;
  const ordered: MutableItem = { id, title, link, price, availability };
  for (const field of ITEM_FIELDS) setField(ordered, field, item[field]);
  setField(ordered, "feed", item.feed);
  return ordered;
}
