/** The settings of a WooCommerce shop: what the form asks, what is wrong with them, and what they mean. */
import type { SettingField, SourceSettings } from "../source.ts";

export const WOO_FIELDS: readonly SettingField[] = [
  {
    name: "url",
    label: "Shop address",
    help: "The address of the shop's WordPress, with its folder if it has one: https://shop.example or https://shop.example/store.",
    required: true,
    secret: false,
  },
  {
    name: "consumer_key",
    label: "Consumer key",
    help: "From WooCommerce → Settings → Advanced → REST API, permission Read. Begins with ck_. Leave key and secret empty to read only what every visitor sees.",
    required: false,
    secret: true,
  },
  {
    name: "consumer_secret",
    label: "Consumer secret",
    help: "Shown once, when the key is made. Begins with cs_.",
    required: false,
    secret: true,
  },
  {
    name: "external_products",
    label: "External products",
    help: "Whether products that are sold on another site (type External/Affiliate) are items too.",
    required: false,
    secret: false,
    choices: ["yes", "no"],
    default: "yes",
  },
  {
    name: "brand_field",
    label: "Brand attribute or custom field",
    help: "Only if the brand is not in WooCommerce's Brands: the name of the attribute, or the key of the custom field, that holds it.",
    required: false,
    secret: false,
  },
  {
    name: "gtin_field",
    label: "GTIN attribute or custom field",
    help: "Only if GTINs (EAN, UPC, ISBN) are not in WooCommerce's own field: the attribute or custom field that holds them.",
    required: false,
    secret: false,
  },
  {
    name: "mpn_field",
    label: "MPN attribute or custom field",
    help: "The attribute or custom field that holds the manufacturer's part number, if it is not an attribute named MPN.",
    required: false,
    secret: false,
  },
];

export type Credentials = { readonly key: string; readonly secret: string };

/** Fields of the item that the shop keeps in an attribute or custom field of this name. */
export type OwnFields = { readonly [Field in "brand" | "gtin" | "mpn"]?: string };

type Problem = { readonly setting: string; readonly detail: string };

export function checkWoo(settings: SourceSettings): readonly Problem[] {
  return [...addressProblems(settings["url"] ?? ""), ...keyProblems(settings)];
}

function addressProblems(text: string): Problem[] {
  const url = URL.parse(text);
  if (url === null || !["http:", "https:"].includes(url.protocol)) {
    return [{ setting: "url", detail: "Must be a full address that begins with https:// or http://." }];
  }
  if (url.username === "" && url.password === "") return [];
  return [
    { setting: "url", detail: "Must not hold a user name or password: the key has settings of its own." },
  ];
}

function keyProblems(settings: SourceSettings): Problem[] {
  const key = settings["consumer_key"] ?? "";
  const secret = settings["consumer_secret"] ?? "";
  if (key === "" && secret === "") return [];
  if (secret === "") return [{ setting: "consumer_secret", detail: "Is needed with a consumer key." }];
  if (key === "") return [{ setting: "consumer_key", detail: "Is needed with a consumer secret." }];
  return [
    ...(/^ck_\w+$/.test(key) ? [] : [{ setting: "consumer_key", detail: "Must begin with ck_." }]),
    ...(/^cs_\w+$/.test(secret) ? [] : [{ setting: "consumer_secret", detail: "Must begin with cs_." }]),
  ];
}

export function credentialsOf(settings: SourceSettings): Credentials | null {
  const { consumer_key: key = "", consumer_secret: secret = "" } = settings;
  return key === "" || secret === "" ? null : { key, secret };
}

export function ownFieldsOf({ brand_field, gtin_field, mpn_field }: SourceSettings): OwnFields {
  return {
    ...(brand_field ? { brand: brand_field } : {}),
    ...(gtin_field ? { gtin: gtin_field } : {}),
    ...(mpn_field ? { mpn: mpn_field } : {}),
  };
}

export function takesExternal(settings: SourceSettings): boolean {
  return settings["external_products"] !== "no";
}
