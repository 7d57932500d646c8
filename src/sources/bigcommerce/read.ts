/** One read of a shop: the visible products of one channel by ascending id, each as its variants. */
import { isJsonObject, type JsonObject } from "../../lib/json-object.ts";
import { type ChangedProduct, changesIn, listedProducts, timeOf } from "../kit/changes.ts";
import { eventBuilder, productsThatAre } from "../kit/event-builder.ts";
import { idIn, isFalse, isTrue, listIn, textIn, toObject } from "../kit/json.ts";
import {
  firstPageEvents,
  type KeysetList,
  type KeysetPage,
  keysetPages,
  readCountedList,
  sublistReader,
} from "../kit/pages.ts";
import type { ReadContext, ShopIds, EventStream, SourceEvent } from "../source.ts";
import { PERMISSIONS, type ShopCall } from "./client.ts";
import { mapVariant, type ProductFacts } from "./map.ts";
import { type PricedVariant, readShownPrices, type ShownPrices } from "./prices.ts";
import { readTaxonomy, type BigcommerceShop } from "./store.ts";

/** Why products are not items. */
export const DROP_REASONS = {
  hidden: productsThatAre("not visible on the storefront"),
  elsewhere: productsThatAre("not assigned to this channel"),
  priceHidden: productsThatAre("set to hide the price"),
};

const SAVE_AGAIN = "Open it in the control panel of BigCommerce and save it again.";

type BigcommerceReading = Awaited<ReturnType<typeof openReading>>;

async function openReading(shop: BigcommerceShop) {
  const decimalsSetting = "Settings, Currencies, Decimal places";
  const events = eventBuilder({ reasons: DROP_REASONS, decimalsSetting });
  const taxonomy = await readTaxonomy(shop, events.note);
  const prices = await readShownPrices(shop);
  /** `hidden`: products that were hidden after the list was requested. */
  return { shop, events, taxonomy, prices, hidden: 0 };
}

export async function* readShop(shop: BigcommerceShop, { extent }: ReadContext): EventStream {
  const { api, channelId, limits } = shop;
  const reading = await openReading(shop);
  const { events } = reading;
  const pageEvents = (page: KeysetPage): EventStream => productEvents(page, reading);
  if (extent === "sample") {
    yield* firstPageEvents(productList(shop, limits.sampleProducts), pageEvents);
    return;
  }
  const visible = yield* readCountedList({
    list: productList(shop, limits.firstPageProducts),
    count: () => api.count(productsOf(channelId, true)),
    events: pageEvents,
    noun: "product",
  });
  const hidden = await api.count(productsOf(channelId, false));
  const all = await api.count(productCall());
  events.countDropped("hidden", Math.max(hidden, reading.hidden));
  events.countDropped("elsewhere", all - visible - hidden);
  yield* events.end();
}

/** These products as they are now. */
export async function* readProducts(shop: BigcommerceShop, ids: readonly number[]): EventStream {
  const reading = await openReading(shop);
  const { maxPageProducts, firstPageProducts } = shop.limits;
  for (let from = 0; from < ids.length; from += maxPageProducts) {
    const batch = { "id:in": ids.slice(from, from + maxPageProducts).join(",") };
    const pages = keysetPages(productList(shop, firstPageProducts, batch));
    for await (const page of pages) yield* productEvents(page, reading);
  }
  yield* reading.events.end();
}

/** Whether they are visible or not, on any channel: what is hidden now may have been for sale. */
export async function* changedProducts(
  shop: BigcommerceShop,
  since: Date,
): AsyncGenerator<readonly ChangedProduct[], void, void> {
  // With a date alone, BigCommerce would add the time of day.
  const filter = { "date_modified:min": since.toISOString() };
  for await (const { rows } of keysetPages(datedProducts(shop, filter)))
    yield changesIn(rows, "date_modified");
}

/** The ids of all products, visible or not, on any channel. */
export function listedIds(shop: BigcommerceShop): Promise<ShopIds> {
  async function* pages() {
    for await (const { rows } of keysetPages(datedProducts(shop)))
      yield rows.map((row) => idIn(toObject(row)));
  }
  return listedProducts(pages());
}

function datedProducts({ api, limits }: BigcommerceShop, filter: ShopCall["query"] = {}): KeysetList {
  const query = { ...filter, include_fields: "date_modified", sort: "id", direction: "asc" };
  return {
    fetch: (lastId, limit) => api.list(productCall({ ...query, limit, "id:greater": lastId })),
    size: limits.maxPageProducts,
  };
}

