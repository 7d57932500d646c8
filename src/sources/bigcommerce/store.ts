/**
 * Values of a store that all products share: currency, units, tax, country, brands, categories, the address of its
 * pages.
 */
import type { JsonObject } from "../../lib/json-object.ts";
import { AppError } from "../../errors.ts";
import { categoryLookup, categoryPath, levelName } from "../kit/categories.ts";
import { orStatus } from "../kit/failure.ts";
import { flagIn, idIn, idsIn, indexById, isFalse, isTrue } from "../kit/json.ts";
import { numberIn, objectIn, objectsIn, textIn, toObject } from "../kit/json.ts";
import { lookup } from "../kit/lookup.ts";
import { withoutEndSlash } from "../kit/settings.ts";
import type { ReadContext, SourceSettings } from "../source.ts";
import { type BigCommerceLimits, PERMISSIONS, type ShopApi, shopApi, STORE_PATH } from "./client.ts";
import { parseSettings, type ShopSettings } from "./settings.ts";

export type BigcommerceShop = Awaited<ReturnType<typeof openShop>>;

export async function openShop(
  settings: SourceSettings,
  context: Pick<ReadContext, "http" | "signal">,
  limits: BigCommerceLimits,
) {
  const parsed = parseSettings(settings);
  const api = shopApi(parsed, context, limits);
  const store = await readStore(api);
  const storefront = await readStorefront(api, parsed, store);
  return { ...parsed, api, limits, store, storefront };
}

export type BigcommerceStore = Awaited<ReturnType<typeof readStore>>;

async function readStore(api: ShopApi) {
  const fields = await api.object({ path: STORE_PATH, needs: PERMISSIONS.information });
  const currency = textIn(fields, "currency");
  if (currency === undefined) {
    throw new AppError(
      "source_malformed",
      "The shop does not state its currency, so its prices mean nothing. Set the currency in the control panel of BigCommerce (Settings, Currencies).",
    );
  }
  const decimals = numberIn(fields, "decimal_places") ?? -1;
  const domain = textIn(fields, "domain");
  const secureUrl = textIn(fields, "secure_url") ?? (domain === undefined ? undefined : `https://${domain}`);
  return {
    name: textIn(fields, "name"),
    currency,
    weightUnit: textIn(fields, "weight_units"),
    dimensionsUnit: textIn(fields, "dimension_units"),
    /** How many decimals the shop shows; it stores four. */
    decimals: Number.isInteger(decimals) && decimals >= 0 && decimals <= 8 ? decimals : undefined,
    /** As entered, which is how the catalog has them. */
    pricesIncludeTax: flagIn(fields, "is_price_entered_with_tax"),
    country: textIn(fields, "country_code"),
    language: textIn(fields, "language"),
    /** `live`, or the reason why shoppers cannot enter. */
    status: textIn(fields, "status"),
    plan: textIn(fields, "plan_name"),
    defaultChannelId: idIn(fields, "default_channel_id"),
    hasSeveralStorefronts: isTrue(objectIn(fields, "features"), "multi_storefront_enabled"),
    /** The address of the default storefront. */
    secureUrl: secureUrl === undefined ? undefined : withoutEndSlash(secureUrl),
  };
}

/**
 * Where product links begin, without a slash at the end. `isChannels` is false for the shop's main address, which is
 * used if the channel's own is not known. A link to another storefront would be wrong, so this never guesses.
 */
