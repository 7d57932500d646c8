/**
 * Declares what a channel is: one file in the form that one destination takes, with its field table, its renderer and
 * its validator. `registry.ts` lists all of them.
 *
 * A writer gets the catalog group by group and returns text. It never reads the clock. A file has every item that the
 * merchant does not leave out. What the destination will refuse is written all the same and reported as a refusal,
 * unless the catalog's setting says to leave it out. For every group, `written` and the refusals that are not
 * `isWritten` add up to the number of items in the group.
 */
import { channelView } from "../catalog/channel-view.ts";
import type { ChannelName, Item, ItemGroup } from "../catalog/item.ts";
import type { CatalogSettings } from "../catalog/settings.ts";
import type { FieldTable } from "./kit/field-table.ts";
import type { Validator } from "./kit/validate/validator.ts";

export type FeedContext = {
  readonly catalog: { readonly slug: string; readonly name: string };
  readonly settings: CatalogSettings;
  /** The time that decides which sales run. */
  readonly asOf: Date;
  /**
   * When the catalog last changed: what the files give as their time of generation, so that equal data is equal bytes.
   */
  readonly snapshotAt: Date;
};

/**
 * Why the destination of a file will not show an item: it will refuse the row, or the merchant leaves the item out.
 * `field` is the file's own name for the field that is wrong.
 */
export type Refusal = {
  readonly itemId: string;
  /** The file has the item all the same. */
  readonly isWritten: boolean;
  readonly code: string;
  readonly field: string | null;
  readonly message: string;
};

export type Piece = {
  readonly text: string;
  readonly written: number;
  readonly refusals: readonly Refusal[];
};

/** The writer's only state is whether an element has been written yet, for the separators. */
export type FeedWriter = {
  readonly head: () => string;
  readonly group: (group: ItemGroup) => Piece;
  readonly tail: () => string;
};

export type Channel = {
  /** The command line uses this name: `--channel google-xml`. */
  readonly name: string;
  /** If true, every render writes the file and the server serves it. The other files are made on request only. */
  readonly isHosted: boolean;
  readonly contentType: string;
  readonly fieldTable: FieldTable;
  /** The rules of this destination apply to the file. If it is not given, none do. */
  readonly destination?: ChannelName;
  readonly open: (context: FeedContext) => FeedWriter;
  /** How one item is shown alone: its line below the header, its line, or the whole text of its group. */
  readonly itemView: "row" | "line" | "group";
  /** Without one, the file can be rendered and not validated. */
  readonly validator?: Validator;
};

/**
 * Opens a writer that sees items as rules and approved proposals have them for this destination. The refusal of an item
 * that a rule leaves out names the rule.
 */
export function openFor<Destination extends ChannelName>(
  destination: Destination,
  open: Channel["open"],
): { readonly destination: Destination; readonly open: Channel["open"] } {
  return {
    destination,
    open: (context) => {
      const writer = open(context);
      return {
        ...writer,
        group: (group) =>
          group.items.some(({ feed }) => feed) ? ruledGroup(writer, group, destination) : writer.group(group),
      };
    },
  };
}

function ruledGroup(writer: FeedWriter, group: ItemGroup, destination: ChannelName): Piece {
  const leftOut: Refusal[] = [];
  const items: Item[] = [];
  const ownIds = new Map<string, string>();
  for (const item of group.items) {
    const rule = item.feed?.excluded?.[destination];
    if (rule === undefined) {
      const view = channelView(item, destination);
      items.push(view);
      ownIds.set(view.id, item.id);
    } else {
      const message = `The rule "${rule}" leaves the item out.`;
      leftOut.push({ itemId: item.id, isWritten: false, code: "excluded_by_rule", field: null, message });
    }
  }
  if (items.length === 0) return { text: "", written: 0, refusals: leftOut };
  const piece = writer.group({ ...group, items });
  const others = piece.refusals.map((one) => ({ ...one, itemId: ownIds.get(one.itemId) ?? one.itemId }));
  return { ...piece, refusals: [...leftOut, ...others] };
}

type RowFile<Row> = {
  readonly head: () => string;
  readonly rows: (group: ItemGroup) => {
    readonly rows: readonly Row[];
    readonly refusals: readonly Refusal[];
  };
  readonly write: (row: Row) => string;
  readonly tail?: string;
};

/** The writer of a file that has one text for each item. */
export function rowWriter<Row>({ head, rows: rowsOf, write, tail = "" }: RowFile<Row>): FeedWriter {
  return {
    head,
    group: (group) => {
      const { rows, refusals } = rowsOf(group);
      let text = "";
      for (const row of rows) text += write(row);
      return { text, written: rows.length, refusals };
    },
    tail: () => tail,
  };
}

/** Returns what precedes each element of a list with one element per line: a comma, except before the first. */
export function elementSeparator(): () => string {
  let next = "\n";
  return () => {
    const separator = next;
    next = ",\n";
    return separator;
  };
}

/**
 * Spreadsheets run a cell that begins with `=`, `+`, `-` or `@` as a formula. Feeds are read by programs, for which an
 * apostrophe before it is a wrong value, so cells are escaped only with the catalog's setting `escapeFormulas`: for
 * files that people open.
 */
const CELL = /^("?)(?=[=+\-@])/;
/** Cells of a tab-separated line contain neither tabs nor line breaks. */
const CELLS = /(^|\t)("?)(?=[=+\-@])/gm;

export const escapeFormula = (cell: string): string => cell.replace(CELL, "$1'");

export const escapeFormulas = (tabSeparated: string): string => tabSeparated.replace(CELLS, "$1$2'");
