/** The settings of a WooCommerce shop: what the form asks, what is wrong with them, and what they mean. */
import { settingFields, type SettingProblem, webAddressProblem } from "../kit/settings.ts";
import type { SourceSettings } from "../source.ts";

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
    help: "Shown once, when the key is made. Begins with cs_.",
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
});

export type Credentials = { readonly key: string; readonly secret: string };

/** Fields of the item that the shop keeps in an attribute or custom field of this name. */
export type OwnFields = { readonly [Field in "brand" | "gtin" | "mpn"]?: string };

export function checkWoo(settings: SourceSettings): readonly SettingProblem[] {
  return [...addressProblems(settings["url"] ?? ""), ...keyProblems(settings)];
}

function addressProblems(text: string): SettingProblem[] {
  const inside = "Must not contain a user name or password: the key has settings of its own.";
  const detail = webAddressProblem(text, { mayHaveQuery: true, inside });
  return detail === null ? [] : [{ setting: "url", detail }];
}

function keyProblems(settings: SourceSettings): SettingProblem[] {
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
