/**
 * What the REST API, which needs a key, and the Store API, which every visitor's browser uses, have in common. They
 * differ in routes and rows; a shop is read the same way with both.
 */
import type { JsonObject } from "../../lib/json-object.ts";
import type { Draft } from "../../catalog/draft.ts";
import { plainText } from "../../catalog/text.ts";
import { replaceSeparators } from "../../lib/trim-text.ts";
import { type ShopCategory, categoryPath } from "../kit/categories.ts";
import { type EventBuilder, leftOutBecause, productsThatAre } from "../kit/event-builder.ts";
import type { IdSet } from "../kit/id-set.ts";
import { idIn, indexById, isTrue, objectIn, objectsIn, textIn } from "../kit/json.ts";
import type { SourceEvent } from "../source.ts";
import type { List, QueryParameters } from "./client.ts";
import type { WoocommerceShop } from "./connect.ts";

const variationsThatAre = (state: string) => productsThatAre(state, "variation");

/** Why products and variations are not items. */
export const DROP_REASONS = {
  unpublished: productsThatAre("not published in WooCommerce (draft, private or scheduled)"),
  hidden: productsThatAre("set to the catalog visibility Hidden"),
  password: productsThatAre("protected by a password"),
  grouped: leftOutBecause("grouped product", "these have no price, and their members are items themselves"),
  giftCard: leftOutBecause("gift card", "feeds do not take them"),
  external: leftOutBecause("external product", "the setting external_products is no"),
  noVariations: leftOutBecause("variable product", "without variations there is nothing to buy"),
  disabled: variationsThatAre("not enabled in WooCommerce"),
  unpublishedVariation: variationsThatAre("not published in WooCommerce (draft, scheduled or in the trash)"),
  notOffered: variationsThatAre("not offered to visitors (no price, or out of stock and hidden)"),
  ofUnpublished: variationsThatAre("of a product that is not published"),
  deleted: {
    one: "variation that a product still names was deleted or moved to another product; there is nothing to sell.",
    many: "variations that products still name were deleted or moved to other products; there is nothing to sell.",
  },
  notShown: {
    one: "variation that a product names is not shown to visitors and was left out; without a key, the shop does not say whether it was deleted or disabled.",
    many: "variations that products name are not shown to visitors and were left out; without a key, the shop does not say whether they were deleted or disabled.",
  },
};
export type WoocommerceDropReason = keyof typeof DROP_REASONS;

/** An item, or why there is none. `unpriced`: the shop does not state the price at which it sells the item. */
export type DraftOrReason = Draft | WoocommerceDropReason | "unpriced";

export type WoocommerceRowKind = "product" | "variation";

/** Adds to the rows of a page what the shop states elsewhere. The result has the same rows in the same order. */
export type CompleteRows = (
  rows: readonly JsonObject[],
  kind: WoocommerceRowKind,
) => Promise<readonly JsonObject[]>;

export type ShopCatalog = {
  readonly products: List;
  /** Products that are not in the list: the difference of two counts, and the reason. */
  readonly unlisted: {
    readonly reason: WoocommerceDropReason;
    readonly all: QueryParameters;
    readonly listed: QueryParameters;
  };
  readonly complete: CompleteRows;
  /** `parent`: its variations are the items. */
  readonly product: (row: JsonObject) => DraftOrReason | "parent";
  /** The variations that a product names. */
  readonly variationIds: (product: JsonObject) => readonly number[];
  readonly parentId: (variation: JsonObject) => number | undefined;
  readonly variation: (product: JsonObject, row: JsonObject) => DraftOrReason;
  readonly variationsOf: (productId: number) => List;
  /** A request for one variation, whatever its status. */
  readonly single: (
    productId: number,
    id: number,
  ) => { readonly route: string; readonly query: QueryParameters };
  /** For a variation that was requested by its id; null if the shop has none with this id. */
  readonly singleVariation: (product: JsonObject, row: JsonObject | null) => DraftOrReason;
  /** The list of all variations of the shop; null if this version has none. */
  readonly findVariations: () => Promise<List | null>;
};

/** One read of a shop. */
export type WoocommerceReading = {
  readonly shop: WoocommerceShop;
  readonly catalog: ShopCatalog;
  readonly events: EventBuilder<WoocommerceDropReason>;
  /** Products that are not items, so that their variations are none either. */
  readonly dropped: IdSet;
};

export type CatalogPages = AsyncGenerator<readonly JsonObject[], void, void>;

/** The pages of a list, with what the shop states about their rows elsewhere. */
export async function* completePages(
  { shop, catalog }: WoocommerceReading,
  list: List,
  kind: WoocommerceRowKind,
): CatalogPages {
  for await (const page of shop.api.pages(list)) yield await catalog.complete(page, kind);
}

