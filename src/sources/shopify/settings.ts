/** The settings of a Shopify shop: what the form asks, what is wrong with them, and what they mean for a read. */
import { readCountry } from "../../catalog/vocabulary/places.ts";
import { AppError } from "../../errors.ts";
import { apiAddressProblem, settingFields, type SettingProblem, webAddressProblem } from "../kit/settings.ts";
import type { SourceSettings } from "../source.ts";
import { type MetafieldRule, parseMetafields } from "./metafields.ts";
import { shopDomain } from "./shop-domain.ts";
import { trimEndOf } from "../../lib/trim-text.ts";

const YES_NO = ["yes", "no"] as const;

export const SHOPIFY_FIELDS = settingFields({
  shop: {
    label: "Shop",
    help: "The shop's myshopify.com name, such as my-shop or my-shop.myshopify.com. Not the domain customers see.",
    required: true,
  },
  access_token: {
    label: "Access token",
    help: "The Admin API access token of a custom app made in the shop's admin (begins with shpat_). Or use a client id and secret.",
    secret: true,
  },
  client_id: {
    label: "Client id",
    help: "Of an app made in Shopify's Dev Dashboard and installed on the shop. Needs the client secret.",
  },
  client_secret: {
    label: "Client secret",
    help: "Of the same app. A token is asked for with it at every sync.",
    secret: true,
  },
  published_only: {
    label: "Only what the Online Store shows",
    help: "yes leaves out products that are not published to the Online Store. no takes them too and needs a URL template.",
    choices: YES_NO,
    default: "yes",
  },
  include_unlisted: {
    label: "Take unlisted products",
    help: "Unlisted products are meant to be found by their link only, so they are left out unless this is yes.",
    choices: YES_NO,
    default: "no",
  },
  country: {
    label: "Country for prices",
    help: "Two letters, such as DE: prices are those of the market this country belongs to. Without it they are the shop's own.",
  },
  url_template: {
    label: "URL template",
    help: "For shops with a storefront of their own: an address with {handle}, {product_id}, {variant_id} or {sku} in it.",
  },
  metafields: {
    label: "Metafields",
    help: "Which metafields fill which fields, one a line: field = namespace.key. A namespace alone stands for Google's attributes in it; none for nothing.",
    default: "mm-google-shopping",
  },
  base_url: {
    label: "API address",
    help: "Only for a proxy or a test server: where the API is called instead of the shop's own address.",
  },
});

export type Credentials =
  | { readonly kind: "token"; readonly token: string }
  | { readonly kind: "app"; readonly clientId: string; readonly clientSecret: string };

export type ShopifySettings = {
  /** Where the API is called, without a slash at the end. */
  readonly origin: string;
  readonly credentials: Credentials;
  readonly publishedOnly: boolean;
  readonly includeUnlisted: boolean;
  readonly country: string | null;
  readonly urlTemplate: string | null;
  readonly metafields: readonly MetafieldRule[];
};

export function checkShopify(settings: SourceSettings): readonly SettingProblem[] {
  return [
    ...shopProblems(settings),
    ...credentialProblems(settings),
    ...countryProblems(settings),
    ...templateProblems(settings),
    ...metafieldProblems(settings),
    ...apiProblems(settings["base_url"]),
  ];
}

/** What the settings mean. They have been checked before they were stored; what slipped through fails here. */
export function readShopifySettings(settings: SourceSettings): ShopifySettings {
  const [problem] = checkShopify(settings);
  if (problem !== undefined) {
    const { setting, detail } = problem;
    throw new AppError("source_settings_invalid", `The setting ${setting} cannot be used. ${detail}`);
  }
  const { shop = "", country = "", metafields = "none", base_url: baseUrl } = settings;
  const parsed = parseMetafields(metafields);
  return {
    origin: trimEndOf(baseUrl ?? `https://${shopDomain(shop)}`, /\//),
    credentials: credentialsOf(settings),
    publishedOnly: settings["published_only"] !== "no",
    includeUnlisted: settings["include_unlisted"] === "yes",
    country: readCountry(country) ?? null,
    urlTemplate: settings["url_template"] ?? null,
    metafields: parsed.kind === "valid" ? parsed.rules : [],
  };
}

function shopProblems({ shop }: SourceSettings): SettingProblem[] {
  if (shopDomain(shop ?? "") !== null) return [];
  const detail =
    "Must be the shop's name under myshopify.com, such as my-shop.myshopify.com. It is in the admin under Settings, Domains.";
  return [{ setting: "shop", detail }];
}

function credentialProblems(settings: SourceSettings): SettingProblem[] {
  const { access_token: token, client_id: id, client_secret: secret } = settings;
  if (token !== undefined && (id !== undefined || secret !== undefined)) {
    return [{ setting: "access_token", detail: "Must not be given together with a client id or secret." }];
  }
  if (token !== undefined) return isHeaderText(token) ? [] : [unsendable("access_token")];
  if (id === undefined && secret === undefined) {
    return [{ setting: "access_token", detail: "Is needed, or else a client id with its secret." }];
  }
  if (id === undefined) return [{ setting: "client_id", detail: "Is needed with a client secret." }];
  return secret === undefined ? [{ setting: "client_secret", detail: "Is needed with a client id." }] : [];
}

function credentialsOf(settings: SourceSettings): Credentials {
  const { access_token: token, client_id: clientId = "", client_secret: clientSecret = "" } = settings;
  return token === undefined ? { kind: "app", clientId, clientSecret } : { kind: "token", token };
}

function isHeaderText(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}

function unsendable(setting: string): SettingProblem {
  return { setting, detail: "Must be one word without spaces or accents: copy it again." };
}

function countryProblems({ country }: SourceSettings): SettingProblem[] {
  if (country === undefined || readCountry(country) !== undefined) return [];
  return [{ setting: "country", detail: "Must be a country code of two letters, such as DE." }];
}

const PLACEHOLDER = /\{(?:handle|product_id|variant_id|sku)\}/;

function templateProblems(settings: SourceSettings): SettingProblem[] {
  const { url_template: template, published_only: publishedOnly } = settings;
  if (template === undefined) {
    if (publishedOnly !== "no") return [];
    const detail =
      "Is needed when products outside the Online Store are taken: Shopify knows no address for them.";
    return [{ setting: "url_template", detail }];
  }
  if (!PLACEHOLDER.test(template)) {
    return [{ setting: "url_template", detail: "Must hold {handle}, {product_id}, {variant_id} or {sku}." }];
  }
  return addressProblems("url_template", template.replaceAll(/\{\w+\}/g, "x"));
}

function metafieldProblems({ metafields }: SourceSettings): SettingProblem[] {
  const parsed = parseMetafields(metafields ?? "none");
  return parsed.kind === "valid" ? [] : [{ setting: "metafields", detail: parsed.detail }];
}

function addressProblems(setting: string, text: string): SettingProblem[] {
  const detail = webAddressProblem(text, { mayHaveQuery: true });
  return detail === null ? [] : [{ setting, detail }];
}

function apiProblems(baseUrl: string | undefined): SettingProblem[] {
  const detail = baseUrl === undefined ? null : apiAddressProblem(baseUrl);
  return detail === null ? [] : [{ setting: "base_url", detail }];
}
