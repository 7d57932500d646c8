/**
 * The first call to a shop: do the token and its permissions suffice, and what should the merchant know before the
 * first sync? What the read cannot do without throws, by name; what it can do without is a note.
 */
import { toSourceError } from "../failure.ts";
import type { Probe, ReadContext, SourceSettings } from "../source.ts";
import { type ShopApi, shopApi } from "./api.ts";
import { PERMISSIONS } from "./failures.ts";
import { leftOutSentence } from "./left-out.ts";
import type { BigCommerceLimits } from "./limits.ts";
import { productCall } from "./pages.ts";
import { hiddenIn, visibleIn } from "./read.ts";
import { type ShopSettings, shopSettings } from "./settings.ts";
import { readShowsTax } from "./shown-prices.ts";
import { readStore, readStorefront, type Store, type Storefront } from "./store.ts";
import { asFields, idIn, textIn } from "./wire.ts";

export async function probeShop(
  settings: SourceSettings,
  context: Pick<ReadContext, "http" | "signal">,
  limits: BigCommerceLimits,
): Promise<Probe> {
  try {
    const shop = shopSettings(settings);
    const api = shopApi(shop, context, limits);
    const store = await readStore(api);
    const storefront = await readStorefront(api, shop, store);
    const counts = await countProducts(api, shop.channelId);
    const channel = await readChannel(api, shop.channelId);
    const showsTax = await readShowsTax(api, store);
    return {
      facts: factsOf(shop, { store, storefront, counts, channel, showsTax }),
      notes: [
        ...storeNotes(shop, store),
        ...storefrontNotes(storefront),
        ...productNotes(counts),
        ...(showsTax === undefined ? [UNKNOWN_DISPLAY] : []),
        ...(await priceListNotes(api)),
      ],
    };
  } catch (error) {
    throw toSourceError(error);
  }
}

const UNKNOWN_DISPLAY =
  "BigCommerce does not say whether the shop shows prices with or without tax (v3/tax/zones), so they are read as they are entered. Compare one item with its page.";

type Counts = { readonly visible: number; readonly hidden: number; readonly elsewhere: number };

async function countProducts(api: ShopApi, channelId: number): Promise<Counts> {
  const visible = await api.count(productCall(visibleIn(channelId)));
  const hidden = await api.count(productCall(hiddenIn(channelId)));
  const all = await api.count(productCall({}));
  return { visible, hidden, elsewhere: all - visible - hidden };
}

/** Its name, where the token may ask for it. */
async function readChannel(api: ShopApi, channelId: number): Promise<string | undefined> {
  const channels = await api.listIfAllowed({
    path: "v3/channels",
    params: { limit: 250 },
    needs: PERMISSIONS.channels,
  });
  if (typeof channels === "number") return undefined;
  const fields = channels.rows.map((row) => asFields(row) ?? {});
  const own = fields.find((channel) => idIn(channel, "id") === channelId);
  return own === undefined ? undefined : textIn(own, "name");
}

type Findings = {
  readonly store: Store;
  readonly storefront: Storefront;
  readonly counts: Counts;
  readonly channel: string | undefined;
  readonly showsTax: boolean | undefined;
};

function factsOf(
  { channelId }: ShopSettings,
  { store, storefront, counts, channel, showsTax }: Findings,
): Probe["facts"] {
  const facts: readonly (readonly [string, string | undefined])[] = [
    ["Shop", store.name],
    ["Storefront", storefront.url],
    ["Channel", channel === undefined ? String(channelId) : `${channelId} (${channel})`],
    ["Products on this channel", String(counts.visible)],
    ["Currency", store.currency],
    ["Prices", taxWords(store.pricesIncludeTax, showsTax)],
    ["Country", store.country],
    ["Language", store.language],
    ["Weights in", store.weightUnit],
    ["Sizes in", store.dimensionsUnit],
    ["Plan", store.plan],
    ["API", "V3 catalog, V2 store information"],
  ];
  return facts.flatMap(([label, value]) => (value === undefined ? [] : [{ label, value }]));
}

function taxWords(isIncluded: boolean | undefined, isShown: boolean | undefined): string | undefined {
  if (isIncluded === undefined) return undefined;
  const entered = `entered ${isIncluded ? "with" : "without"} tax`;
  if (isShown === undefined || isShown === isIncluded) return entered;
  return `${entered}, shown ${isShown ? "with" : "without"} it: read as shown`;
}

function storeNotes({ channelId }: ShopSettings, store: Store): string[] {
  const notes: string[] = [];
  if (store.status !== undefined && store.status !== "live") {
    notes.push(`The shop is not open to shoppers (its status is "${store.status}"): links may lead nowhere.`);
  }
  if (store.defaultChannelId !== undefined && store.defaultChannelId !== channelId) {
    notes.push(
      `Channel ${channelId} is not the shop's default storefront, which is ${store.defaultChannelId}. Change channel_id if that is not what you want.`,
    );
  }
  if (store.hasSeveralStorefronts) {
    notes.push(
      "The shop can have several storefronts. Names, descriptions and addresses that differ by storefront are read as the catalog has them.",
    );
  }
  return notes;
}

function storefrontNotes({ from, url }: Storefront): string[] {
  if (from !== "store") return [];
  const { label, scope } = PERMISSIONS.sites;
  return [
    `Links begin with the shop's main address, ${url}. An API account with the permission "${label}: read-only" (${scope}) tells the channel's own.`,
  ];
}

function productNotes({ visible, hidden, elsewhere }: Counts): string[] {
  const leftOut = [leftOutSentence("hidden", hidden), leftOutSentence("elsewhere", elsewhere)];
  const sentences = leftOut.filter((sentence) => sentence !== null);
  return visible > 0
    ? sentences
    : [
        "The channel has no visible products: check channel_id, and which products are assigned to it.",
        ...sentences,
      ];
}

async function priceListNotes(api: ShopApi): Promise<string[]> {
  const lists = await api.listIfAllowed({
    path: "v3/pricelists",
    params: { limit: 1 },
    needs: PERMISSIONS.products,
  });
  if (typeof lists !== "number" && lists.rows.length === 0) return [];
  return [
    "Price lists are left out: items have the catalog's own prices, as a shopper who is not signed in and belongs to no customer group sees them.",
  ];
}
