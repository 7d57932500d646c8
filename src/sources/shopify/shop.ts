/** The first query to a shop: its name, currency and tax setting, and how many products of which kind it has. */
import { AppError } from "../../errors.ts";
import { flagIn, objectIn, objectsIn, textIn } from "../kit/json.ts";
import type { ReadContext, SourceSettings } from "../source.ts";
import { type AdminApi, adminApi, type ShopifyLimits } from "./client.ts";
import { countIn, type DropReasonName } from "./product.ts";
import { COUNT_QUERY, SHOP_QUERY } from "./queries.ts";
import { parseSettings } from "./settings.ts";

export type ShopifyShop = Awaited<ReturnType<typeof openShop>>;

export async function openShop(
  sourceSettings: SourceSettings,
  context: Pick<ReadContext, "http" | "signal">,
  limits: ShopifyLimits,
) {
  const settings = parseSettings(sourceSettings);
  const api = adminApi(settings, context, limits);
  // The status is always stated: Shopify has changed its default before.
  const filter = settings.includeUnlisted ? "status:active,unlisted" : "status:active";
  return { api, limits, settings, filter, ...(await readFacts(api, filter, settings.includeUnlisted)) };
}

async function readFacts(api: AdminApi, filter: string, includeUnlisted: boolean) {
  const { data } = await api.query({ query: SHOP_QUERY, variables: { filter } });
  const shop = objectIn(data, "shop");
  const currency = textIn(shop, "currencyCode");
  if (currency === undefined) {
    throw new AppError(
      "source_malformed",
      "Shopify did not state which currency the shop sells in, so its prices cannot be read. The next sync tries again.",
    );
  }
  const scopes = objectsIn(objectIn(data, "currentAppInstallation"), "accessScopes");
  return {
    name: textIn(shop, "name") ?? "",
    domain: textIn(shop, "myshopifyDomain") ?? textIn(objectIn(shop, "primaryDomain"), "host") ?? "",
    currency,
    taxesIncluded: flagIn(shop, "taxesIncluded"),
    country: textIn(objectIn(shop, "shopAddress"), "countryCodeV2"),
    plan: textIn(objectIn(shop, "plan"), "publicDisplayName"),
    scopes: scopes.flatMap((scope) => textIn(scope, "handle") ?? []),
    /** Products that a read requests. */
    listed: countIn(data, "listed") ?? 0,
    /** Products that a read does not request, by reason. */
    notRequested: new Map<DropReasonName, number>([
      ["draft", countIn(data, "draft") ?? 0],
      ["archived", countIn(data, "archived") ?? 0],
      ["unlisted", includeUnlisted ? 0 : (countIn(data, "unlisted") ?? 0)],
    ]),
  };
}

/** How many products the shop has now, of those that a read requests. */
export async function countProducts({ api, filter }: Pick<ShopifyShop, "api" | "filter">): Promise<number> {
  const { data } = await api.query({ query: COUNT_QUERY, variables: { filter } });
  return countIn(data, "productsCount") ?? 0;
}
