/** The first question to a shop: who it is, what it sells in, and how many products of which kind it has. */
import { AppError } from "../../errors.ts";
import type { ReadContext, SourceSettings } from "../source.ts";
import { type AdminApi, adminApi } from "./admin-api.ts";
import type { ShopifyLimits } from "./limits.ts";
import { flagIn, type JsonObject, numberIn, objectIn, objectsIn, textIn } from "../kit/json.ts";
import type { DropReasonName } from "./drop-reasons.ts";
import { COUNT_QUERY, SHOP_QUERY } from "./queries.ts";
import { readShopifySettings, type ShopifySettings } from "./settings.ts";

export type Shop = {
  readonly name: string;
  readonly domain: string;
  readonly currency: string;
  readonly taxesIncluded: boolean | undefined;
  readonly country: string | undefined;
  readonly plan: string | undefined;
  readonly scopes: readonly string[];
  /** Products that a read will ask for. */
  readonly listed: number;
  /** Products that a read will not ask for, by reason. */
  readonly notAskedFor: ReadonlyMap<DropReasonName, number>;
};

export type OpenShop = Awaited<ReturnType<typeof openShop>>;

export async function openShop(
  sourceSettings: SourceSettings,
  context: Pick<ReadContext, "http" | "signal">,
  limits: ShopifyLimits,
) {
  const settings = readShopifySettings(sourceSettings);
  const api = adminApi(settings, context, limits);
  return { api, limits, settings, shop: await readShop(api, settings) };
}

/** The status is always stated: the default of Shopify has changed before. */
export function productFilter({ includeUnlisted }: Pick<ShopifySettings, "includeUnlisted">): string {
  return includeUnlisted ? "status:active,unlisted" : "status:active";
}

async function readShop(api: AdminApi, settings: Pick<ShopifySettings, "includeUnlisted">): Promise<Shop> {
  const { data } = await api.ask({ query: SHOP_QUERY, variables: { filter: productFilter(settings) } });
  const shop = objectIn(data, "shop");
  const currency = textIn(shop, "currencyCode");
  if (currency === undefined) {
    throw new AppError(
      "source_malformed",
      "Shopify did not say which currency the shop sells in, so its prices cannot be read. The next sync asks again.",
    );
  }
  const unlisted = settings.includeUnlisted ? 0 : countAt(data, "unlisted");
  return {
    name: textIn(shop, "name") ?? "",
    domain: textIn(shop, "myshopifyDomain") ?? textIn(objectIn(shop, "primaryDomain"), "host") ?? "",
    currency,
    taxesIncluded: flagIn(shop, "taxesIncluded"),
    country: textIn(objectIn(shop, "shopAddress"), "countryCodeV2"),
    plan: textIn(objectIn(shop, "plan"), "publicDisplayName"),
    scopes: scopesIn(data),
    listed: countAt(data, "listed"),
    notAskedFor: new Map<DropReasonName, number>([
      ["draft", countAt(data, "draft")],
      ["archived", countAt(data, "archived")],
      ["unlisted", unlisted],
    ]),
  };
}

/** How many products the shop has now, of those that a read asks for. */
export async function countProducts(api: AdminApi, filter: string): Promise<number> {
  const { data } = await api.ask({ query: COUNT_QUERY, variables: { filter } });
  return countAt(data, "productsCount");
}

function countAt(data: JsonObject, key: string): number {
  return numberIn(objectIn(data, key), "count") ?? 0;
}

function scopesIn(data: JsonObject): readonly string[] {
  const scopes = objectsIn(objectIn(data, "currentAppInstallation"), "accessScopes");
  return scopes.flatMap((scope) => textIn(scope, "handle") ?? []);
}
