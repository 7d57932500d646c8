/**
 * What a rule may know of an item besides the item: the shop, its siblings, and what came before it in the catalog.
 * One object serves a whole audit and is filled anew for every item, so a rule reads it and keeps nothing of it.
 */
import type { HostSigns } from "./host.ts";
import type { ImageSigns } from "./image-name.ts";
import type { Outcome } from "./outcome.ts";
import type { Shop } from "./shop.ts";
import type { TextSigns } from "./text-signs.ts";

export type Place = {
  readonly shop: Shop;
  /** Whether the title is dummy text such as "Item 1". */
  readonly isDummyTitle: boolean;
  /** What its description, its link and its first image give away. */
  readonly description: TextSigns;
  readonly host: HostSigns;
  readonly mainImage: ImageSigns;
  /** `alone`: in a group of its own. `unseen`: in a group whose other items are not at hand. */
  readonly kin: "none" | "alone" | "siblings" | "unseen";
  /** Stands for the product itself: named like its group, without options, among siblings that have some. */
  readonly isParentRow: boolean;
  /** Whether it names the same options as its siblings. */
  readonly isUneven: boolean;
  /** In what it differs from its first sibling though it must not. */
  readonly odd: "brand" | "groupTitle" | null;
  /** Whether no sibling before it has the same options chosen. */
  readonly choice: Outcome;
  /** Whether no sibling before it has the same link. */
  readonly link: Outcome;
  /** Whether no sibling of another color before it has the same main image. */
  readonly image: Outcome;
  /** The price is far from its siblings' median. */
  readonly isOutlier: boolean;
  /** Whether no item before it has the same GTIN. */
  readonly gtin: Outcome;
  /** Whether no unrelated item before it has a description that begins alike. */
  readonly opening: Outcome;
  /** How many unrelated products before it have the same main image, and the same link; UNKNOWN from a single item. */
  readonly imageSharers: number;
  readonly linkSharers: number;
  /** The currency its market is priced in; undefined when that cannot be seen from here. */
  readonly currency: string | undefined;
};

export type PlaceUnderWay = { -readonly [Field in keyof Place]: Place[Field] };
