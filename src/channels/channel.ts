/**
 * What a channel is: one file in the form that one destination takes, with its field table, its renderer and its
 * validator. `registry.ts` lists all of them.
 *
 * A writer gets the catalog group by group and returns text. It never reads the clock, and it never drops an item
 * silently: for every group `written + excluded.length` is the number of items in the group.
 */
import type { ItemGroup } from "../catalog/item-group.ts";
import type { CatalogSettings } from "../catalog/settings.ts";
import type { FieldTable } from "./kit/field-table.ts";
import type { Validator } from "./kit/validate/validator.ts";

export type FeedContext = {
  readonly catalog: { readonly slug: string; readonly name: string };
  readonly settings: CatalogSettings;
  /** The time that decides which sales run. */
  readonly asOf: Date;
  /** When the catalog last changed: what the files give as their time of generation, so that equal data is equal bytes. */
  readonly snapshotAt: Date;
};

/** Why one item is not in one file. `field` is the file's own name for the field that is wrong. */
export type Exclusion = {
  readonly itemId: string;
  readonly code: string;
  readonly field: string | null;
  readonly message: string;
};

export type Piece = {
  readonly text: string;
  readonly written: number;
  readonly excluded: readonly Exclusion[];
};

/** Its only state is whether an element has been written yet, for the separators. */
export type FeedWriter = {
  readonly head: () => string;
  readonly group: (group: ItemGroup) => Piece;
  readonly tail: () => string;
};

export type Channel = {
  /** What the command line calls it: `--channel google-xml`. */
  readonly name: string;
  /** Whether every render writes the file and the server serves it. The other files are made on request only. */
  readonly isHosted: boolean;
  readonly contentType: string;
  readonly fieldTable: FieldTable;
  readonly open: (context: FeedContext) => FeedWriter;
  /** How one item is shown alone: its line below the header, its line, or the whole text of its group. */
  readonly itemView: "row" | "line" | "group";
  /** Without one, the file can be rendered and not validated. */
  readonly validator?: Validator;
};