async function readStorefront(
  api: ShopApi,
  { channelId, storefrontUrl }: ShopSettings,
  store: BigcommerceStore,
) {
  if (storefrontUrl !== null) return { url: storefrontUrl, isChannels: true };
  const query = { "channel_id:in": channelId, limit: 50 };
  const sites = await orStatus(api.list({ path: "v3/sites", query, needs: PERMISSIONS.sites }), 403, 404);
  const url = typeof sites === "number" ? undefined : siteUrl(sites.rows, channelId);
  if (url !== undefined) return { url: withoutEndSlash(url), isChannels: true };
  const isDefault = channelId === (store.defaultChannelId ?? 1);
  if (isDefault && store.secureUrl !== undefined) return { url: store.secureUrl, isChannels: false };
  const { label, scope } = PERMISSIONS.sites;
  throw sites === 403
    ? new AppError(
        "source_unauthorized",
        `The access token lacks the permission "${label}: read-only" (${scope}), which is needed for the address of channel ${channelId}. Create a new API account with it, or set storefront_url.`,
      )
    : new AppError(
        "source_settings_invalid",
        `Channel ${channelId} has no site of its own, so product links cannot be made. Check channel_id (Channel Manager of the control panel), or set storefront_url to the storefront's address.`,
      );
}

function siteUrl(sites: readonly unknown[], channelId: number): string | undefined {
  const site = sites.map(toObject).find((row) => idIn(row, "channel_id") === channelId) ?? {};
  const primary = objectsIn(site, "urls").find((url) => textIn(url, "type") === "primary");
  return textIn(primary ?? {}, "url") ?? textIn(site, "url");
}

const NO_CATEGORIES =
  "BigCommerce has no category list for this store (v3/catalog/trees and v3/catalog/categories answer with status 404), so items have no categories. If base_url is set, check that it passes these addresses on.";

/** Brand names and category paths. Only visible categories of the channel count. */
export async function readTaxonomy(
  { api, channelId, limits }: BigcommerceShop,
  note: (sentence: string) => void,
) {
  const needs = PERMISSIONS.products;
  const brands = lookup(async (ids) => {
    const query = { "id:in": ids.join(","), limit: ids.length };
    const { rows } = await api.list({ path: "v3/catalog/brands", query, needs });
    return indexById(rows, "id", (brand) => textIn(brand, "name"));
  }, limits);

  const query = { "channel_id:in": channelId };
  const trees = await orStatus(api.list({ path: "v3/catalog/trees", query, needs }), 404);
  const treeIds = trees === 404 ? [] : trees.rows.flatMap((tree) => idIn(toObject(tree)) ?? []);
  const inTrees = treeIds.length === 0 ? {} : { "tree_id:in": treeIds.join(",") };
  /** By tree, or for older stores from the list of all categories, which are those of their only storefront. */
  const lists = [
    ...(trees === 404 ? [] : [["v3/catalog/trees/categories", "category_id", inTrees] as const]),
    ["v3/catalog/categories", "id", {}] as const,
  ];
  const categories = categoryLookup(async (ids) => {
    const shared = { exclude_fields: "description", limit: ids.length };
    for (const [path, idField, filter] of lists) {
      const call = { path, query: { [`${idField}:in`]: ids.join(","), ...filter, ...shared }, needs };
      const list = await orStatus(api.list(call), 404);
      if (list !== 404) return indexById(list.rows, idField, categoryIn);
    }
    note(NO_CATEGORIES);
    return new Map();
  }, limits);

  return {
    /** Loads what these products reference. */
    prepare: async (products: readonly JsonObject[]): Promise<void> => {
      await brands.ensure(products.flatMap((product) => idIn(product, "brand_id") ?? []));
      await categories.ensure(products.flatMap((product) => idsIn(product, "categories")));
    },
    brandOf: (product: JsonObject) => brands.get(idIn(product, "brand_id") ?? 0),
    /** Shoppers do not see a path with a hidden level. */
    categoriesOf: (product: JsonObject): readonly string[] => {
      const paths = idsIn(product, "categories").map((id) => categoryPath(id, categories.get));
      return paths.flatMap(({ path, isVisible }) => (isVisible ? [path] : []));
    },
  };
}

function categoryIn(fields: JsonObject) {
  const name = textIn(fields, "name");
  if (name === undefined) return undefined;
  const isHidden = isFalse(fields, "is_visible");
  return { name: levelName(name), parentId: idIn(fields, "parent_id"), isHidden };
}
