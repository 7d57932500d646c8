/**
 * One read of a shop: its facts, then the visible products of one channel by ascending id, each as its variants. The
 * number of products is compared with the shop's own count, and a gap that stays fails the read: a missing item would
 * be taken for a deleted one.
 */
import { AppError } from "../../errors.ts";
import { counted } from "../../lib/counted.ts";
import { eventBuilder, productsThatAre } from "../kit/event-builder.ts";
import {
  idIn,
  isFalse,
  isJsonObject,
  isTrue,
  type JsonObject,
  listIn,
  textIn,
  toObject,
} from "../kit/json.ts";
import {
  type KeysetList,
  type KeysetPage,
  keysetPages,
  readCountedList,
  readNumberedPages,
} from "../kit/pages.ts";
import type { ReadContext, SourceEvent, SourceSettings } from "../source.ts";
import { type BigCommerceLimits, PERMISSIONS, type ShopCall } from "./client.ts";
import { mapVariant, type ProductFacts } from "./map.ts";
import { type PricedVariant, readShownPrices, type ShownPrices } from "./prices.ts";
import { openShop, readTaxonomy, type Shop } from "./store.ts";

/** Why products are no items. */
export const DROP_REASONS = {
  hidden: productsThatAre("not visible on the storefront"),
  elsewhere: productsThatAre("not assigned to this channel"),
  priceHidden: productsThatAre("set to hide the price"),
};

type Events = AsyncGenerator<SourceEvent, void, void>;

type Reading = Awaited<ReturnType<typeof openReading>>;

async function openReading(shop: Shop) {
  const decimalsSetting = "Settings, Currencies, Decimal places";
  const events = eventBuilder({ reasons: DROP_REASONS, decimalsSetting });
  return {
    shop,
    events,
    taxonomy: await readTaxonomy(shop, events.note),
    prices: await readShownPrices(shop),
    /** Products that were hidden after the list was requested. */
    hidden: 0,
  };
}

export async function* readShop(
  settings: SourceSettings,
  context: ReadContext,
  limits: BigCommerceLimits,
): Events {
  const reading = await openReading(await openShop(settings, context, limits));
  yield* context.extent === "sample" ? readSample(reading) : readWhole(reading);
}

export function productCall(query: ShopCall["query"] = {}): ShopCall {
  return { path: "v3/catalog/products", query, needs: PERMISSIONS.products };
}

export function productsOf(channelId: number, isVisible: boolean): ShopCall {
  return productCall({ "channel_id:in": channelId, is_visible: String(isVisible) });
}

/** Options and modifiers are never requested: they cut a page to ten products, and each variant has its options. */
function productList({ api, channelId, limits }: Shop, firstSize: number): KeysetList {
  const { query } = productsOf(channelId, true);
  const include = { include: "variants,images,custom_fields", sort: "id", direction: "asc" };
  return {
    fetch: (lastId, limit) => api.list(productCall({ ...include, limit, "id:greater": lastId, ...query })),
    firstSize,
    maxSize: limits.maxPageProducts,
    maxShrinks: limits.maxShrinks,
    maxWeight: limits.pageVariants,
    weightOf: (row) => 1 + listIn(toObject(row), "variants").length,
  };
}

/** The first page, without `end`: it is not the whole shop. */
async function* readSample(reading: Reading): Events {
  const { shop } = reading;
  for await (const page of keysetPages(productList(shop, shop.limits.sampleProducts))) {
    yield* productEvents(page, reading);
    return;
  }
}

async function* readWhole(reading: Reading): Events {
  const { shop, events } = reading;
  const { api, channelId, limits } = shop;
  const visible = yield* readCountedList({
    list: productList(shop, limits.firstPageProducts),
    count: () => api.count(productsOf(channelId, true)),
    events: (page) => productEvents(page, reading),
    incomplete: (claimed, read) => incomplete(`The shop says it has ${counted(claimed, "product")}`, read),
  });
  const hidden = await api.count(productsOf(channelId, false));
  const all = await api.count(productCall());
  events.dropWithWarning("hidden", Math.max(hidden, reading.hidden));
  events.dropWithWarning("elsewhere", all - visible - hidden);
  yield* events.warnings();
  yield { kind: "end", validators: null, expected: events.positions() };
}

function incomplete(claim: string, read: number): AppError {
  const message = `${claim}, but only ${read} could be read. Nothing was changed; the next sync reads the shop again.`;
  return new AppError("source_incomplete", message);
}

async function* productEvents({ rows }: KeysetPage, reading: Reading): Events {
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
    else if (reason !== null) events.dropWithWarning(reason);
    if (reason !== null) continue;
    const variants = isJsonObject(row) ? await variantsOf(product) : [];
    if (variants.length === 0) yield unreadable(product, "came without variants", reading);
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
  reading: Reading,
): SourceEvent {
  const { shop, prices, events } = reading;
  const id = idIn(variant);
  if (id === undefined) return unreadable(facts.product, "has a variant without an id", reading);
  const price = shown.get(id);
  if (prices.isAsEntered || price !== undefined) return events.draft(mapVariant(variant, facts, shop, price));
  return events.reject({
    itemId: String(id),
    field: "price",
    code: "missing_price",
    message:
      "BigCommerce does not state at which price the shop shows this item, with or without tax (v3/pricing/products). Open its product in the control panel and save it again.",
  });
}

/** A product without variants cannot be sold: in BigCommerce even the simplest one has a variant. */
function unreadable(product: JsonObject, problem: string, { events }: Reading): SourceEvent {
  const [id, name] = [idIn(product), textIn(product, "name")];
  const title = name === undefined ? "" : ` ("${name.slice(0, 80).toWellFormed()}")`;
  const which = id === undefined ? "A product without an id" : `Product ${id}${title}`;
  const message = `${which} ${problem}, so it cannot be read. Open it in the control panel of BigCommerce and save it again.`;
  return events.reject({ message });
}

/**
 * Reads the variants of a product. The products list includes them, but may truncate long lists without a sign of it.
 * So the long lists of a page are counted in one request, and if the shop has more, those products' own lists are read.
 */
async function variantReader(products: readonly JsonObject[], { api, limits }: Shop) {
  const included = (product: JsonObject) => listIn(product, "variants");
  const long = products.filter((product) => included(product).length >= limits.countFromVariants);
  const ids = new Set(long.flatMap((product) => idIn(product) ?? []));
  const known = long.reduce((sum, product) => sum + included(product).length, 0);
  const query = { "product_id:in": [...ids].join(",") };
  const needs = PERMISSIONS.products;
  const total = ids.size === 0 ? 0 : await api.count({ path: "v3/catalog/variants", query, needs });
  return async (product: JsonObject): Promise<readonly unknown[]> => {
    const id = idIn(product);
    if (total <= known || id === undefined || !ids.has(id)) return included(product);
    const path = `v3/catalog/products/${id}/variants`;
    return readNumberedPages(
      (page, limit) => api.list({ path, query: { limit, page }, needs }),
      250,
      (claimed, read) => incomplete(`Product ${id} has ${counted(claimed, "variant")}`, read),
    );
  };
}
