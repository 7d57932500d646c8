/**
 * What holds for every product of the shop: currency, units, tax, country, and where its pages are. Without the
 * currency no price means anything, so a shop that does not tell it is not read.
 */
import { AppError } from "../../errors.ts";
import type { ShopApi } from "./api.ts";
import { PERMISSIONS, STORE_PATH } from "./failures.ts";
import { type ShopSettings, withoutSlash } from "./settings.ts";
import { asFields, type Fields, idIn, isTrue, numberIn, objectsIn, objectsOf, textIn } from "./wire.ts";

export type Store = {
  readonly name: string | undefined;
  readonly currency: string;
  readonly weightUnit: string | undefined;
  readonly dimensionsUnit: string | undefined;
  /** How many decimals the shop shows, though it keeps four. */
  readonly decimals: number | undefined;
  /** As entered, which is how the catalog has them. Undefined if the shop does not say. */
  readonly pricesIncludeTax: boolean | undefined;
  readonly country: string | undefined;
  readonly language: string | undefined;
  /** `live`, or what keeps shoppers out. */
  readonly status: string | undefined;
  readonly plan: string | undefined;
  readonly defaultChannelId: number | undefined;
  readonly hasSeveralStorefronts: boolean;
  /** The address of the default storefront. */
  readonly secureUrl: string | undefined;
};

export async function readStore(api: ShopApi): Promise<Store> {
  const fields = (await api.one({ path: STORE_PATH, needs: PERMISSIONS.information })) ?? {};
  const currency = textIn(fields, "currency");
  if (currency === undefined) {
    throw new AppError(
      "source_malformed",
      "The shop does not tell its currency, so its prices mean nothing. Set the currency in the control panel of BigCommerce (Settings, Currencies).",
    );
  }
  const secureUrl = textIn(fields, "secure_url") ?? fromDomain(textIn(fields, "domain"));
  return {
    name: textIn(fields, "name"),
    currency,
    weightUnit: textIn(fields, "weight_units"),
    dimensionsUnit: textIn(fields, "dimension_units"),
    decimals: decimalsIn(fields),
    pricesIncludeTax: flagOf(fields["is_price_entered_with_tax"]),
    country: textIn(fields, "country_code"),
    language: textIn(fields, "language"),
    status: textIn(fields, "status"),
    plan: textIn(fields, "plan_name"),
    defaultChannelId: idIn(fields, "default_channel_id"),
    hasSeveralStorefronts: isTrue(asFields(fields["features"]) ?? {}, "multi_storefront_enabled"),
    secureUrl: secureUrl === undefined ? undefined : withoutSlash(secureUrl),
  };
}

function fromDomain(domain: string | undefined): string | undefined {
  return domain === undefined ? undefined : `https://${domain}`;
}

function decimalsIn(fields: Fields): number | undefined {
  const places = numberIn(fields, "decimal_places");
  return places !== undefined && Number.isInteger(places) && places >= 0 && places <= 8 ? places : undefined;
}

function flagOf(value: unknown): boolean | undefined {
  return typeof value === "boolean" ? value : undefined;
}

export type Storefront = {
  /** Where product links begin, without a slash at the end. */
  readonly url: string;
  /** `store`: the shop's main address, because the channel's own could not be asked for. */
  readonly from: "setting" | "site" | "store";
};

/** Where the channel's pages are. Links that lead to another storefront would be wrong, so this never guesses. */
export async function readStorefront(
  api: ShopApi,
  settings: ShopSettings,
  store: Store,
): Promise<Storefront> {
  const { channelId, storefrontUrl } = settings;
  if (storefrontUrl !== null) return { url: storefrontUrl, from: "setting" };
  const sites = await api.listIfAllowed({
    path: "v3/sites",
    params: { "channel_id:in": channelId, limit: 50 },
    needs: PERMISSIONS.sites,
  });
  const url = typeof sites === "number" ? undefined : addressOf(sites.rows, channelId);
  if (url !== undefined) return { url, from: "site" };
  const isDefault = channelId === (store.defaultChannelId ?? 1);
  if (isDefault && store.secureUrl !== undefined) return { url: store.secureUrl, from: "store" };
  throw noAddress(channelId, sites === 403);
}

function addressOf(rows: readonly unknown[], channelId: number): string | undefined {
  const site = objectsOf(rows).find((fields) => idIn(fields, "channel_id") === channelId);
  const url = site && (primaryOf(site) ?? textIn(site, "url"));
  return url === undefined ? undefined : withoutSlash(url);
}

function primaryOf(site: Fields): string | undefined {
  const primary = objectsIn(site, "urls").find((url) => textIn(url, "type") === "primary");
  return primary === undefined ? undefined : textIn(primary, "url");
}

function noAddress(channelId: number, isForbidden: boolean): AppError {
  const { label, scope } = PERMISSIONS.sites;
  return isForbidden
    ? new AppError(
        "source_unauthorized",
        `The access token lacks the permission "${label}: read-only" (${scope}), which tells the address of channel ${channelId}. Create a new API account with it, or set storefront_url.`,
      )
    : new AppError(
        "source_settings_invalid",
        `Channel ${channelId} has no site of its own, so product links cannot be made. Check channel_id (Channel Manager of the control panel), or set storefront_url to the storefront's address.`,
      );
}
