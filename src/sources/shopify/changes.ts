/** Which products changed or were deleted since a time, and which there are. */
import { type ChangedProduct, changesIn, listedProducts } from "../kit/changes.ts";
import { listIn, objectIn, objectsIn, toObject } from "../kit/json.ts";
import { type KeysetList, keysetPages } from "../kit/pages.ts";
import { NOT_UNDERSTOOD } from "./failures.ts";
import type { ShopIds } from "../source.ts";
import { productNumber } from "./product.ts";
import { CHANGES_QUERY, DELETIONS_QUERY } from "./queries.ts";
import type { ShopifyShop } from "./shop.ts";

/** Shopify's largest page. */
const PAGE = 250;

/** Of any status: what is a draft now may have been for sale. Null if too many were deleted for one answer. */
export async function* changedProducts(
  shop: ShopifyShop,
  since: Date,
): AsyncGenerator<readonly ChangedProduct[] | null, void, void> {
  const deleted = await readDeletions(shop, since);
  // The next check or full read finds deletions, too, so a shop that does not list them is not a failure.
  if (deleted !== "refused") yield deleted?.map((id) => ({ id, changedAt: null })) ?? null;
  for await (const { rows } of keysetPages(productList(shop, `updated_at:>'${timeText(since)}'`))) {
    yield changesIn(rows, "updatedAt", productNumber);
  }
}

/** Null if the shop does not list deletions, or there were too many for one answer. */
export async function deletedProducts(shop: ShopifyShop, since: Date): Promise<readonly number[] | null> {
  const deleted = await readDeletions(shop, since);
  return deleted === "refused" ? null : deleted;
}

/** The ids of all products. */
export function listedIds(shop: ShopifyShop): Promise<ShopIds> {
  async function* pages() {
    for await (const { rows } of keysetPages(productList(shop)))
      yield rows.map((row) => productNumber(toObject(row)));
  }
  return listedProducts(pages());
}

const timeText = (time: Date): string => time.toISOString().replace(/\.\d+Z$/, "Z");

/** Products of any status that match the filter. */
function productList({ api }: ShopifyShop, matching?: string): KeysetList {
  const status = "status:active,draft,archived,unlisted";
  const filter = matching === undefined ? status : `${status} AND ${matching}`;
  return {
    size: PAGE,
    idOf: productNumber,
    fetch: async (lastId, first) => {
      const variables = { first, filter: lastId > 0 ? `${filter} AND id:>${lastId}` : filter };
      const { data } = await api.query({ query: CHANGES_QUERY, variables });
      const list = objectIn(data, "products");
      const isLast = objectIn(list, "pageInfo")["hasNextPage"] !== true;
      return { rows: listIn(list, "nodes"), total: null, isLast };
    },
  };
}

/** Null: too many for one answer. */
async function readDeletions(
  { api }: ShopifyShop,
  since: Date,
): Promise<readonly number[] | "refused" | null> {
  const filter = `subject_type:PRODUCT AND action:destroy AND created_at:>'${timeText(since)}'`;
  const handles = ["ACCESS_DENIED", NOT_UNDERSTOOD];
  const { data, refusal } = await api.query({
    query: DELETIONS_QUERY,
    variables: { first: PAGE, filter },
    handles,
  });
  if (refusal !== null) return "refused";
  const events = objectIn(data, "events");
  if (objectIn(events, "pageInfo")["hasNextPage"] === true) return null;
  return objectsIn(events, "nodes").flatMap((event) => productNumber({ id: event["subjectId"] }) ?? []);
}
