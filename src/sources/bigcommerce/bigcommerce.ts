/** BigCommerce as a connector: one channel of one store, read through its REST API with a store-level token. */
import { defineConnector, probeFacts, probeNotes } from "../kit/connector.ts";
import { dropSentences } from "../kit/event-builder.ts";
import { orStatus } from "../kit/failure.ts";
import { idIn, textIn, toObject } from "../kit/json.ts";
import type { Connector, ProbeResult } from "../source.ts";
import { BIGCOMMERCE_LIMITS, type BigCommerceLimits, PERMISSIONS } from "./client.ts";
import { readShowsTax } from "./prices.ts";
import {
  changedProducts,
  DROP_REASONS,
  listedIds,
  productCall,
  productsOf,
  readProducts,
  readShop,
} from "./read.ts";
import { BIGCOMMERCE_FIELDS, checkBigCommerce, parseSettings } from "./settings.ts";
import { openShop, type BigcommerceShop } from "./store.ts";
import { BIGCOMMERCE_HOOKS, receiveHook } from "./webhooks.ts";

export function bigcommerceConnector(limits: BigCommerceLimits): Connector {
  return defineConnector(
    {
      kind: "bigcommerce",
      label: "BigCommerce",
      fields: BIGCOMMERCE_FIELDS,
      check: checkBigCommerce,
      // All stores have the same host, but the token of one store is useless for another.
      destination: (settings) => parseSettings(settings).apiUrl,
      open: openShop,
      probe: probeShop,
      read: readShop,
      hooks: { ...BIGCOMMERCE_HOOKS, receive: receiveHook },
      part: {
        changed: changedProducts,
        products: readProducts,
        maxProducts: limits.maxChanged,
        ids: listedIds,
        of: () => ["products", "changes"],
      },
    },
    limits,
  );
}

export const bigcommerce: Connector = bigcommerceConnector(BIGCOMMERCE_LIMITS);

/**
 * Are the token and its permissions sufficient, and what should the merchant know before the first sync? What a read
 * needs and does not get is a failure that names it; what it can do without is a note.
 */
async function probeShop(shop: BigcommerceShop): Promise<ProbeResult> {
  const { api, channelId, store, storefront } = shop;
  const visible = await api.count(productsOf(channelId, true));
  const hidden = await api.count(productsOf(channelId, false));
  const elsewhere = (await api.count(productCall())) - visible - hidden;
  const channel = await readChannelName(shop);
  const showsTax = await readShowsTax(shop);
  const facts = probeFacts({
    Shop: store.name,
    Storefront: storefront.url,
    Channel: channel === undefined ? String(channelId) : `${channelId} (${channel})`,
    "Products on this channel": String(visible),
    Currency: store.currency,
    Prices: taxText(store.pricesIncludeTax, showsTax),
    Country: store.country,
    Language: store.language,
    "Weights in": store.weightUnit,
    "Sizes in": store.dimensionsUnit,
    Plan: store.plan,
    API: "V3 catalog, V2 store information",
  });
  const notes = [
    ...storeNotes(shop),
    ...probeNotes({
      "The channel has no visible products: check channel_id, and which products are assigned to it.":
        visible === 0,
    }),
    ...dropSentences(DROP_REASONS, new Map(Object.entries({ hidden, elsewhere }))),
    ...probeNotes({
      "BigCommerce does not state whether the shop shows prices with or without tax (v3/tax/zones), so they are read as they are entered. Compare one item with its page.":
        showsTax === undefined,
      "Price lists are left out: items have the catalog's own prices, as a shopper who is not signed in and belongs to no customer group sees them.":
        await hasPriceLists(shop),
    }),
  ];
  return { facts, notes };
}

function storeNotes({ store, storefront, channelId }: BigcommerceShop): readonly string[] {
  const { status = "live", defaultChannelId = channelId, hasSeveralStorefronts } = store;
  const { label, scope } = PERMISSIONS.sites;
  return probeNotes({
    [`The shop is not open to shoppers (its status is "${status}"): links may lead nowhere.`]:
      status !== "live",
    [`Channel ${channelId} is not the shop's default storefront, which is ${defaultChannelId}. Change channel_id if that is not what you want.`]:
      defaultChannelId !== channelId,
    "The shop can have several storefronts. Names, descriptions and addresses that differ by storefront are read as the catalog has them.":
      hasSeveralStorefronts,
    [`Links begin with the shop's main address, ${storefront.url}. An API account with the permission "${label}: read-only" (${scope}) can read the channel's own.`]:
      !storefront.isChannels,
  });
}

/** Undefined if the token may not read channels. */
async function readChannelName({ api, channelId }: BigcommerceShop): Promise<string | undefined> {
  const call = { path: "v3/channels", query: { limit: 250 }, needs: PERMISSIONS.channels };
  const channels = await orStatus(api.list(call), 403, 404);
  const rows = typeof channels === "number" ? [] : channels.rows.map(toObject);
  return textIn(rows.find((channel) => idIn(channel) === channelId) ?? {}, "name");
}

async function hasPriceLists({ api }: BigcommerceShop): Promise<boolean> {
  const call = { path: "v3/pricelists", query: { limit: 1 }, needs: PERMISSIONS.products };
  const lists = await orStatus(api.list(call), 403, 404);
  return typeof lists === "number" || lists.rows.length > 0;
}

function taxText(isIncluded: boolean | undefined, isShown: boolean | undefined): string | undefined {
  if (isIncluded === undefined) return undefined;
  const entered = `entered ${isIncluded ? "with" : "without"} tax`;
  if (isShown === undefined || isShown === isIncluded) return entered;
  return `${entered}, shown ${isShown ? "with" : "without"} it: read as shown`;
}