/** `product`: the id of the product, which a variation belongs to. */
export function* verdictEvents(
  id: number,
  verdict: DraftOrReason,
  { events, product }: { readonly events: EventBuilder<WoocommerceDropReason>; readonly product: number },
) {
  const message =
    "The shop does not say at which price it shows this item: its REST API has prices as they are entered, and its Store API does not list the item. Look for a plugin that hides it there.";
  if (typeof verdict !== "string") yield events.draft(verdict, product);
  else if (verdict !== "unpriced") events.countDropped(verdict);
  else {
    const rejection = { itemId: String(id), field: "price", code: "missing_price", message } as const;
    yield events.reject({ ...rejection, product: String(product) });
  }
}

export function withoutId(events: EventBuilder<WoocommerceDropReason>, noun: string): SourceEvent {
  const message = `The shop sent a row without an id in its list of ${noun}. A plugin may change the answers of its REST API.`;
  return events.reject({ field: "id", message });
}

export const BY_ID = { orderby: "id", order: "asc" } as const;

/** Where a row of the REST API has its prices as the shop shows them; null if they are unknown. */
export const SHOWN_PRICES = "shown_prices";

/** Plugins name these types differently. */
const GIFT_CARD = /gift[-_ ]?card|giftcard|voucher/;

/** Whether a product is an item, and if not, why. */
export function productVerdict(
  row: JsonObject,
  variationIds: readonly number[],
  { includesExternal }: WoocommerceShop,
  toDraft: () => Draft,
): DraftOrReason | "parent" {
  const type = textIn(row, "type") ?? "simple";
  const reason = dropReason(row, type, includesExternal);
  if (reason !== null) return reason;
  // Plugins have variable types of their own (variable-subscription).
  if (type === "variable" || variationIds.length > 0) return "parent";
  return row[SHOWN_PRICES] === null ? "unpriced" : toDraft();
}

function dropReason(row: JsonObject, type: string, includesExternal: boolean): WoocommerceDropReason | null {
  if ((textIn(row, "status") ?? "publish") !== "publish") return "unpublished";
  if (textIn(row, "catalog_visibility") === "hidden") return "hidden";
  if (textIn(row, "post_password") !== undefined || isTrue(row, PROTECTED)) return "password";
  if (type === "grouped") return "grouped";
  if (type === "external" && !includesExternal) return "external";
  return GIFT_CARD.test(type) ? "giftCard" : null;
}

/** The Store API of newer versions has this field. It is added to rows that do not state it. */
const PROTECTED = "is_password_protected";

const UNKNOWN_PASSWORDS =
  "The shop does not say which products are protected by a password, so those are items, too. Allow the addresses under /wp-json/wp/v2/product in the plugin that blocks them, or update WordPress.";

/**
 * Marks products that ask visitors for a password. Not every version of WooCommerce states it; WordPress does, without
 * a key: `content.protected` in wp/v2/product (5.3 and later, `WP_REST_Posts_Controller::prepare_item_for_response`).
 */
export function passwordFlags({ visitor }: WoocommerceShop, note: (sentence: string) => void): CompleteRows {
  let isUnknown = false;
  return async (rows, kind) => {
    const unclear = rows.filter((row) => !("post_password" in row) && !(PROTECTED in row));
    const ids = unclear.flatMap((row) => idIn(row) ?? []);
    if (kind === "variation" || ids.length === 0 || isUnknown) return rows;
    const query = { include: ids.join(","), per_page: ids.length, _fields: "id,content.protected" };
    const posts = await visitor.optionalRows("wp/v2/product", query);
    isUnknown = posts === null || posts.some((post) => !("protected" in objectIn(post, "content")));
    if (posts === null || isUnknown) {
      note(UNKNOWN_PASSWORDS);
      return rows;
    }
    const flags = indexById(posts, "id", (post) => isTrue(objectIn(post, "content"), "protected"));
    return rows.map((row) => (flags.get(idIn(row) ?? 0) === true ? { ...row, [PROTECTED]: true } : row));
  };
}

export type CategoryTree = ReadonlyMap<number, ShopCategory>;

export function categoryTree(rows: readonly JsonObject[]): CategoryTree {
  return indexById(rows, "id", (row) => {
    const name = textIn(row, "name");
    return name === undefined ? undefined : { name: levelName(name), parentId: idIn(row, "parent") };
  });
}

/** WooCommerce's default category. */
const UNCATEGORIZED = /^uncategori[sz]ed$/;

/** The product's categories as `Broad > Narrow`, without those that are part of another of its paths. */
export function categoryPaths(product: JsonObject, tree: CategoryTree): readonly string[] {
  const paths = objectsIn(product, "categories").flatMap((term) => {
    const name = textIn(term, "name");
    if (name === undefined || UNCATEGORIZED.test(textIn(term, "slug") ?? "")) return [];
    return [categoryPath(idIn(term), (id) => tree.get(id)).path || levelName(name)];
  });
  return paths.filter((path) => !paths.some((other) => other.startsWith(`${path} > `)));
}

/** In a path, `>`, `|` and `;` are separators. */
function levelName(name: string): string {
  return replaceSeparators(plainText(name), /[>|;]/, " / ");
}
