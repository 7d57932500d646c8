/**
 * One read of a shop: by a bulk operation or by pages, and then a comparison with the shop's own count. A product is
 * taken once, so pages can follow an operation that failed halfway, and another walk adds only what was missed.
 */
import { AppError } from "../../errors.ts";
import { counted } from "../../lib/counted.ts";
import { prefetch } from "../../lib/prefetch.ts";
import { timeOf } from "../kit/changes.ts";
import { type EventBuilder, eventBuilder } from "../kit/event-builder.ts";
import { textIn } from "../kit/json.ts";
import { firstPageEvents, keysetPages } from "../kit/pages.ts";
import type { ReadContext, EventStream } from "../source.ts";
import { readBulk } from "./bulk.ts";
import { NOT_UNDERSTOOD } from "./failures.ts";
import { mapVariant } from "./map.ts";
import { productList, productsByNumber, withAllVariants } from "./pages.ts";
import {
  type ProductBatch,
  DROP_REASONS,
  dropReasonOf,
  parsePageProduct,
  type ShopProduct,
} from "./product.ts";
import { API_VERSION, bulkQuery, type Extras, trialQuery } from "./queries.ts";
import { countProducts, type ShopifyShop } from "./shop.ts";

type ShopifyReading = Awaited<ReturnType<typeof openReading>>;

async function openReading(shop: ShopifyShop, { extent }: Pick<ReadContext, "extent">) {
  const { sampleProducts, page } = shop.limits;
  const events = eventBuilder({ reasons: DROP_REASONS });
  const extras = await acceptedExtras(shop, events.note);
  const size = extent === "sample" ? Math.min(sampleProducts, page.products) : page.products;
  const list = productList(shop, extras, size);
  /** `unreadable`: products without an id, which can only be counted. */
  return { shop, events, extras, list, taken: new Set<number>(), unreadable: 0 };
}

export async function* readShop(shop: ShopifyShop, context: ReadContext): EventStream {
  const reading = await openReading(shop, context);
  const { events, list } = reading;
  if (context.extent === "sample") {
    yield* firstPageEvents(list, ({ rows }) => batchEvents(rows.map(parsePageProduct), reading));
    for (const note of versionNotes(shop)) events.note(note);
    yield* events.warnings();
    return;
  }
  yield* allProducts(reading, context);
  yield* missedProducts(reading);
  for (const note of versionNotes(shop)) events.note(note);
  for (const [reason, count] of shop.notRequested) events.countDropped(reason, count);
  yield* events.end();
}

/** These products as they are now. */
export async function* readProducts(shop: ShopifyShop, numbers: readonly number[]): EventStream {
  const reading = await openReading(shop, { extent: "whole" });
  for await (const rows of productsByNumber(shop, reading.extras, numbers)) {
    yield* batchEvents(rows.map(parsePageProduct), reading);
  }
  yield* reading.events.end();
}

/** What to tell a merchant whose shop answers with another API version. */
export function versionNotes({ api }: Pick<ShopifyShop, "api">): readonly string[] {
  const version = api.version();
  if (version === API_VERSION) return [];
  return [
    `Shopify answers with API version ${version} instead of ${API_VERSION}, which is no longer served. Update this program soon.`,
  ];
}

/** If a newer API version lacks one of the optional fields, the shop is read without them. */
async function acceptedExtras(
  { api, filter, settings: { country, metafields } }: ShopifyShop,
  note: EventBuilder<string>["note"],
): Promise<Extras> {
  const query = trialQuery({ country, metafields });
  const { refusal } = await api.query({ query, variables: { filter }, handles: [NOT_UNDERSTOOD] });
  if (refusal === null) return { country, metafields };
  note(
    "Shopify did not understand our query for metafields and combined listings, so products were read without them. Update this program soon.",
  );
  return { country, metafields: [], isLean: true };
}

async function* allProducts(reading: ShopifyReading, context: ReadContext): EventStream {
  const { shop, extras, events } = reading;
  if (shop.listed >= shop.limits.bulk.fromProducts) {
    const query = bulkQuery(extras, shop.filter);
    const reason = yield* readBulk(shop, query, context, (batch) => batchEvents(batch, reading));
    if (reason === null) return;
    events.note(`The shop was read page by page, because ${reason}. Nothing is missing; it took longer.`);
  }
  yield* productsAfter(0, reading, () => true);
}

async function* productsAfter(
  id: number,
  reading: ShopifyReading,
  isWanted: (product: ShopProduct | null) => boolean,
): EventStream {
  for await (const { rows } of prefetch(keysetPages(reading.list, id))) {
    yield* batchEvents(rows.map(parsePageProduct).filter(isWanted), reading);
  }
}

/**
 * Compares what was read with the shop's count. New products have the highest ids, so the end of the list is read
 * again first. A product that became active may be anywhere, so the whole list is next.
 */
async function* missedProducts(reading: ShopifyReading): EventStream {
  const { shop, taken } = reading;
  const read = () => taken.size + reading.unreadable;
  const highest = taken.values().reduce((most, number) => Math.max(most, number), 0);
  for (const from of [highest, 0]) {
    if (read() >= (await countProducts(shop))) return;
    // Products without an id were counted by the first walk and cannot be recognized.
    yield* productsAfter(from, reading, (product) => product !== null);
  }
  const count = await countProducts(shop);
  if (read() >= count) return;
  throw new AppError(
    "source_incomplete",
    `Shopify says that the shop has ${counted(count, "product")}, but gave only ${read()} of them, also when asked again. Nothing was changed; the next sync reads the shop again.`,
  );
}

async function* batchEvents(batch: ProductBatch, reading: ShopifyReading): EventStream {
  for (const product of batch) yield* productEvents(product, reading);
}

async function* productEvents(product: ShopProduct | null, reading: ShopifyReading): EventStream {
  const { shop, events, taken, extras } = reading;
  if (product === null) {
    reading.unreadable += 1;
    yield events.reject({ message: "Shopify listed a product without a usable id." });
    return;
  }
  if (taken.has(product.number)) return;
  taken.add(product.number);
  events.seeChange(timeOf(textIn(product.node, "updatedAt")));
  const reason = dropReasonOf(product.node, shop.settings);
  if (reason !== null) {
    events.countDropped(reason);
    return;
  }
  const complete = await withAllVariants(shop, extras, product);
  if (complete === null) return;
  if (complete.variants.length === 0) {
    const message = "The product has no variant, so there is nothing to sell.";
    yield events.reject({ itemId: String(product.number), message, product: String(product.number) });
  }
  for (const variant of complete.variants) {
    const draft = mapVariant(complete, variant, shop);
    const title = textIn(product.node, "title")?.slice(0, 80) ?? "";
    yield draft === null
      ? events.reject({
          message: `A variant of the product "${title}" has no usable id.`,
          product: String(product.number),
        })
      : events.draft(draft, product.number);
  }
}
