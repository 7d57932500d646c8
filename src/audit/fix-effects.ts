/**
 * Which other rules a fix can change. A description that was missing can be short after the fix, so that
 * `content.description_depth` begins to apply; an image that was missing can be one of three. The findings of these
 * rules are unknown before the fix, so a report states the least and the most that a fix can gain. The test applies
 * fixes and audits again.
 */
import type { ItemRule } from "./rule.ts";

const TEXTS = "content.clean_text";
/** Items are compared with other items by the first words of their titles. */
const COMPARED_BY_TITLE = ["eligibility.link", "eligibility.image_placeholder", "content.description_unique"];
const DESCRIPTION = [
  "content.description_depth",
  "content.description_unique",
  "content.description_neutral",
];
const TITLE = [...COMPARED_BY_TITLE, "content.description_depth", TEXTS];
const GTIN = ["identity.gtin_valid", "identity.gtin_unique"];
const PUBLIC_HOST = "eligibility.public_host";
const URL_LENGTH = "eligibility.url_length";
const IMAGES = [
  PUBLIC_HOST,
  URL_LENGTH,
  "eligibility.https",
  "content.images_extra",
  "identity.variant_image",
];
const VARIANTS = ["identity.group_consistent", "identity.variant_axes", "identity.variant_image"];
const LINKS = [PUBLIC_HOST, URL_LENGTH, "eligibility.https", "identity.variant_link"];
const ADDRESSES = [
  "eligibility.link",
  "eligibility.link_domain",
  "eligibility.image",
  "eligibility.image_placeholder",
  ...IMAGES,
  ...LINKS,
];
const PRICE = [
  "offer.price_plausible",
  "offer.single_currency",
  "offer.sale_below_price",
  "offer.shipping_valid",
];

const EFFECTS: Readonly<Record<string, readonly string[]>> = {
  "eligibility.title": ["content.title_quality", ...TITLE],
  "eligibility.description": [...DESCRIPTION, TEXTS],
  "eligibility.link": ["eligibility.link_domain", ...LINKS],
  "eligibility.link_domain": ["eligibility.link", ...LINKS],
  [PUBLIC_HOST]: ADDRESSES,
  [URL_LENGTH]: ADDRESSES,
  "eligibility.image": ["eligibility.image_placeholder", ...IMAGES],
  "eligibility.image_placeholder": ["eligibility.image", ...IMAGES],
  "eligibility.price": PRICE,
  "eligibility.subscription_price": ["eligibility.price", ...PRICE],
  "eligibility.availability": ["offer.stock_consistent", "offer.availability_date"],
  "eligibility.brand": [
    "identity.identifier_present",
    "identity.identifier_claim",
    "identity.group_consistent",
  ],
  "identity.gtin_valid": ["identity.gtin_unique"],
  "identity.gtin_unique": ["identity.gtin_valid"],
  "identity.gtin_check_digit": [...GTIN, "identity.identifier_present"],
  "identity.identifier_present": [
    ...GTIN,
    "identity.gtin_check_digit",
    "identity.identifier_claim",
    "identity.group_consistent",
    "eligibility.brand",
  ],
  "identity.identifier_claim": ["identity.identifier_present"],
  "identity.group_consistent": ["eligibility.brand", "identity.variant_axes", "identity.variant_image"],
  "identity.variant_axes": ["identity.group_consistent", "identity.variant_image", "class.attributes"],
  "identity.variant_link": ["eligibility.link", PUBLIC_HOST, "eligibility.https"],
  "identity.variant_image": [
    "eligibility.image_placeholder",
    PUBLIC_HOST,
    "eligibility.https",
    "content.images_extra",
  ],
  "offer.sale_below_price": ["eligibility.price", "eligibility.subscription_price"],
  "offer.single_currency": ["offer.price_plausible", "offer.sale_below_price", "offer.shipping_valid"],
  "offer.price_plausible": ["offer.sale_below_price"],
  "offer.stock_consistent": ["offer.availability_date"],
  "content.title_quality": ["eligibility.title", ...TITLE],
  "content.description_depth": ["eligibility.description", ...DESCRIPTION, TEXTS],
  "content.description_unique": ["eligibility.description", ...DESCRIPTION, TEXTS],
  "content.description_neutral": ["eligibility.description", ...DESCRIPTION, TEXTS],
  [TEXTS]: [
    "eligibility.title",
    "eligibility.description",
    "content.title_quality",
    ...TITLE,
    ...DESCRIPTION,
  ],
  "class.category": ["class.apparel"],
  "class.apparel": ["class.attributes", "class.color", ...VARIANTS],
  "class.attributes": ["class.apparel", "class.color", ...VARIANTS],
  "class.color": VARIANTS,
};

/** Rules whose value can be removed instead of corrected. After the removal the rule no longer applies. */
const REMOVABLE: ReadonlySet<string> = new Set([
  "identity.identifier_present",
  "identity.identifier_claim",
  "identity.gtin_check_digit",
  "offer.sale_below_price",
  "offer.shipping_valid",
  "class.color",
  "fresh.expiry",
]);

export const isRemovable = ({ id }: ItemRule): boolean => REMOVABLE.has(id);

/** Lists, for the position of each rule, the positions of the other rules that a fix can change. */
export function fixEffects(rules: readonly ItemRule[]): readonly (readonly number[])[] {
  return rules.map(({ id }) => [
    ...new Set(
      (EFFECTS[id] ?? []).flatMap((effect) => {
        const at = rules.findIndex((rule) => rule.id === effect);
        return effect === id || at < 0 ? [] : [at];
      }),
    ),
  ]);
}
