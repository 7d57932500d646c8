/**
 * The limits of the publish guard, with their defaults. The defaults are chosen by `bench/guard-replay.ts`, which
 * replays ordinary days and accidents; docs/publish-guard.md has its result.
 */
import { GUARD_SIGNALS, type GuardSignal, type GuardSettings } from "../../../contract/publish-guard.ts";

export type LimitEntry = {
  /** `share`: of items. `factor`: up or down. */
  readonly unit: "share" | "factor";
  readonly limit: number;
  /** The limit may be more than 100 %. */
  readonly canExceedAll?: boolean;
  /** The signal is ignored below this number of items: in a small catalog, a few items are a large share. */
  readonly minItems: number;
  readonly description: string;
  /** The limit for files that have no earlier files to compare with. Later files are checked by it too. */
  readonly alone?: AloneLimit;
};

/** Unlike a change, such values are reported and never held. */
export type AloneLimit = {
  readonly limit: number;
  readonly minItems: number;
  /** What to do if the values are wrong. */
  readonly fix: string;
};

/** Signals about texts and addresses need this many items: a shop may well edit fewer of them together. */
const MANY = 25;
/** More than half of the items have the value, and they are at least five. */
const MOST = { limit: 0.5, minItems: 5 } as const;

/** The files of a catalog with fewer published items than this are never held: any change is a large share of them. */
export const HELD_FROM_ITEMS = 25;

/** A price that changes by more than this factor has jumped: a clearance sale takes 80 % off at most. */
export const JUMP_FACTOR = 5;

export const LIMITS: Readonly<Record<GuardSignal, LimitEntry>> = {
  items_removed: {
    unit: "share",
    limit: 0.4,
    minItems: 10,
    description: "Published items that are gone, of all published items.",
  },
  items_added: {
    unit: "share",
    limit: 0.75,
    canExceedAll: true,
    minItems: 150,
    description: "New items, compared with the number of published items.",
  },
  items_refused: {
    unit: "share",
    limit: 0.2,
    minItems: 10,
    description: "Growth of the share of items that a file leaves out or its destination will refuse.",
  },
  price_zero: {
    unit: "share",
    limit: 0.02,
    minItems: 3,
    description: "How much the share of the items that cost nothing has grown.",
  },
  price_jumps: {
    unit: "share",
    limit: 0.05,
    minItems: 3,
    description: "Items whose price is more than five times, or less than a fifth of, what it was.",
  },
  price_median: {
    unit: "factor",
    limit: 2.5,
    minItems: 10,
    description: "The median price in the main currency.",
  },
  currency_changed: {
    unit: "share",
    limit: 0.02,
    minItems: 3,
    description: "Items whose price is in another currency than before.",
  },
  out_of_stock: {
    unit: "share",
    limit: 0.45,
    minItems: 15,
    description: "Items that could be ordered and no longer can, of all that could.",
  },
  back_in_stock: {
    unit: "share",
    limit: 0.5,
    minItems: 20,
    description: "Items that could not be ordered and now can, of all items.",
  },
  required_field_lost: {
    unit: "share",
    limit: 0.05,
    minItems: 5,
    description:
      "Items that lost their description, image, brand, link or availability, of those that had it.",
  },
  attribute_lost: {
    unit: "share",
    limit: 0.3,
    minItems: 10,
    description: "Items that lost another attribute, such as the GTIN or the color, of those that had it.",
  },
  link_host: {
    unit: "share",
    limit: 0.05,
    minItems: 3,
    description: "Items that link to another host than before.",
  },
  image_host: {
    unit: "share",
    limit: 0.3,
    minItems: 10,
    description: "Items whose image is on another host than before.",
  },
  file_bytes: {
    unit: "factor",
    limit: 1.5,
    minItems: 10,
    description: "The bytes of a file for each of its items: texts that are cut off, or full of markup.",
  },
  same_title: {
    unit: "share",
    limit: 0.1,
    minItems: MANY,
    description: "How much the share of the groups that have one and the same title has grown.",
    alone: { ...MOST, fix: "Check which column or field of the source the title is read from." },
  },
  same_description: {
    unit: "share",
    limit: 0.3,
    minItems: MANY,
    description: "How much the share of the groups that have one and the same description has grown.",
  },
  same_link: {
    unit: "share",
    limit: 0.1,
    minItems: MANY,
    description:
      "How much the share of the groups that have one and the same link has grown: every item leads to the home page, for example.",
    alone: { ...MOST, fix: "Check the column of the link, or the link template of the source." },
  },
  same_image: {
    unit: "share",
    limit: 0.3,
    minItems: MANY,
    description:
      "How much the share of the groups that have one and the same first image has grown: a placeholder, for example.",
    alone: { ...MOST, fix: "Check which column or field of the source the image is read from." },
  },
  same_price: {
    unit: "share",
    limit: 0.5,
    minItems: MANY,
    description: "How much the share of the groups that have one and the same price has grown.",
    // In a small shop, one price for everything is usual.
    alone: {
      limit: 0.5,
      minItems: MANY,
      fix: "Check which column or field of the source the price is read from.",
    },
  },
  title_is_id: {
    unit: "share",
    limit: 0.1,
    minItems: MANY,
    description:
      "How much the share of the items whose title is their id, in capitals or small letters, has grown.",
    alone: { ...MOST, fix: "Check which column or field of the source the title is read from." },
  },
  titles_cut: {
    unit: "share",
    limit: 0.2,
    minItems: MANY,
    description: "Items whose title begins as before and lost a third of its letters or more.",
  },
  values_swapped: {
    unit: "share",
    limit: 0.1,
    minItems: MANY,
    description: "Items that have the title, the link or the first image that another item had before.",
  },
  garbled_text: {
    unit: "share",
    limit: 0.02,
    minItems: MANY,
    description:
      "How much the share of the items with garbled letters, such as “Ã¤” or “?” for “ä”, has grown.",
    alone: {
      limit: 0.01,
      minItems: 1,
      fix: "Export the file as UTF-8, or correct the texts in the shop.",
    },
  },
  prices_far_apart: {
    unit: "share",
    limit: 0.05,
    minItems: MANY,
    description:
      "Growth of the share of items whose price differs by a factor of 100 or more from another item of the group, or from their own sale price.",
    alone: {
      limit: 0,
      minItems: 1,
      fix: "Check whether some prices are in cents, and others in whole units of the currency.",
    },
  },
  tax_changed: {
    unit: "share",
    limit: 0.4,
    minItems: MANY,
    description: "Items whose price changed by exactly the same tax rate, up or down.",
  },
};

/** The limits in use: null for one that is off. Undefined if the guard is off. */
export function limitsOf({ enabled = true, limits = {} }: GuardSettings): LimitValues | undefined {
  if (!enabled) return undefined;
  return Object.fromEntries(
    GUARD_SIGNALS.map((signal) => {
      const value = limits[signal] ?? LIMITS[signal].limit;
      return [signal, value === "off" ? null : value];
    }),
  ) as LimitValues;
}

export type LimitValues = Readonly<Record<GuardSignal, number | null>>;
