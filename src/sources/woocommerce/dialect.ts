/**
 * The two ways WooCommerce tells of its catalog: the REST API with a key, and the Store API that every visitor's
 * browser talks to. They differ in routes and rows; how a shop is read is the same for both.
 */
import type { Draft } from "../../catalog/draft.ts";
import type { Query } from "./address.ts";
import type { List } from "./api.ts";
import type { Reason } from "./left-out.ts";
import type { Row } from "./wire.ts";

export type Verdict =
  | { readonly kind: "item"; readonly draft: Draft }
  | { readonly kind: "left_out"; readonly reason: Reason }
  /** For sale, at a price that the shop does not give. */
  | { readonly kind: "unpriced"; readonly id: string };

export type RowKind = "product" | "variation";

/** Adds to the rows of a page what the shop says about them elsewhere. Row by row the same rows come back. */
export type CompleteRows = (rows: readonly Row[], kind: RowKind) => Promise<readonly Row[]>;

export type ProductVerdict = Verdict | { readonly kind: "parent" };

export type Dialect = {
  readonly products: List;
  readonly complete: CompleteRows;
  /** What the merchant should know once all is read. Whole sentences. */
  readonly notes: () => readonly string[];
  /** What a product is to us: an item, the parent of items, or neither. */
  readonly product: (row: Row) => ProductVerdict;
  /** The variations that a parent says it has. */
  readonly variationIds: (parent: Row) => readonly number[];
  readonly parentOf: (variation: Row) => number | null;
  readonly variation: (parent: Row, row: Row) => Verdict;
  readonly variationsOf: (parentId: number) => List;
  /** One variation by itself, whatever its status: the last word on one that a parent names and no list shows. */
  readonly alone: {
    readonly at: (parentId: number, id: number) => { readonly route: string; readonly query: Query };
    /** `row` is null where the shop says that there is none of this id. */
    readonly judge: (parent: Row, row: Row | null) => Verdict;
  };
  /** One list of all variations of the shop, or null where this version has none. */
  readonly findVariations: () => Promise<List | null>;
  /** What the lists do not even show, and why. A courtesy to the merchant: asked for once, and not for long. */
  readonly unlisted: () => Promise<{ readonly reason: Reason; readonly count: number }>;
};

/** Types by plugins: what they are called differs, what they are does not. */
const GIFT_CARD = /gift[-_ ]?card|giftcard|voucher/;

/** Why a product of this type is no item whatever else it says; null if it may be one. */
export function typeReason(type: string, takesExternal: boolean): Reason | null {
  if (type === "grouped") return "grouped";
  if (type === "external" && !takesExternal) return "external";
  return GIFT_CARD.test(type) ? "giftCard" : null;
}
