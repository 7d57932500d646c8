/** The settings of a WooCommerce source: the fields of the form, their checks, and the parsed settings. */
import { trimEndOf } from "../../lib/trim-text.ts";
import { fullReadCheck, fullReadField } from "../kit/changes.ts";
import { matching, settingFields, settingProblems, webAddressProblem } from "../kit/settings.ts";
import { webhooksField } from "../kit/webhooks.ts";
import type { Connector, SourceSettings } from "../source.ts";

export const WOO_FIELDS = settingFields({
  url: {
    label: "Shop address",
    help: "The address of the shop's WordPress, with its folder if it has one: https://shop.example or https://shop.example/store.",
    required: true,
  },
  consumer_key: {
    label: "Consumer key",
    help: "From WooCommerce → Settings → Advanced → REST API, permission Read. Begins with ck_. Leave key and secret empty to read only what every visitor sees.",
    secret: true,
  },
  consumer_secret: {
    label: "Consumer secret",
    help: "Shown once, when the key is created. Begins with cs_.",
    secret: true,
  },
  external_products: {
    label: "External products",
    help: "Whether products that are sold on another site (type External/Affiliate) are items too.",
    choices: ["yes", "no"],
    default: "yes",
  },
  brand_field: {
    label: "Brand attribute or custom field",
    help: "Only if the brand is not in WooCommerce's Brands: the name of the attribute, or the key of the custom field, that holds it.",
  },
  gtin_field: {
    label: "GTIN attribute or custom field",
    help: "Only if GTINs (EAN, UPC, ISBN) are not in WooCommerce's own field: the attribute or custom field that holds them.",
  },
  mpn_field: {
    label: "MPN attribute or custom field",
    help: "The attribute or custom field that holds the manufacturer's part number, if it is not an attribute named MPN.",
  },
  ...webhooksField("The key needs the permission Read/Write."),
  ...fullReadField(24, "Without a key every sync reads everything, because the shop dates nothing."),
});

export const checkWoo: Connector["check"] = (settings) => {
  const inside = "Must not contain a user name or password: the key has settings of its own.";
  const detail = webAddressProblem(settings["url"] ?? "", { mayHaveQuery: true, inside });
  return [...(detail === null ? [] : [{ setting: "url", detail }]), ...keyProblems(settings)];
};

const keyProblems: Connector["check"] = (settings) => {
  const { consumer_key: key = "", consumer_secret: secret = "" } = settings;
  const detail = "Consumer key and consumer secret are needed together.";
  if (key !== "" && secret === "") return [{ setting: "consumer_secret", detail }];
  if (key === "" && secret !== "") return [{ setting: "consumer_key", detail }];
  return settingProblems(settings, {
    consumer_key: matching(/^ck_\w+$/, "Must begin with ck_."),
    consumer_secret: matching(/^cs_\w+$/, "Must begin with cs_."),
    ...fullReadCheck,
  });
};

export type WoocommerceCredentials = { readonly key: string; readonly secret: string };

/** Attributes or custom fields of the shop that have these fields of an item. */
export type FieldNames = { readonly [Field in "brand" | "gtin" | "mpn"]?: string | undefined };

export function parseSettings(settings: SourceSettings) {
  const { url = "", consumer_key: key = "", consumer_secret: secret = "" } = settings;
  const { brand_field: brand, gtin_field: gtin, mpn_field: mpn } = settings;
  const fieldNames: FieldNames = { brand, gtin, mpn };
  return {
    address: siteOf(url),
    credentials: key === "" ? null : { key, secret },
    includesExternal: settings["external_products"] !== "no",
    fieldNames,
  };
}

/** What WordPress adds to the address of the folder that it is installed in. */
const WORDPRESS_PATHS = /\/(?:wp-json|wp-admin|wp-login\.php|index\.php)(?:\/.*)?$/is;

/** The folder that WordPress is installed in, without a slash at the end. Merchants paste any address of their shop. */
export function siteOf(address: string): string {
  const url = new URL(address.trim());
  return url.origin + trimEndOf(url.pathname.replace(WORDPRESS_PATHS, ""), /\//);
}
