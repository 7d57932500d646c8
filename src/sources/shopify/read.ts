/**
 * A shop as events, in the order of the story: ask who the shop is, read its products by a bulk operation or by
 * pages, see that none is missing, say what was left out, and end. A product is taken once, whichever way it came;
 * so pages can take over from a bulk operation at any point, and a second walk adds only what the first one missed.
 */
import { counted } from "../../lib/counted.ts";
import type { WarningCode } from "../../catalog/finding.ts";
import { AppError } from "../../errors.ts";
import type { ReadContext, SourceEvent, SourceSettings } from "../source.ts";
import { type AdminApi, adminApi } from "./admin-api.ts";
import { bulkProducts } from "./bulk.ts";
import { productEvents } from "./events.ts";
import { leftOutSentences, whyLeftOut } from "./left-out.ts";
import type { ShopifyLimits } from "./limits.ts";
import { type Batch, firstPage, type Walk, walkProducts } from "./pages.ts";
import { NOT_UNDERSTOOD } from "./failures.ts";
import { API_VERSION, bulkQuery, type Extras, trialQuery } from "./queries.ts";
import { type Register, register } from "./register.ts";
import { readShopifySettings, type ShopifySettings } from "./settings.ts";
import { countProducts, productFilter, readShop, type Shop } from "./shop.ts";
import { withAllVariants } from "./variants.ts";
import { isUnreadable, type ShopProduct, type Unreadable } from "./wire.ts";

type Events = AsyncGenerator<SourceEvent, void, void>;

type Reading = {
  readonly api: AdminApi;
  readonly shop: Shop;
  readonly settings: ShopifySettings;
  readonly context: ReadContext;
  readonly limits: ShopifyLimits;
  readonly walk: Walk;
  readonly register: Register;
};

export async function* readShopify(
  settings: SourceSettings,
  context: ReadContext,
  limits: ShopifyLimits,
): Events {
  context.signal.throwIfAborted();
  const reading = await begin(readShopifySettings(settings), context, limits);
  if (context.extent === "sample") {
    yield* sample(reading);
    return;
  }
  yield* wholeShop(reading);
  yield* whatIsMissing(reading);
  yield* remarks(reading);
  yield { kind: "end", validators: null, expected: reading.register.positions() };
}

async function begin(
  settings: ShopifySettings,
  context: ReadContext,
  limits: ShopifyLimits,
): Promise<Reading> {
  const api = adminApi(settings, context, limits);
  const shop = await readShop(api, settings);
  const taken = register();
  const extras = await understoodExtras(api, settings, taken);
  const isSample = context.extent === "sample";
  const first = Math.min(limits.page.products, isSample ? limits.sampleProducts : Number.POSITIVE_INFINITY);
  const walk: Walk = {
    api,
    extras,
    filter: productFilter(settings),
    size: { current: { ...limits.page, products: first } },
    sliceProducts: limits.sliceProducts,
  };
  return { api, shop, settings, context, limits, walk, register: taken };
}

/**
 * What can be asked of this shop beyond the bare product. A newer API that has dropped one of our optional fields must
 * not cost the shop its feeds: without them, all the rest can still be read.
 */
async function understoodExtras(api: AdminApi, settings: ShopifySettings, taken: Register): Promise<Extras> {
  const { country, metafields } = settings;
  const trial = {
    query: trialQuery({ country, metafields }),
    variables: { filter: productFilter(settings) },
  };
  const { refusal } = await api.ask({ ...trial, handles: [NOT_UNDERSTOOD] });
  if (refusal === null) return { country, metafields };
  taken.remark(
    "Shopify did not understand our question about metafields and combined listings, so products were read without them. Update this program soon.",
  );
  return { country, metafields: [], isLean: true };
}

async function* sample(reading: Reading): Events {
  yield* batchEvents(await firstPage(reading.walk), reading);
  yield* remarks(reading);
}

async function* wholeShop(reading: Reading): Events {
  const { shop, limits, register } = reading;
  if (shop.listed >= limits.bulk.fromProducts) {
    const because = yield* byBulk(reading);
    if (because === null) return;
    register.remark(
      `The shop was read page by page, because ${because}. Nothing is missing; it took longer.`,
    );
  }
  for await (const batch of walkProducts(reading.walk, 0)) yield* batchEvents(batch, reading);
}

async function* byBulk(reading: Reading): AsyncGenerator<SourceEvent, string | null, void> {
  const { api, context, limits, walk } = reading;
  const products = bulkProducts({ api, query: bulkQuery(walk.extras, walk.filter), context, limits });
  try {
    for (let step = await products.next(); ; step = await products.next()) {
      if (step.done === true) return step.value;
      yield* batchEvents(step.value, reading);
    }
  } finally {
    await products.return(null);
  }
}

/**
 * Compares what was read with what the shop has now. New products have the highest ids, so the tail is walked first;
 * a product that became active in the meantime may be anywhere, so the whole list is next.
 */
async function* whatIsMissing(reading: Reading): Events {
  const { api, walk, register } = reading;
  for (const from of ["the last product", "the beginning"] as const) {
    if (register.products() >= (await countProducts(api, walk.filter))) return;
    const batches = walkProducts(walk, from === "the beginning" ? 0 : register.highest());
    // What has no id was counted by the first walk, and cannot be told from what it has missed.
    for await (const batch of batches)
      yield* batchEvents(
        batch.filter((product) => !isUnreadable(product)),
        reading,
      );
  }
  const claimed = await countProducts(api, walk.filter);
  const read = register.products();
  if (read >= claimed) return;
  throw new AppError(
    "source_incomplete",
    `Shopify says that the shop has ${counted(claimed, "product")}, but gave only ${read} of them, also when asked again. Nothing was changed; the next sync reads the shop again.`,
  );
}

async function* batchEvents(batch: Batch, reading: Reading): Events {
  for (const product of batch) yield* freshEvents(product, reading);
}

async function* freshEvents(product: ShopProduct | Unreadable, reading: Reading): Events {
  const whole = await take(product, reading);
  if (whole === null) return;
  for (const event of productEvents(whole, reading)) {
    reading.context.signal.throwIfAborted();
    yield event;
  }
}

/** The product with all its variants; null if it was taken before, is left out, or is gone. */
async function take(
  product: ShopProduct | Unreadable,
  { api, settings, limits, register, walk }: Reading,
): Promise<ShopProduct | Unreadable | null> {
  if (isUnreadable(product)) {
    register.takeUnreadable();
    return product;
  }
  if (!register.take(product.number)) return null;
  const reason = whyLeftOut(product.node, settings);
  if (reason === null)
    return withAllVariants({ api, extras: walk.extras, pageSize: limits.moreVariants }, product);
  register.leaveOut(reason);
  return null;
}

/** What was left out and what was unusual, each said once. */
async function* remarks({ api, shop, register, context }: Reading): Events {
  const served = api.versionServed();
  if (served !== null && served !== API_VERSION) {
    register.remark(
      `Shopify answered with API version ${served} instead of ${API_VERSION}: ours is no longer served. Update this program soon.`,
    );
  }
  for (const sentence of register.remarks()) yield warning("source_note", sentence);
  const notAskedFor = context.extent === "sample" ? [] : shop.notAskedFor;
  const leftOut = new Map(notAskedFor);
  for (const [reason, count] of register.leftOut()) leftOut.set(reason, (leftOut.get(reason) ?? 0) + count);
  for (const sentence of leftOutSentences(leftOut)) yield warning("left_out", sentence);
}

function warning(code: WarningCode, message: string): SourceEvent {
  return { kind: "warning", warning: { itemId: null, position: null, field: null, code, message } };
}
