/** Takes the text of a group in a hosted file apart: the columns, or the members of the JSON object, of each of its items. */
import type { Channel } from "../../channels/channel.ts";
import { CHANNELS, FEED_FILES, type FeedFile } from "../../channels/registry.ts";
import { delimitedRows } from "../../lib/formats/delimited.ts";
import { memoize } from "../../lib/memoize.ts";

export type RenderedGroup = {
  /** The beginning of the file; of a table, the line of column names. */
  readonly head: string;
  readonly text: string;
  /** How many items of the group the file has. */
  readonly written: number;
};

/** By column, or by the path in the item's JSON object. */
export type Members = ReadonlyMap<string, string>;
/** Of the item at this place among those that the file has. */
export type MembersAt = (position: number) => Members;

export const membersIn = (file: FeedFile, rendered: RenderedGroup): MembersAt =>
  MEMBERS[CHANNELS[file].itemView](rendered);

const MEMBERS: Readonly<Record<Channel["itemView"], (rendered: RenderedGroup) => MembersAt>> = {
  row: (rendered) => {
    const header = headerOf(rendered.head);
    const rowAt = rowsIn(rendered);
    return (position) =>
      new Map(filledColumns(header, rowAt(position)).map(({ name, value }) => [name, value]));
  },
  line: (rendered) => {
    const lines = linesIn(rendered);
    return (position) => jsonMembers(JSON.parse(lines[position] ?? "{}") as object);
  },
  group: nodesIn,
};

export type Column = { readonly name: string; readonly value: string };
type TableRow = { readonly text: string; readonly cells: readonly string[] };

export const filledColumns = (header: TableRow, row: TableRow): readonly Column[] =>
  header.cells.map((name, at) => ({ name, value: row.cells[at] ?? "" })).filter(({ value }) => value !== "");

/** The rows of delimited text, as written: a quoted cell may contain line breaks. */
export function rowsIn({ text }: Pick<RenderedGroup, "text">): (position: number) => TableRow {
  const delimiter = text.includes("\t") ? "\t" : ",";
  const rows = delimitedRows(text, delimiter);
  const lines = text.replace(/\n$/, "").split("\n");
  return (position) => {
    const [row, next] = [rows[position], rows[position + 1]];
    if (!row) return { text: "", cells: [] };
    return { text: lines.slice(row.line - 1, next && next.line - 1).join("\n"), cells: row.cells };
  };
}

export const headerOf = memoize(2 * FEED_FILES.length, (head: string) => rowsIn({ text: head })(0));

/** The JSON objects of a file with one item on each line. */
export const linesIn = ({ text }: Pick<RenderedGroup, "text">): readonly string[] =>
  text
    .split("\n")
    .filter((line) => line !== "" && line !== ",")
    .map(withoutComma);

export const withoutComma = (json: string): string => json.trim().replace(/^,\s*|,$/g, "");

const GROUP = "ProductGroup";

type GroupNode = { readonly "@type": string; readonly hasVariant?: readonly object[] };

/** The members of the item's node and, after them, those of the group that has it. */
function nodesIn({ text, written }: RenderedGroup): MembersAt {
  const lines = text.split("\n").map(withoutComma);
  const last = JSON.parse(lines.at(-1) ?? "{}") as GroupNode;
  if (last["@type"] !== GROUP)
    return (position) => jsonMembers(JSON.parse(lines.at(position - written) ?? "{}") as object);
  const { hasVariant = [], ...shared } = last;
  const ofGroup = jsonMembers(shared, GROUP);
  return (position) => new Map([...jsonMembers(hasVariant[position] ?? {}), ...ofGroup]);
}

/** Inner objects by their path; lists as JSON. */
function jsonMembers(node: object, path?: string): Members {
  const members = new Map<string, string>();
  for (const [name, value] of Object.entries(node)) {
    const own = path === undefined ? name : `${path}.${name}`;
    if (typeof value === "object" && value !== null && !Array.isArray(value))
      for (const [inner, text] of jsonMembers(value as object, own)) members.set(inner, text);
    else members.set(own, typeof value === "string" ? value : JSON.stringify(value));
  }
  return members;
}
