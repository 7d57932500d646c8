/** The settings of a Shopify source: the fields of the form, their checks, and the parsed settings. */
import { readCountry } from "../../catalog/vocabulary/places.ts";
import { fullReadCheck, fullReadField } from "../kit/changes.ts";
import {
  apiAddressProblem,
  matching,
  settingFields,
  type SettingProblem,
  settingProblems,
  webAddressProblem,
  withoutEndSlash,
} from "../kit/settings.ts";
import type { SourceSettings } from "../source.ts";
import { webhooksField } from "../kit/webhooks.ts";
import { parseMetafields } from "./metafields.ts";

const YES_NO = ["yes", "no"] as const;

export const SHOPIFY_FIELDS = settingFields({
  shop: {
    label: "Shop",
    help: "The shop's myshopify.com name, such as my-shop or my-shop.myshopify.com. Not the domain customers see.",
    required: true,
  },
  access_token: {
    label: "Access token",
    help: "The Admin API access token of a custom app created in the shop's admin (begins with shpat_). Or use a client id and secret.",
    secret: true,
  },
  client_id: {
    label: "Client id",
    help: "Of an app created in Shopify's Dev Dashboard and installed on the shop. Needs the client secret.",
  },
  client_secret: {
    label: "Client secret",
    help: "Of the same app. It is exchanged for a token at every sync.",
    secret: true,
  },
  api_secret: {
    label: "API secret key",
    help: "Only with an access token, for webhooks: the API secret key of the same custom app. Shopify signs its webhooks with it.",
    secret: true,
  },
  ...webhooksField("The app needs no other scope."),
  published_only: {
    label: "Only products in the Online Store",
    help: "yes leaves out products that are not published to the Online Store. no includes them and needs a URL template.",
    choices: YES_NO,
    default: "yes",
  },
  include_unlisted: {
    label: "Include unlisted products",
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
    help: "For shops with their own storefront: an address that contains {handle}, {product_id}, {variant_id} or {sku}.",
  },
  metafields: {
    label: "Metafields",
    help: "Which metafields fill which fields, one per line: field = namespace.key. A namespace alone stands for Google's attributes in it; none for nothing.",
    default: "mm-google-shopping",
  },
  ...fullReadField(
    24,
    "With a country every sync reads everything, because prices of a market change without a change of the product.",
  ),
  base_url: {
    label: "API address",
    help: "Only for a proxy or a test server: where the API is called instead of the shop's own address.",
  },
});

export type ShopifyCredentials =
  | { readonly kind: "token"; readonly token: string }
  | { readonly kind: "app"; readonly clientId: string; readonly clientSecret: string };

export type ShopifySettings = ReturnType<typeof parseSettings>;

export function parseSettings(settings: SourceSettings) {
  const { shop = "", country = "", metafields = "none", base_url: baseUrl } = settings;
  const parsed = parseMetafields(metafields);
  return {
    /** Where the API is called, without a slash at the end. */
    origin: withoutEndSlash(baseUrl ?? `https://${shopDomain(shop) ?? ""}`),
    credentials: credentialsOf(settings),
    publishedOnly: settings["published_only"] !== "no",
    includeUnlisted: settings["include_unlisted"] === "yes",
    country: readCountry(country) ?? null,
    urlTemplate: settings["url_template"] ?? null,
    metafields: typeof parsed === "string" ? [] : parsed,
  };
}

/** What Shopify signs webhooks with; empty if it is not known. */
export const signingSecret = ({
  client_secret: ofApp,
  api_secret: ofCustomApp = "",
}: SourceSettings): string => ofApp ?? ofCustomApp;

function credentialsOf(settings: SourceSettings): ShopifyCredentials {
  const { access_token: token, client_id: clientId = "", client_secret: clientSecret = "" } = settings;
  return token === undefined ? { kind: "app", clientId, clientSecret } : { kind: "token", token };
}

const PLACEHOLDER = /\{(?:handle|product_id|variant_id|sku)\}/;

export function checkShopify(settings: SourceSettings): readonly SettingProblem[] {
  return [
    ...settingProblems(settings, {
      shop: (text) =>
        shopDomain(text) === null
          ? "Must be the shop's name under myshopify.com, such as my-shop.myshopify.com. It is in the admin under Settings, Domains."
          : null,
      access_token: matching(/^[\x21-\x7e]+$/, "Must be one word without spaces or accents: copy it again."),
      country: (text) =>
        readCountry(text) === undefined ? "Must be a country code of two letters, such as DE." : null,
      url_template: (text) =>
        PLACEHOLDER.test(text)
          ? webAddressProblem(text.replaceAll(/\{\w+\}/g, "x"), { mayHaveQuery: true })
          : "Must contain {handle}, {product_id}, {variant_id} or {sku}.",
      metafields: (text) => {
        const parsed = parseMetafields(text);
        return typeof parsed === "string" ? parsed : null;
      },
      ...fullReadCheck,
      base_url: apiAddressProblem,
    }),
    ...credentialProblems(settings),
    ...linkProblems(settings),
  ];
}

/** Either an access token, or a client id with its secret. */
function* credentialProblems(settings: SourceSettings): Generator<SettingProblem, void, void> {
  const { access_token: token, client_id: id, client_secret: secret } = settings;
  const hasApp = id !== undefined || secret !== undefined;
  if (token !== undefined && hasApp) {
    yield { setting: "access_token", detail: "Cannot be combined with a client id or secret." };
  } else if (token === undefined && !hasApp) {
    yield { setting: "access_token", detail: "Is required, or a client id with its secret." };
  } else if (hasApp && id === undefined) {
    yield { setting: "client_id", detail: "Is required with a client secret." };
  } else if (hasApp && secret === undefined) {
    yield { setting: "client_secret", detail: "Is required with a client id." };
  }
}

function* linkProblems(settings: SourceSettings): Generator<SettingProblem, void, void> {
  if (settings["published_only"] !== "no" || settings["url_template"] !== undefined) return;
  const detail =
    "Is required if products outside the Online Store are included: Shopify has no address for them.";
  yield { setting: "url_template", detail };
}

const NAME = /^[a-z0-9][a-z0-9-]*$/;
const DOMAIN = /^[a-z0-9][a-z0-9-]*\.myshopify\.com$/;
const IN_ADMIN = /^\/store\/([a-z0-9][a-z0-9-]*)(?:\/|$)/;

/**
 * The domain of `my-shop`, `my-shop.myshopify.com`, or an address of the shop or its admin as the browser shows it. The
 * token is sent there, so this returns nothing but names under myshopify.com.
 */
export function shopDomain(text: string): string | null {
  const typed = text.trim().toLowerCase();
  if (NAME.test(typed)) return `${typed}.myshopify.com`;
  const url = URL.parse(typed.includes("://") ? typed : `https://${typed}`);
  if (url === null || !["http:", "https:"].includes(url.protocol)) return null;
  // An address with a user or a port is not one that a browser shows for a shop.
  if (url.username + url.password + url.port !== "") return null;
  if (DOMAIN.test(url.hostname)) return url.hostname;
  const name = url.hostname === "admin.shopify.com" ? IN_ADMIN.exec(url.pathname)?.[1] : undefined;
  return name === undefined ? null : `${name}.myshopify.com`;
}
