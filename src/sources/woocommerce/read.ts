/**
 * One read of a shop. Products are read first; those with variations are stored on disk. Then the list of all
 * variations is read, and each is matched with its product, so that neither list is in memory and no product needs its
 * own request.
 */
import type { JsonObject } from "../../lib/json-object.ts";
import { join } from "node:path";
import { AppError } from "../../errors.ts";
import { prefetch } from "../../lib/prefetch.ts";
import { timeOf } from "../kit/changes.ts";
import { eventBuilder } from "../kit/event-builder.ts";
import { idSet } from "../kit/id-set.ts";
import { idIn, textIn, toObject } from "../kit/json.ts";
import { parentStore } from "../kit/parent-store.ts";
import type { EventStream, ReadContext, SourceEvent } from "../source.ts";
import { completePages, DROP_REASONS, type WoocommerceReading } from "./catalog.ts";
import { verdictEvents, withoutId } from "./catalog.ts";
import type { WoocommerceShop } from "./connect.ts";
import { restCatalog } from "./rest-api.ts";
import { storeCatalog } from "./store-api.ts";
import { type VariableProduct, variationReader } from "./variations.ts";

export const PHP_WARNINGS =
  "The shop prints PHP messages in front of its data; they were skipped. Set WP_DEBUG_DISPLAY to false in its wp-config.php, or display_errors to Off in its PHP settings, before one of them breaks the data.";
const UNCOUNTED =
  "Everything for sale was read, but the shop did not say how many products it does not list (drafts, private or hidden ones), so they are not counted this time. If this happens again, look at the error log of the shop.";

export async function* readShop(shop: WoocommerceShop, { extent, spoolDir }: ReadContext): EventStream {
  const reading = await openReading(shop);
  yield* extent === "sample" ? readSample(reading) : readWhole(reading, spoolDir);
}

async function openReading(shop: WoocommerceShop): Promise<WoocommerceReading> {
  const decimalsSetting = "WooCommerce → Settings → General → Number of decimals";
  const events = eventBuilder({ reasons: DROP_REASONS, decimalsSetting });
  const openCatalog = shop.access === "public" ? storeCatalog : restCatalog;
  const catalog = await openCatalog(shop, events.note);
  return { shop, catalog, events, dropped: idSet() };
}

/** These products as they are now, whatever their status. */
export async function* readProducts(shop: WoocommerceShop, ids: readonly number[]): EventStream {
  const reading = await openReading(shop);
  const { products } = reading.catalog;
  const variations = variationReader(reading, null);
  for (let from = 0; from < ids.length; from += shop.limits.pageSize) {
    const include = ids.slice(from, from + shop.limits.pageSize).join(",");
    const list = { ...products, query: { ...products.query, status: "any", include } };
    for await (const page of completePages(reading, list, "product")) {
      const parents: VariableProduct[] = [];
      yield* productEvents(page, reading, parents);
      yield* variations.ofPage(parents);
    }
  }
  yield* end(reading);
}

async function* readWhole(reading: WoocommerceReading, spoolDir: string): EventStream {
  const store = parentStore<JsonObject>(join(spoolDir, "variable-products"));
  try {
    const variations = variationReader(reading, store);
    for await (const page of prefetch(completePages(reading, reading.catalog.products, "product"))) {
      const parents: VariableProduct[] = [];
      yield* productEvents(page, reading, parents);
      yield* variations.ofPage(parents);
    }
    yield* variations.rest();
  } finally {
    store.close();
  }
  await countUnlisted(reading);
  yield* end(reading);
}

/** Everything is read by now, so a shop that does not state this count is not a failure. */
async function countUnlisted({ shop, catalog, events }: WoocommerceReading): Promise<void> {
  const { reason, all, listed } = catalog.unlisted;
  const { route } = catalog.products;
  try {
    const allCount = await shop.api.count(route, all, true);
    const listedCount = await shop.api.count(route, listed, true);
    if (allCount !== null && listedCount !== null) events.countDropped(reason, allCount - listedCount);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    events.note(UNCOUNTED);
  }
}

/** One page of products and their variations. It is a complete read only if the shop has no more products. */
async function* readSample(reading: WoocommerceReading): EventStream {
  const { shop, catalog } = reading;
  const { rows, total } = await shop.api.first(catalog.products, shop.limits.sampleSize);
  const parents: VariableProduct[] = [];
  yield* productEvents(await catalog.complete(rows.map(toObject), "product"), reading, parents);
  const variations = variationReader(reading, null);
  for (const parent of parents) yield* variations.ofPage([parent]);
  if (total !== null && rows.length >= total) yield* end(reading);
}

/** The items of a page. Products with variations are added to `parents`. */
function* productEvents(
  page: readonly JsonObject[],
  reading: WoocommerceReading,
  parents: VariableProduct[],
) {
  const { catalog, events, dropped } = reading;
  for (const row of page) {
    const id = idIn(row);
    const verdict = id === undefined ? null : catalog.product(row);
    events.seeChange(timeOf(textIn(row, "date_modified_gmt")));
    if (id === undefined || verdict === null) yield withoutId(events, "products");
    else if (verdict === "parent") parents.push({ id, row });
    else {
      if (typeof verdict === "string" && verdict !== "unpriced") dropped.add(id);
      yield* verdictEvents(id, verdict, { events, product: id });
    }
  }
}

function* end({ shop, events }: WoocommerceReading): Generator<SourceEvent, void, void> {
  if (shop.api.hasPhpWarnings()) events.note(PHP_WARNINGS);
  yield* events.warnings();
  // The shop counts products and variations, not items. Both were compared with its totals.
  yield { kind: "end", validators: null, expected: null, newestChange: events.newestChange() };
}
