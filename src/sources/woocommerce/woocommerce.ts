/** WooCommerce as a connector: through its REST API with a key, or through the Store API that every visitor may use. */
import { plainText } from "../../catalog/text.ts";
import { defineConnector, probeFacts, probeNotes } from "../kit/connector.ts";
import { objectIn, textIn, toObject } from "../kit/json.ts";
import type { Connector, ProbeResult } from "../source.ts";
import { ifAllowed, WOO_LIMITS, type WooApi, type WooLimits } from "./client.ts";
import { openShop, type WoocommerceShop } from "./connect.ts";
import { changedProducts, listedIds } from "./changes.ts";
import { PHP_WARNINGS, readProducts, readShop } from "./read.ts";
import { findVariationRoute } from "./rest-api.ts";
import { checkWoo, WOO_FIELDS } from "./settings.ts";
import { readStore, type WoocommerceStore } from "./store.ts";
import { IN_CATALOG, STORE_PRODUCTS } from "./store-api.ts";
import { receiveHook, WOO_HOOKS } from "./webhooks.ts";

export function wooCommerceConnector(limits: WooLimits): Connector {
  return defineConnector(
    {
      kind: "woocommerce",
      label: "WooCommerce",
      fields: WOO_FIELDS,
      check: checkWoo,
      destination: ({ url = "" }) => url,
      open: openShop,
      probe: probeShop,
      read: readShop,
      hooks: { ...WOO_HOOKS, receive: receiveHook },
      part: {
        changed: changedProducts,
        products: readProducts,
        maxProducts: limits.maxChanged,
        ids: listedIds,
        of: ({ consumer_key: key = "" }) => (key === "" ? [] : ["products", "changes"]),
      },
    },
    limits,
  );
}

export const woocommerce: Connector = wooCommerceConnector(WOO_LIMITS);

const ACCESS: Readonly<Record<WoocommerceShop["access"], string>> = {
  public: "no key: what every visitor sees (Store API v1)",
  basic: "consumer key (REST API v3)",
  query:
    "consumer key, sent in the address because the shop's server drops the Authorization header (REST API v3)",
  oauth: "consumer key, by signed requests (REST API v3)",
};

async function probeShop(shop: WoocommerceShop): Promise<ProbeResult> {
  const { api, access, home, name = "" } = shop;
  const { site } = shop.root;
  const { facts, notes } = access === "public" ? await probeStoreApi(api) : await probeRestApi(shop);
  const own = URL.parse(home ?? "") ?? new URL(site);
  return {
    facts: [...probeFacts({ Shop: plainText(name), Address: site, Access: ACCESS[access] }), ...facts],
    notes: [
      ...probeNotes({
        "The shop is read over plain http: the consumer secret is never sent, but others on the network can read and change the answers. Use https if the shop has it.":
          site.startsWith("http:"),
        [`The shop's own address is ${own.origin}, so product links lead there and not to the address entered.`]:
          own.host !== new URL(site).host,
      }),
      ...notes,
      ...probeNotes({ [PHP_WARNINGS]: api.hasPhpWarnings() }),
    ],
  };
}

async function probeRestApi(shop: WoocommerceShop): Promise<ProbeResult> {
  const { api } = shop;
  const store = await readStore(shop);
  const { currency, weightUnit, showsAsEntered, visitorPlace, baseCountry = "the shop's country" } = store;
  const published = await api.count("wc/v3/products", { status: "publish" });
  const facts = probeFacts({
    WooCommerce: await readVersion(api),
    "Published products": published?.toString(),
    Currency: currency,
    Prices: taxText(store),
    "Weight unit": weightUnit,
    Variations: VARIATION_ROUTES[(await findVariationRoute(api)) ?? "none"],
  });
  const all = await api.count("wc/v3/products", { status: "any" });
  const unpublished = (all ?? 0) - (published ?? 0);
  const notes = probeNotes({
    "The key may not read the shop's currency. Set the currency of the catalog, or prices are rejected.":
      currency === undefined,
    "The key may not read the shop's settings, so weights and sizes have no unit and are left out. A key of a shop manager or administrator may.":
      weightUnit === undefined,
    [`The shop shows each visitor the tax of the visitor's own country. Prices are read with the taxes of ${baseCountry}, calculated with the shop's tax rates.`]:
      showsAsEntered === false && visitorPlace === "geolocated",
    [`Products that are drafts, private or scheduled will be left out: ${unpublished}.`]: unpublished > 0,
  });
  return { facts, notes };
}

const VARIATION_ROUTES = {
  "wc/v3/variations": "read as one list",
  "wc-analytics/variations": "read as one list, through WooCommerce Analytics (slower)",
  none: "requested product by product, which is slow: WooCommerce 10.3 and later list them all",
} as const;

function taxText({ pricesIncludeTax, showsTax, showsAsEntered }: WoocommerceStore): string | undefined {
  if (pricesIncludeTax === undefined || showsTax === undefined) return undefined;
  const entered = `entered ${pricesIncludeTax ? "with" : "without"} tax`;
  return showsAsEntered === true
    ? entered
    : `${entered}, shown ${showsTax ? "with" : "without"} it: read as shown`;
}

async function readVersion(api: WooApi): Promise<string | undefined> {
  const answer = await ifAllowed(api.get("wc/v3/system_status", { _fields: "environment" }));
  return textIn(objectIn(toObject(answer?.body), "environment"), "version");
}

async function probeStoreApi(api: WooApi): Promise<ProbeResult> {
  const query = { ...IN_CATALOG, _fields: "prices" };
  const { rows, total } = await api.first({ route: STORE_PRODUCTS, query }, 1);
  const facts = probeFacts({
    "Products shown": total?.toString(),
    Currency: textIn(objectIn(toObject(rows[0]), "prices"), "currency_code"),
    Prices: "as shown to visitors",
  });
  const notes = [
    "Without a key, the shop provides neither GTINs nor sale dates, sizes, shipping classes and custom fields, and of the stock only whether there is any.",
    "Products that the shop hides from its catalog pages are left out; if it hides what is out of stock, those are missing, too.",
  ];
  return { facts, notes };
}
