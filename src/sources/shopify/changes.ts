/** Which products changed or were deleted since a time. */
import { type ChangedProduct, changesIn } from "../kit/changes.ts";
import { listIn, objectIn, objectsIn } from "../kit/json.ts";
import { type KeysetList, keysetPages } from "../kit/pages.ts";
import { NOT_UNDERSTOOD } from "./failures.ts";
import { productNumber } from "./product.ts";
import { CHANGES_QUERY, DELETIONS_QUERY } from "./queries.ts";
import type { Shop } from "./shop.ts";

/** Shopify's largest page. */
const PAGE = 250;

/** Of any status: what is a draft now may have been for sale. Null if too many were deleted for one answer. */
export async function* changedProducts(
  shop: Shop,
  since: Date,
): AsyncGenerator<readonly ChangedProduct[] | null, void, void> {
  const time = since.toISOString().replace(/\.\d+Z$/, "Z");
  const deleted = await deletedProducts(shop, time);
  yield deleted?.map((id) => ({ id, changedAt: null })) ?? null;
  for await (const { rows } of keysetPages(changeList(shop, time))) {
    yield changesIn(rows, "updatedAt", productNumber);
  }
}

function changeList({ api }: Shop, time: string): KeysetList {
  const filter = `status:active,draft,archived,unlisted AND updated_at:>'${time}'`;
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

/** The next full read finds deletions, too, so a shop that does not list them is not a failure. */
async function deletedProducts({ api }: Shop, time: string): Promise<readonly number[] | null> {
  const filter = `subject_type:PRODUCT AND action:destroy AND created_at:>'${time}'`;
  const handles = ["ACCESS_DENIED", NOT_UNDERSTOOD];
  const { data, refusal } = await api.query({
    query: DELETIONS_QUERY,
    variables: { first: PAGE, filter },
    handles,
  });
  if (refusal !== null) return [];
  const events = objectIn(data, "events");
  if (objectIn(events, "pageInfo")["hasNextPage"] === true) return null;
  return objectsIn(events, "nodes").flatMap((event) => productNumber({ id: event["subjectId"] }) ?? []);
}
