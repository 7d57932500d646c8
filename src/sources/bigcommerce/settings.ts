/** The settings of a BigCommerce source: what the form asks, what is wrong with them, and what they mean. */
import { apiAddressProblem } from "../api-address.ts";
import type { SettingField, SourceSettings } from "../source.ts";
import { trimEndOf } from "../../lib/trim-text.ts";

const API = "https://api.bigcommerce.com";
/** The first storefront of every store has this number. */
const FIRST_CHANNEL = "1";

export const BIGCOMMERCE_FIELDS: readonly SettingField[] = [
  {
    name: "store_hash",
    label: "Store hash",
    help: "The short code in the API path of your API account: abc123 in https://api.bigcommerce.com/stores/abc123/v3/. The whole API path is fine as well.",
    required: true,
    secret: false,
  },
  {
    name: "access_token",
    label: "Access token",
    help: "Of a store-level API account (Settings, Store-level API accounts) with read-only access to Products, Information & Settings, and Sites & Routes.",
    required: true,
    secret: true,
  },
  {
    name: "channel_id",
    label: "Channel",
    help: "The number of the storefront whose products are read. The first storefront of a store is 1.",
    required: false,
    secret: false,
    default: FIRST_CHANNEL,
  },
  {
    name: "storefront_url",
    label: "Storefront address",
    help: "Where product links begin. Read from the shop; set it only for a storefront that BigCommerce does not host.",
    required: false,
    secret: false,
  },
  {
    name: "variant_links",
    label: "Link to each variant",
    help: "Adds ?sku= to the links of products with several variants. Switch it on only if your theme preselects the variant by it.",
    required: false,
    secret: false,
    choices: ["no", "yes"],
    default: "no",
  },
  {
    name: "base_url",
    label: "API address",
    help: "Advanced: where the API of BigCommerce is reached, if not directly.",
    required: false,
    secret: false,
    default: API,
  },
];

type Problem = { readonly setting: string; readonly detail: string };

/** The code alone, or the API path with it inside, as the control panel shows it. */
const HASH = /^(?:(?:https:\/\/[^/]+)?\/?stores\/)?([a-z0-9]{4,20})(?:\/(?:v[23]\/?)?)?$/i;
/** What can be sent in a header (RFC 9110, 5.5); a line break or a space comes from careless copying. */
const TOKEN = /^[\x21-\x7e]+$/;
const CHANNEL = /^[1-9]\d{0,9}$/;

export function checkBigCommerce(settings: SourceSettings): readonly Problem[] {
  const { store_hash: hash = "", access_token: token = "", channel_id: channel = "" } = settings;
  return [
    ...unless(hash === "" || HASH.test(hash), {
      setting: "store_hash",
      detail: "Must be the store hash (4 to 20 letters and digits) or the API path that contains it.",
    }),
    ...unless(token === "" || TOKEN.test(token), {
      setting: "access_token",
      detail: "Must not hold spaces or line breaks: copy the access token alone.",
    }),
    ...unless(channel === "" || CHANNEL.test(channel), {
      setting: "channel_id",
      detail: "Must be the channel's number, such as 1.",
    }),
    ...storefrontProblems(settings["storefront_url"] ?? ""),
    ...apiProblems(settings["base_url"]),
  ];
}

function unless(isFine: boolean, problem: Problem): Problem[] {
  return isFine ? [] : [problem];
}

function storefrontProblems(text: string): Problem[] {
  if (text === "") return [];
  const setting = "storefront_url";
  const url = URL.parse(text);
  if (url === null || !["https:", "http:"].includes(url.protocol)) {
    return [{ setting, detail: "Must be a full address that begins with https:// or http://." }];
  }
  if (url.username === "" && url.password === "" && url.search === "" && url.hash === "") return [];
  return [{ setting, detail: "Must not hold a user name, a password, or anything after ? or #." }];
}

function apiProblems(baseUrl: string | undefined): Problem[] {
  const detail = baseUrl === undefined ? null : apiAddressProblem(baseUrl);
  return detail === null ? [] : [{ setting: "base_url", detail }];
}

/** The settings, ready to use. */
export type ShopSettings = {
  readonly storeHash: string;
  readonly token: string;
  /** Of this store, with a slash at its end: `…/stores/abc123/`. */
  readonly apiUrl: string;
  readonly channelId: number;
  readonly storefrontUrl: string | null;
  readonly hasVariantLinks: boolean;
};

export function shopSettings(settings: SourceSettings): ShopSettings {
  const storeHash = HASH.exec(settings["store_hash"] ?? "")?.[1]?.toLowerCase() ?? "";
  const base = withoutSlash(settings["base_url"] ?? API);
  return {
    storeHash,
    token: settings["access_token"] ?? "",
    apiUrl: `${base}/stores/${storeHash}/`,
    channelId: Number(settings["channel_id"] ?? FIRST_CHANNEL),
    storefrontUrl: settings["storefront_url"] === undefined ? null : withoutSlash(settings["storefront_url"]),
    hasVariantLinks: settings["variant_links"] === "yes",
  };
}

export function withoutSlash(url: string): string {
  return trimEndOf(url.trim(), /\//);
}
