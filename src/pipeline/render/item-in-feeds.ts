/** One item of a group as the hosted files have it: its text, and its columns or the members of its JSON object. */
import type { ChannelName, ItemGroup } from "../../catalog/item.ts";
import type { Refusal, FeedContext } from "../../channels/channel.ts";
import { CHANNELS, FEED_FILES, type FeedFile } from "../../channels/registry.ts";
import type { Catalog } from "../../store/catalogs.ts";
import {
  type Column,
  filledColumns,
  headerOf,
  linesIn,
  membersIn,
  type RenderedGroup,
  rowsIn,
  withoutComma,
} from "./feed-members.ts";

export type FeedView = {
  readonly file: FeedFile;
  readonly refusal: Refusal | null;
  /** The item as the file has it; for tables, with the line of column names. */
  readonly text: string | null;
  /** The filled columns of a table, in its order; null for files that are not tables. */
  readonly columns: readonly Column[] | null;
};

/** The item at the index `at` of the group. */
export type Placed = { readonly group: ItemGroup; readonly at: number };

export const feedContext = (
  { slug, name, settings, snapshotAt }: Catalog,
  asOf: Date = new Date(),
): FeedContext => ({ catalog: { slug, name }, settings, asOf, snapshotAt });

export const channelOf = (file: FeedFile): ChannelName => CHANNELS[file].destination;

export const feedViews = (placed: Placed, context: FeedContext): FeedView[] =>
  FEED_FILES.map((file) => feedView(file, placed, context));

function feedView(file: FeedFile, placed: Placed, context: FeedContext): FeedView {
  const { refusal, ...rendered } = render(file, placed, context);
  if (refusal?.isWritten === false) return { file, refusal, text: null, columns: null };
  const { itemView } = CHANNELS[file];
  if (itemView === "group") return { file, refusal, text: withoutComma(rendered.text), columns: null };
  if (itemView === "line")
    return { file, refusal, text: linesIn(rendered)[rendered.position] ?? "", columns: null };
  const header = headerOf(rendered.head);
  const row = rowsIn(rendered)(rendered.position);
  return { file, refusal, text: `${header.text}\n${row.text}`, columns: filledColumns(header, row) };
}

/** What a file has of an item. */
export type FeedPart = {
  readonly refusal: Refusal | null;
  /** Of the whole group: equal texts mean equal members. */
  readonly text: string;
  /** By column, or by the path in the item's JSON object; empty if the file does not have the item. */
  readonly members: () => ReadonlyMap<string, string>;
};

export function feedPart(file: FeedFile, placed: Placed, context: FeedContext): FeedPart {
  const { refusal, ...rendered } = render(file, placed, context);
  const members = (): ReadonlyMap<string, string> =>
    refusal?.isWritten === false ? new Map() : membersIn(file, rendered)(rendered.position);
  return { refusal, text: rendered.text, members };
}

/** `position` is the place of the item among those of the group that the file has. */
type Rendered = RenderedGroup & { readonly position: number };

function render(
  file: FeedFile,
  { group, at }: Placed,
  context: FeedContext,
): Rendered & { readonly refusal: Refusal | null } {
  const writer = CHANNELS[file].open(context);
  const head = writer.head();
  const { text, written, refusals } = writer.group(group);
  const id = group.items[at]?.id;
  const refusal = refusals.find(({ itemId }) => itemId === id) ?? null;
  const leftOut = new Set(refusals.filter(({ isWritten }) => !isWritten).map(({ itemId }) => itemId));
  const position = group.items.slice(0, at).filter((item) => !leftOut.has(item.id)).length;
  return { head, text, written, position, refusal };
}
