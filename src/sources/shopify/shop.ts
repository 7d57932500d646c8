/** The first question to a shop: who it is, what it sells in, and how many products of which kind it has. */
import { AppError } from "../../errors.ts";
import type { AdminApi } from "./admin-api.ts";
import { flagAt, type JsonObject, numberAt, objectAt, objectsAt, textAt } from "./json.ts";
import type { LeftOutReason } from "./left-out.ts";
import { COUNT_QUERY, SHOP_QUERY } from "./queries.ts";
import type { ShopifySettings } from "./settings.ts";

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
  readonly notAskedFor: ReadonlyMap<LeftOutReason, number>;
};

/** Status is always said: what Shopify takes for granted has changed before. */
export function productFilter({ includeUnlisted }: Pick<ShopifySettings, "includeUnlisted">): string {
  return includeUnlisted ? "status:active,unlisted" : "status:active";
}

export async function readShop(
  api: AdminApi,
  settings: Pick<ShopifySettings, "includeUnlisted">,
): Promise<Shop> {
  const { data } = await api.ask({ query: SHOP_QUERY, variables: { filter: productFilter(settings) } });
  const shop = objectAt(data, "shop");
  const currency = textAt(shop, "currencyCode");
  if (currency === undefined) {
    throw new AppError(
      "source_malformed",
      "Shopify did not say which currency the shop sells in, so its prices cannot be read. The next sync asks again.",
    );
  }
  const unlisted = settings.includeUnlisted ? 0 : countAt(data, "unlisted");
  return {
    name: textAt(shop, "name") ?? "",
    domain: textAt(shop, "myshopifyDomain") ?? textAt(objectAt(shop, "primaryDomain"), "host") ?? "",
    currency,
    taxesIncluded: flagAt(shop, "taxesIncluded"),
    country: textAt(objectAt(shop, "shopAddress"), "countryCodeV2"),
    plan: textAt(objectAt(shop, "plan"), "publicDisplayName"),
    scopes: scopesIn(data),
    listed: countAt(data, "listed"),
    notAskedFor: new Map<LeftOutReason, number>([
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
  return numberAt(objectAt(data, key), "count") ?? 0;
}

function scopesIn(data: JsonObject): readonly string[] {
  const scopes = objectsAt(objectAt(data, "currentAppInstallation"), "accessScopes");
  return scopes.flatMap((scope) => textAt(scope, "handle") ?? []);
}