export function productCall(query: ShopCall["query"] = {}): ShopCall {
  return { path: "v3/catalog/products", query, needs: PERMISSIONS.products };
}

export function productsOf(channelId: number, isVisible: boolean): ShopCall {
  return productCall({ "channel_id:in": channelId, is_visible: String(isVisible) });
}

/** Options and modifiers are never requested: they cut a page to ten products, and each variant has its options. */
function productList(
  { api, channelId, limits }: BigcommerceShop,
  size: number,
  filter: ShopCall["query"] = {},
): KeysetList {
  const query = { ...productsOf(channelId, true).query, ...filter };
  const include = { include: "variants,images,custom_fields", sort: "id", direction: "asc" };
  return {
    fetch: (lastId, limit) => api.list(productCall({ ...include, limit, "id:greater": lastId, ...query })),
    size,
    weight: {
      of: (row) => 1 + listIn(toObject(row), "variants").length,
      max: limits.pageVariants,
      maxSize: limits.maxPageProducts,
    },
  };
}

async function* productEvents({ rows }: KeysetPage, reading: BigcommerceReading): EventStream {
  const { shop, taxonomy, prices, events } = reading;
  const products = rows.filter(isJsonObject).filter((product) => dropReason(product) === null);
  await taxonomy.prepare(products);
  const variantsOf = await variantReader(products, shop);
  const included = products.flatMap((product) => pricedIn(product, listIn(product, "variants")));
  const shown = new Map(await prices.of(included));
  for (const row of rows) {
    const product = toObject(row);
    const reason = dropReason(product);
    if (reason === "hidden") reading.hidden += 1;
    else if (reason !== null) events.countDropped(reason);
    events.seeChange(timeOf(textIn(product, "date_modified")));
    if (reason !== null) continue;
    const variants = isJsonObject(row) ? await variantsOf(product) : [];
    // Even the simplest product has a variant in BigCommerce.
    if (variants.length === 0) yield events.rejectProduct(product, "came without variants", SAVE_AGAIN);
    // A truncated list of variants has more of them than the page.
    const more = pricedIn(product, variants).filter(({ variant_id }) => !shown.has(variant_id));
    for (const [id, price] of await prices.of(more)) shown.set(id, price);
    const facts: ProductFacts = {
      product,
      brand: taxonomy.brandOf(product),
      categories: taxonomy.categoriesOf(product),
      hasSeveralVariants: variants.length > 1,
    };
    for (const variant of variants) yield variantEvent(toObject(variant), facts, shown, reading);
  }
}

/** Only visible products are requested, but one may be hidden before the answer. */
function dropReason(product: JsonObject): "hidden" | "priceHidden" | null {
  if (isTrue(product, "is_price_hidden")) return "priceHidden";
  return isFalse(product, "is_visible") ? "hidden" : null;
}

function pricedIn(product: JsonObject, variants: readonly unknown[]): readonly PricedVariant[] {
  const product_id = idIn(product);
  return variants.flatMap((variant) => {
    const variant_id = idIn(toObject(variant));
    return product_id === undefined || variant_id === undefined ? [] : [{ product_id, variant_id }];
  });
}

function variantEvent(
  variant: JsonObject,
  facts: ProductFacts,
  shown: Awaited<ReturnType<ShownPrices["of"]>>,
  { shop, prices, events }: BigcommerceReading,
): SourceEvent {
  const id = idIn(variant);
  if (id === undefined) return events.rejectProduct(facts.product, "has a variant without an id", SAVE_AGAIN);
  const price = shown.get(id);
  const product = idIn(facts.product);
  if (prices.isAsEntered || price !== undefined)
    return events.draft(mapVariant(variant, facts, shop, price), product);
  return events.reject({
    itemId: String(id),
    product: product?.toString(),
    field: "price",
    code: "missing_price",
    message:
      "BigCommerce does not state at which price the shop shows this item, with or without tax (v3/pricing/products). Open its product in the control panel and save it again.",
  });
}

/** The products list includes variants, but may truncate long lists without a sign of it. */
function variantReader(products: readonly JsonObject[], { api, limits }: BigcommerceShop) {
  const needs = PERMISSIONS.products;
  return sublistReader(products, {
    field: "variants",
    suspiciousLength: limits.countFromVariants,
    count: (ids) =>
      api.count({ path: "v3/catalog/variants", query: { "product_id:in": ids.join(",") }, needs }),
    fetch: (id, page, limit) =>
      api.list({ path: `v3/catalog/products/${id}/variants`, query: { limit, page }, needs }),
    size: 250,
    noun: "variant",
  });
}
