/**
 * What a feed format is: a writer that is handed the catalog group by group and answers with text. A writer never
 * reads the clock and never drops an item in silence: for every group `written + excluded.length` is the number
 * of items it was given.
 */
import type { ItemGroup } from "../catalog/item-group.ts";
import type { CatalogSettings } from "../catalog/settings.ts";

/** The four files, in the order the interface lists them. */
export const FEED_FILES = ["acp.csv", "acp.json", "gmc.tsv", "jsonld.json"] as const;
export type FeedFile = (typeof FEED_FILES)[number];

export type FeedContext = {
  readonly catalog: { readonly slug: string; readonly name: string };
  readonly settings: CatalogSettings;
  /** The moment at which sale prices are judged. */
  readonly asOf: Date;
  /** When the catalog last changed: what the files call their time of generation, so that equal data is equal bytes. */
  readonly snapshotAt: Date;
};

/** Why one item is not in one file. `field` is the file's own name for what was wrong. */
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

/** Remembers nothing but whether an element has been written yet, for the separators. */
export type FeedWriter = {
  readonly head: () => string;
  readonly group: (group: ItemGroup) => Piece;
  readonly tail: () => string;
};

export type Renderer = {
  readonly contentType: string;
  /** The dated field table the file keeps to. */
  readonly profile: string;
  readonly open: (context: FeedContext) => FeedWriter;
};
