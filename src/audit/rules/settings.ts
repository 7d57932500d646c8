/**
 * Rules about the settings of the catalog, evaluated once per audit. They have no points and are not part of the
 * verdicts: otherwise a missing setting would be stored once per item. The seller name, without which OpenAI refuses
 * every item, is a rule about items (`eligibility.ts`).
 */
import type { CatalogSettings } from "../../catalog/settings.ts";
import { FAIL, NOT_APPLICABLE, PASS } from "../outcome.ts";
import { REFERENCES, type ShopRule, shopRule } from "../rule.ts";

/** Settings that earlier revisions of OpenAI's specification required; its samples still have them. */
const STORE_SETTINGS = {
  storeUrl: "store URL",
  returnPolicyUrl: "return policy URL",
  country: "country",
  targetCountries: "target countries",
} as const satisfies Partial<Record<keyof CatalogSettings, string>>;

function missingSettings(settings: CatalogSettings): string[] {
  const keys = Object.keys(STORE_SETTINGS) as (keyof typeof STORE_SETTINGS)[];
  return keys.filter((key) => settings[key] === undefined).map((key) => STORE_SETTINGS[key]);
}

function missingForCheckout(settings: CatalogSettings): string[] {
  const missing: string[] = [];
  if (settings.eligibleForSearch === false) missing.push("search enabled");
  if (settings.privacyPolicyUrl === undefined) missing.push("the privacy policy URL");
  if (settings.termsUrl === undefined) missing.push("the terms URL");
  return missing;
}

export const SETTINGS_RULES: readonly ShopRule[] = [
  shopRule({
    number: 55,
    id: "eligibility.store_facts",
    title: "Store URL, return policy or countries are not set",
    formats: ["acp", "jsonld"],
    when: "always",
    expects: "Store URL, return policy URL, country and target countries.",
    advice: "Set the missing values in the catalog's settings.",
    reference: REFERENCES.openaiProducts,
    evaluate: ({ settings }) => PASS - (PASS / 4) * missingSettings(settings).length,
    message: ({ settings }) => `Not set: ${missingSettings(settings).join(", ")}.`,
  }),
  shopRule({
    number: 56,
    id: "eligibility.checkout",
    title: "Checkout is requested, but not configured",
    formats: ["acp"],
    when: "when checkout is enabled in the settings",
    expects: "Search enabled, and the URLs of privacy policy and terms. Otherwise checkout stays off.",
    advice: "Enable search and set both URLs, or disable checkout.",
    reference: REFERENCES.openaiProducts,
    evaluate: ({ settings }) => {
      if (settings.eligibleForCheckout !== true) return NOT_APPLICABLE;
      return missingForCheckout(settings).length === 0 ? PASS : FAIL;
    },
    message: ({ settings }) => `Checkout needs ${missingForCheckout(settings).join(", ")}.`,
  }),
];
