/** A first look for the person who connects a shop: does it answer, what is it, and what will be missing. */
import { plainText } from "../../catalog/text.ts";
import type { Probe, SourceSettings } from "../source.ts";
import { totalOf, type WooApi } from "./api.ts";
import { connect, type Connecting, type Shop } from "./connect.ts";
import { type Facts, orNull, readFacts } from "./facts.ts";
import { noiseNotes } from "./noise.ts";
import { isRow, rowIn, rowsIn, textIn } from "./wire.ts";

type Fact = { readonly label: string; readonly value: string };

export async function probeWoo(settings: SourceSettings, connecting: Connecting): Promise<Probe> {
  const shop = await connect(settings, connecting);
  const seen = shop.access === "public" ? await probeStore(shop) : await probeRest(shop);
  const facts = [
    ...(shop.name === null ? [] : [{ label: "Shop", value: plainText(shop.name) }]),
    { label: "Address", value: shop.site },
    { label: "Access", value: ACCESS[shop.access] },
    ...seen.facts,
  ];
  return { facts, notes: [...addressNotes(shop), ...seen.notes, ...noiseNotes(shop.api)] };
}

const ACCESS: Readonly<Record<Shop["access"], string>> = {
  public: "no key: what every visitor sees (Store API v1)",
  basic: "consumer key (REST API v3)",
  query:
    "consumer key, sent in the address because the shop's server drops the Authorization header (REST API v3)",
  oauth: "consumer key, by signed requests (REST API v3)",
};

function addressNotes({ site, home }: Shop): string[] {
  const own = home === null ? null : URL.parse(home);
  const notes: string[] = [];
  if (site.startsWith("http:")) {
    notes.push(
      "The shop is read over plain http: the consumer secret is never sent, but others on the way can read and change the answers. Use https if the shop has it.",
    );
  }
  if (own !== null && own.host !== new URL(site).host) {
    notes.push(
      `The shop calls itself ${own.origin}, so product links lead there and not to the address entered.`,
    );
  }
  return notes;
}

async function probeRest(shop: Shop): Promise<Probe> {
  const { api } = shop;
  const shopFacts = await readFacts(shop);
  const published = await countOf(api, "wc/v3/products", { status: "publish" });
  const version = await versionOf(api);
  const taxes = taxText(shopFacts);
  return {
    facts: [
      ...(version === null ? [] : [{ label: "WooCommerce", value: version }]),
      ...countFact("Published products", published),
      ...(shopFacts.currency === null ? [] : [{ label: "Currency", value: shopFacts.currency }]),
      ...(taxes === null ? [] : [{ label: "Prices", value: taxes }]),
      ...(shopFacts.weightUnit === null ? [] : [{ label: "Weight unit", value: shopFacts.weightUnit }]),
      { label: "Variations", value: await variationWay(api) },
    ],
    notes: [...settingNotes(shopFacts), ...(await unpublishedNotes(api, published))],
  };
}

function taxText({ pricesIncludeTax, showsTax, showsAsEntered }: Facts): string | null {
  if (pricesIncludeTax === null || showsTax === null) return null;
  const entered = `entered ${pricesIncludeTax ? "with" : "without"} tax`;
  return showsAsEntered === true
    ? entered
    : `${entered}, shown ${showsTax ? "with" : "without"} it: read as shown`;
}

function settingNotes({ currency, weightUnit, showsAsEntered, visitorPlace, baseCountry }: Facts): string[] {
  const notes: string[] = [];
  if (currency === null) {
    notes.push(
      "The key may not read the shop's currency. Set the currency of the catalog, or prices are refused.",
    );
  }
  if (weightUnit === null) {
    notes.push(
      "The key may not read the shop's settings, so weights and sizes have no unit and are left out. A key of a shop manager or administrator may.",
    );
  }
  if (showsAsEntered === false && visitorPlace === "geolocated") {
    notes.push(
      `The shop shows each visitor the tax of the visitor's own country. Prices are read with the taxes of ${baseCountry ?? "the shop's country"}, worked out from the shop's tax rates.`,
    );
  }
  return notes;
}

async function unpublishedNotes(api: WooApi, published: number | null): Promise<string[]> {
  const all = await countOf(api, "wc/v3/products", { status: "any" });
  const count = (all ?? 0) - (published ?? 0);
  return count > 0 ? [`Products that are drafts, private or scheduled will be left out: ${count}.`] : [];
}

async function variationWay(api: WooApi): Promise<string> {
  const hasList = async (route: string): Promise<boolean> =>
    (await orNull(api.get(route, { per_page: "1", _fields: "id" }))) !== null;
  if (await hasList("wc/v3/variations")) return "read as one list";
  if (await hasList("wc-analytics/variations")) return "read as one list, by WooCommerce Analytics (slower)";
  return "asked for product by product, which is slow: WooCommerce 10.3 and later list them all";
}

async function versionOf(api: WooApi): Promise<string | null> {
  const answer = await orNull(api.get("wc/v3/system_status", { _fields: "environment" }));
  return isRow(answer?.body) ? (textIn(rowIn(answer.body, "environment"), "version") ?? null) : null;
}

async function probeStore({ api }: Shop): Promise<Probe> {
  const answer = await api.get("wc/store/v1/products", {
    per_page: "1",
    catalog_visibility: "catalog",
    _fields: "prices",
  });
  const [first] = rowsIn({ rows: answer.body }, "rows");
  const currency = first === undefined ? undefined : textIn(rowIn(first, "prices"), "currency_code");
  return {
    facts: [
      ...countFact("Products shown", totalOf(answer)),
      ...(currency === undefined ? [] : [{ label: "Currency", value: currency }]),
      { label: "Prices", value: "as shown to visitors" },
    ],
    notes: STORE_NOTES,
  };
}

const STORE_NOTES: readonly string[] = [
  "Without a key the shop tells neither GTINs nor sale dates, sizes, shipping classes and custom fields, and of the stock only whether there is any.",
  "Products that the shop hides from its catalog pages are left out; if it hides what is out of stock, those are missing, too.",
];

async function countOf(api: WooApi, route: string, query: Record<string, string>): Promise<number | null> {
  return totalOf(await api.get(route, { ...query, per_page: "1", _fields: "id" }));
}

function countFact(label: string, count: number | null): Fact[] {
  return count === null ? [] : [{ label, value: String(count) }];
}
