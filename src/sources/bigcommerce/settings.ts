/** The settings of a BigCommerce source: the fields of the form, their checks, and the parsed settings. */
import { fullReadCheck, fullReadField } from "../kit/changes.ts";
import {
  apiAddressProblem,
  matching,
  settingFields,
  settingProblems,
  webAddressProblem,
  withoutEndSlash,
} from "../kit/settings.ts";
import { webhooksField } from "../kit/webhooks.ts";
import type { Connector, SourceSettings } from "../source.ts";

const API = "https://api.bigcommerce.com";
/** The first storefront of every store has this number. */
const FIRST_CHANNEL = "1";

export const BIGCOMMERCE_FIELDS = settingFields({
  store_hash: {
    label: "Store hash",
    help: "The short code in the API path of your API account: abc123 in https://api.bigcommerce.com/stores/abc123/v3/. The whole API path works as well.",
    required: true,
  },
  access_token: {
    label: "Access token",
    help: "Of a store-level API account (Settings, Store-level API accounts) with read-only access to Products, Information & Settings, and Sites & Routes.",
    required: true,
    secret: true,
  },
  channel_id: {
    label: "Channel",
    help: "The number of the storefront whose products are read. The first storefront of a store is 1.",
    default: FIRST_CHANNEL,
  },
  storefront_url: {
    label: "Storefront address",
    help: "Where product links begin. It is read from the shop; set it only for a storefront that BigCommerce does not host.",
  },
  variant_links: {
    label: "Link to each variant",
    help: "Adds ?sku= to the links of products with several variants. Switch it on only if your theme preselects the variant by it.",
    choices: ["no", "yes"],
    default: "no",
  },
  ...webhooksField("The access token needs no other permission."),
  ...fullReadField(
    6,
    "BigCommerce does not state whether an edit of a single variant dates its product, so everything is read often.",
  ),
  base_url: {
    label: "API address",
    help: "Advanced: where the API of BigCommerce is reached, if not directly.",
    default: API,
  },
});

/** The code alone, or the API path that contains it, as the control panel shows it. */
const HASH = /^(?:(?:https:\/\/[^/]+)?\/?stores\/)?([a-z0-9]{4,20})(?:\/(?:v[23]\/?)?)?$/i;
/** What can be sent in a header (RFC 9110, 5.5). */
const TOKEN = /^[\x21-\x7e]+$/;

export const checkBigCommerce: Connector["check"] = (settings) =>
  settingProblems(settings, {
    store_hash: matching(HASH, "Must be the store hash (4 to 20 letters and digits), or the API path."),
    access_token: matching(TOKEN, "Must not contain spaces or line breaks: copy only the access token."),
    channel_id: matching(/^[1-9]\d{0,9}$/, "Must be the channel's number, such as 1."),
    storefront_url: webAddressProblem,
    ...fullReadCheck,
    base_url: apiAddressProblem,
  });

export type ShopSettings = ReturnType<typeof parseSettings>;

export function parseSettings(settings: SourceSettings) {
  const storeHash = HASH.exec(settings["store_hash"] ?? "")?.[1]?.toLowerCase() ?? "";
  const storefront = settings["storefront_url"];
  return {
    storeHash,
    token: settings["access_token"] ?? "",
    /** Of this store, with a slash at its end. */
    apiUrl: `${withoutEndSlash(settings["base_url"] ?? API)}/stores/${storeHash}/`,
    channelId: Number(settings["channel_id"] ?? FIRST_CHANNEL),
    storefrontUrl: storefront === undefined ? null : withoutEndSlash(storefront),
    hasVariantLinks: settings["variant_links"] === "yes",
  };
}
