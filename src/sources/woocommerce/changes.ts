/**
 * Which products changed since a time. WooCommerce dates every save of a product or variation, stock included, and saves the product of a
 * saved variation; plugins may save variations in other ways, so those that changed are listed as well.
 */
import { type ChangedProduct, changesIn } from "../kit/changes.ts";
import { idIn } from "../kit/json.ts";
import { BY_ID, type Pages } from "./catalog.ts";
import type { Query } from "./client.ts";
import type { Shop } from "./connect.ts";
import { findVariationRoute } from "./rest-api.ts";

type Changes = AsyncGenerator<readonly ChangedProduct[] | null, void, void>;

/** Also drafts, and what is in the trash: it may have been for sale. Null if this version ignores the filter. */
export async function* changedProducts({ api }: Shop, since: Date): Changes {
  const modified_after = since.toISOString().slice(0, 19);
  const pages = (route: string, filter: Query, noun: string): Pages => {
    const query = { ...BY_ID, modified_after, dates_are_gmt: "true", _fields: FIELDS, ...filter };
    return api.pages({ route, query, noun });
  };
  for (const status of ["any", "trash"]) {
    for await (const page of pages("wc/v3/products", { status }, "products")) {
      const changed = changesIn(page, DATE);
      yield isIgnored(changed, since) ? null : changed;
    }
  }
  const route = await findVariationRoute(api);
  if (route === null) return;
  for await (const page of pages(route, {}, "variations")) {
    const changed = changesIn(page, DATE, (row) => idIn(row, "parent_id"));
    // Most changes of variations date their products, which are listed already.
    if (isIgnored(changed, since)) return;
    yield changed;
  }
}

const DATE = "date_modified_gmt";
const FIELDS = `id,parent_id,${DATE}`;

/** WordPress ignores parameters that it does not know. */
function isIgnored(changed: readonly ChangedProduct[], since: Date): boolean {
  const oldest = since.getTime() - 1_000;
  return changed.some(({ changedAt }) => changedAt === null || changedAt.getTime() < oldest);
}
