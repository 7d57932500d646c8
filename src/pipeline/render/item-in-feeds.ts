/** One item of a group as the hosted files have it: its text, and its columns or the members of its JSON object. */
import type { ChannelName, ItemGroup } from "../../catalog/item.ts";
import type { Channel, Exclusion, FeedContext } from "../../channels/channel.ts";
import { CHANNELS, FEED_FILES, type FeedFile } from "../../channels/registry.ts";
import { delimitedReader } from "../../lib/formats/delimited.ts";
import { memoize } from "../../lib/memoize.ts";
import type { Catalog } from "../../store/catalogs.ts";

export type FeedView = {
  readonly file: FeedFile;
  readonly exclusion: Exclusion | null;
  /** The item as the file has it; for tables, with the line of column names. */
  readonly text: string | null;
  /** The filled columns of a table, in its order; null for files that are not tables. */
  readonly columns: readonly Column[] | null;
};

export type Column = { readonly name: string; readonly value: string };

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
  const { exclusion, ...rendered } = render(file, placed, context);
  if (exclusion) return { file, exclusion, text: null, columns: null };
  const { itemView } = CHANNELS[file];
  if (itemView === "group") return { file, exclusion, text: withoutComma(rendered.text), columns: null };
  if (itemView === "line") return { file, exclusion, text: lineAt(rendered), columns: null };
  const { header, row } = rowOf(rendered);
  return { file, exclusion, text: `${header.text}\n${row.text}`, columns: filledColumns(header, row) };
}

/** What a file has of an item. */
export type FeedPart = {
  readonly exclusion: Exclusion | null;
  /** Of the whole group: equal texts mean equal members. */
  readonly text: string;
  /** By column, or by the path in the item's JSON object; empty if the item is excluded. */
  readonly members: () => ReadonlyMap<string, string>;
};

export function feedPart(file: FeedFile, placed: Placed, context: FeedContext): FeedPart {
  const { exclusion, ...rendered } = render(file, placed, context);
  const members = (): ReadonlyMap<string, string> =>
    exclusion ? new Map() : MEMBERS[CHANNELS[file].itemView](rendered);
  return { exclusion, text: rendered.text, members };
}

const MEMBERS: Readonly<Record<Channel["itemView"], (rendered: Rendered) => ReadonlyMap<string, string>>> = {
  row: (rendered) => {
    const { header, row } = rowOf(rendered);
    return new Map(filledColumns(header, row).map(({ name, value }) => [name, value]));
  },
  line: (rendered) => jsonMembers(JSON.parse(lineAt(rendered)) as object),
  group: nodeMembers,
};

type Rendered = {
  readonly head: string;
  readonly text: string;
  /** How many items of the group the file has, and which of them this one is. */
  readonly written: number;
  readonly position: number;
};

function render(
  file: FeedFile,
  { group, at }: Placed,
  context: FeedContext,
): Rendered & { readonly exclusion: Exclusion | null } {
  const writer = CHANNELS[file].open(context);
  const head = writer.head();
  const { text, written, excluded } = writer.group(group);
  const id = group.items[at]?.id;
  const exclusion = excluded.find(({ itemId }) => itemId === id) ?? null;
  const excludedIds = new Set(excluded.map(({ itemId }) => itemId));
  const position = group.items.slice(0, at).filter((item) => !excludedIds.has(item.id)).length;
  return { head, text, written, position, exclusion };
}

function lineAt({ text, position }: Rendered): string {
  const lines = text.split("\n").filter((line) => line !== "" && line !== ",");
  return withoutComma(lines[position] ?? "");
}

const rowOf = ({ head, text, position }: Rendered): { header: TableRow; row: TableRow } => ({
  header: headerOf(head),
  row: rowAt(text, position),
});

type TableRow = { readonly text: string; readonly cells: readonly string[] };

const filledColumns = (header: TableRow, row: TableRow): readonly Column[] =>
  header.cells.map((name, at) => ({ name, value: row.cells[at] ?? "" })).filter(({ value }) => value !== "");

/** One row of delimited text, as written: a quoted cell may contain line breaks. */
function rowAt(text: string, index: number): TableRow {
  const delimiter = text.includes("\t") ? "\t" : ",";
  const reader = delimitedReader({ delimiter, maxFieldChars: Infinity, maxRowChars: Infinity });
  const rows = [...reader.push(text), ...reader.end()];
  const starts = rows.map(({ line }) => line - 1);
  const lines = text.replace(/\n$/, "").split("\n");
  return {
    text: lines.slice(starts[index], starts[index + 1]).join("\n"),
    cells: rows[index]?.cells ?? [],
  };
}

const headerOf = memoize(FEED_FILES.length, (head: string) => rowAt(head, 0));

const withoutComma = (json: string): string => json.trim().replace(/^,\s*|,$/g, "");

const GROUP = "ProductGroup";

type GroupNode = { readonly "@type": string; readonly hasVariant?: readonly object[] };

/** The members of the item's node and, after them, those of the group that has it. */
function nodeMembers({ text, written, position }: Rendered): ReadonlyMap<string, string> {
  const lines = text.split("\n").map(withoutComma);
  const last = JSON.parse(lines.at(-1) ?? "{}") as GroupNode;
  if (last["@type"] !== GROUP) return jsonMembers(JSON.parse(lines.at(position - written) ?? "{}") as object);
  const { hasVariant = [], ...shared } = last;
  return new Map([...jsonMembers(hasVariant[position] ?? {}), ...jsonMembers(shared, GROUP)]);
}

/** Inner objects by their path; lists as JSON. */
function jsonMembers(node: object, path?: string): ReadonlyMap<string, string> {
  const members = new Map<string, string>();
  for (const [name, value] of Object.entries(node)) {
    const own = path === undefined ? name : `${path}.${name}`;
    if (typeof value === "object" && value !== null && !Array.isArray(value))
      for (const [inner, text] of jsonMembers(value as object, own)) members.set(inner, text);
    else members.set(own, typeof value === "string" ? value : JSON.stringify(value));
  }
  return members;
}
