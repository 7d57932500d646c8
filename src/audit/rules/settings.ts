/**
 * Rules about the settings of the catalog, evaluated once per audit. They have no points and are in no item's verdict:
 * otherwise a missing setting would be stored once per item.
 */
import type { CatalogSettings } from "../../catalog/settings.ts";
import { FAIL, failIf, PASS, NOT_APPLICABLE } from "../outcome.ts";
import { REFERENCES } from "../references.ts";
import { type ShopRule, shopRule } from "../rule.ts";

/** Settings that earlier revisions of OpenAI's specification required and its samples still have. */
const STORE_SETTINGS = {
  storeUrl: "store address",
  returnPolicyUrl: "return policy address",
  country: "country",
  targetCountries: "target countries",
} as const satisfies Partial<Record<keyof CatalogSettings, string>>;

function missingSettings(settings: CatalogSettings): string[] {
  const keys = Object.keys(STORE_SETTINGS) as (keyof typeof STORE_SETTINGS)[];
  return keys.filter((key) => settings[key] === undefined).map((key) => STORE_SETTINGS[key]);
}

function missingForCheckout(settings: CatalogSettings): string[] {
  const missing: string[] = [];
  if (settings.eligibleForSearch === false) missing.push("search switched on");
  if (settings.privacyPolicyUrl === undefined) missing.push("the privacy policy address");
  if (settings.termsUrl === undefined) missing.push("the address of the terms");
  return missing;
}

export const SETTINGS_RULES: readonly ShopRule[] = [
  shopRule({
    number: 54,
    id: "eligibility.seller_name",
    title: "Seller name is not set",
    formats: ["acp"],
    when: "always",
    expects: "A seller name among the settings; without one the catalog's own name is sent.",
    advice: "Set the name that buyers know the shop by.",
    reference: REFERENCES.openaiProducts,
    evaluate: ({ settings }) => failIf(settings.sellerName === undefined),
    message: () => "No seller name is set.",
  }),
  shopRule({
    number: 55,
    id: "eligibility.store_facts",
    title: "Facts about the store are not set",
    formats: ["acp", "jsonld"],
    when: "always",
    expects: "Store address, return policy address, country and target countries; each earns a quarter.",
    advice: "Set what is missing.",
    reference: REFERENCES.openaiProducts,
    evaluate: ({ settings }) => PASS - (PASS / 4) * missingSettings(settings).length,
    message: ({ settings }) => `Not set: ${missingSettings(settings).join(", ")}.`,
  }),
  shopRule({
    number: 56,
    id: "eligibility.checkout",
    title: "Checkout lacks an address or a setting",
    formats: ["acp"],
    when: "when the catalog asks for checkout",
    expects:
      "Search switched on, and the addresses of privacy policy and terms; otherwise checkout stays off.",
    advice: "Set both addresses, or do not ask for checkout.",
    reference: REFERENCES.openaiProducts,
    evaluate: ({ settings }) => {
      if (settings.eligibleForCheckout !== true) return NOT_APPLICABLE;
      return missingForCheckout(settings).length === 0 ? PASS : FAIL;
    },
    message: ({ settings }) =>
      `Checkout is asked for, but it needs ${missingForCheckout(settings).join(", ")}.`,
  }),
];
