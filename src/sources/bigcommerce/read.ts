/**
 * One read of a shop: its facts, then its visible products of one channel by ascending id, each as its variants, and
 * at the end the reckoning. The products read are held against the shop's own count, and a gap that stays fails
 * the read: an item that is missing here would be taken for one that was deleted.
 */
import { counted } from "../../lib/counted.ts";
import { AppError } from "../../errors.ts";
import { prefetch } from "../../lib/prefetch.ts";
import { toSourceError } from "../failure.ts";
import { roundedNote } from "../currency-rounding.ts";
import type { ReadContext, SourceEvent, SourceSettings } from "../source.ts";
import { type ShopApi, shopApi } from "./api.ts";
import { leftOutWarnings } from "./left-out.ts";
import type { BigCommerceLimits } from "./limits.ts";
import type { ShopFacts } from "./map.ts";
import { productCall, type ProductFilter, type ProductPage, productPages } from "./pages.ts";
import { productEvents, tally, type Tally } from "./product-events.ts";
import { type ShopSettings, shopSettings } from "./settings.ts";
import { readShownPrices, type ShownPrices } from "./shown-prices.ts";
import { readStore, readStorefront } from "./store.ts";
import { readTaxonomy, type Taxonomy } from "./taxonomy.ts";

type Reading = {
  readonly api: ShopApi;
  readonly shop: ShopFacts;
  readonly taxonomy: Taxonomy;
  readonly prices: ShownPrices;
  readonly filter: ProductFilter;
  readonly limits: BigCommerceLimits;
  readonly tally: Tally;
};

export async function* readShop(
  settings: SourceSettings,
  context: ReadContext,
  limits: BigCommerceLimits,
): AsyncGenerator<SourceEvent, void, void> {
  try {
    const shop = shopSettings(settings);
    const reading = await open(shop, context, limits);
    const events = context.extent === "sample" ? readSample(reading) : readWhole(reading, shop.channelId);
    for await (const event of events) {
      context.signal.throwIfAborted();
      yield event;
    }
  } catch (error) {
    throw toSourceError(error);
  }
}

async function open(
  settings: ShopSettings,
  context: ReadContext,
  limits: BigCommerceLimits,
): Promise<Reading> {
  const api = shopApi(settings, context, limits);
  const store = await readStore(api);
  const { url } = await readStorefront(api, settings, store);
  return {
    api,
    shop: { store, storefrontUrl: url, hasVariantLinks: settings.hasVariantLinks },
    taxonomy: await readTaxonomy(api, settings.channelId, limits),
    prices: await readShownPrices(api, store, settings.channelId),
    filter: visibleIn(settings.channelId),
    limits,
    tally: tally(),
  };
}

/** What shoppers of the channel can see. */
export function visibleIn(channelId: number): ProductFilter {
  return { "channel_id:in": channelId, is_visible: "true" };
}

export function hiddenIn(channelId: number): ProductFilter {
  return { "channel_id:in": channelId, is_visible: "false" };
}

/** The first page only, and no end: nobody is to take it for the shop. */
async function* readSample(reading: Reading): AsyncGenerator<SourceEvent, void, void> {
  const { api, filter, limits } = reading;
  const small = { ...limits, firstPageProducts: limits.sampleProducts };
  for await (const page of productPages(api, filter, small)) {
    yield* productEvents(page, reading);
    return;
  }
}

async function* readWhole(reading: Reading, channelId: number): AsyncGenerator<SourceEvent, void, void> {
  const { api, tally } = reading;
  const first = yield* walk(reading, 0);
  const visible = yield* reconcile(reading, first);
  const hidden = await api.count(productCall(hiddenIn(channelId)));
  const all = await api.count(productCall({}));
  yield* leftOutWarnings({
    hidden: Math.max(hidden, tally.hidden),
    elsewhere: all - visible - hidden,
    priceHidden: tally.priceHidden,
  });
  if (tally.rounded > 0) yield noteOf(roundedNote(tally.rounded, "Settings, Currencies, Decimal places"));
  for (const note of reading.taxonomy.notes()) yield noteOf(note);
  yield { kind: "end", validators: null, expected: tally.variants };
}

function noteOf(message: string): SourceEvent {
  return {
    kind: "warning",
    warning: { itemId: null, position: null, field: null, code: "source_note", message },
  };
}

type Walk = {
  readonly lastId: number;
  /** How many products the shop said it had when the walk began; null if it gave none to say it with. */
  readonly claimed: number | null;
};

async function* walk(reading: Reading, afterId: number): AsyncGenerator<SourceEvent, Walk, void> {
  const { api, filter, limits } = reading;
  let lastId = afterId;
  let first: ProductPage | null = null;
  for await (const page of prefetch(productPages(api, filter, limits, afterId))) {
    first ??= page;
    lastId = page.lastId;
    yield* productEvents(page, reading);
  }
  return { lastId, claimed: first?.remaining ?? null };
}

/**
 * Gives the shop's count at the end, once it is accounted for. Products that came or went meanwhile explain a
 * difference to one of the two counts, of the beginning and of the end, but never to both.
 */
async function* reconcile(reading: Reading, first: Walk): AsyncGenerator<SourceEvent, number, void> {
  const { api, filter, tally } = reading;
  const count = () => api.count(productCall(filter));
  const atStart = first.claimed ?? Number.POSITIVE_INFINITY;
  const atEnd = await count();
  if (tally.products >= Math.min(atStart, atEnd)) return atEnd;
  // Short: what was added last is behind the last id.
  yield* walk(reading, first.lastId);
  const atLast = await count();
  const due = Math.min(atStart, atLast);
  if (tally.products >= due) return atLast;
  throw new AppError(
    "source_incomplete",
    `The shop says it has ${counted(due, "product")}, but ${tally.products} could be read. Nothing was changed; the next sync reads it again.`,
  );
}
