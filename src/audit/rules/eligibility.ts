/** Rules about values that an item cannot be listed without: its fields, the URLs of page and images, and settings. */
import { isBrandFiller, isMeaningful, isPlaceholder } from "../../catalog/filler-words.ts";
import type { Item } from "../../catalog/item.ts";
import { isZero } from "../../catalog/money.ts";
import { offerAt } from "../../catalog/price-now.ts";
import type { CatalogSettings } from "../../catalog/settings.ts";
import { isLonger, lengthOf } from "../../lib/text-length.ts";
import { CHANNEL_LIMITS } from "../channel-limits.ts";
import { MAX_SHARED_KEYS } from "../key-tables.ts";
import { FAIL, failIf, NOT_APPLICABLE, type Outcome, PASS, UNKNOWN } from "../outcome.ts";
import {
  ALL_FORMATS,
  firstProblem,
  itemRule,
  type ItemRule,
  quoted,
  REFERENCES,
  type RuleCheck,
  type RuleContext,
  type ShopRule,
  shopRule,
} from "../rule.ts";
import { isHomePage } from "../url-checks.ts";

const hasNoDescription = ({ description }: Item, context: RuleContext) =>
  !isMeaningful(description) || context.description.isDummy;

function isInFreeSale(item: Item, now: string): boolean {
  return item.salePrice !== undefined && isZero(item.salePrice) && isZero(offerAt(item, new Date(now)).price);
}

export const ELIGIBILITY_RULES: readonly ItemRule[] = [
  itemRule({
    number: 1,
    id: "eligibility.id",
    title: "Id is too long for Google",
    field: "id",
    points: 1,
    severity: "critical",
    blocks: ["gmc"],
    expects: `At most ${CHANNEL_LIMITS.id} characters. Ids are checked for uniqueness before an item is stored.`,
    advice: "Give the item a shorter id and keep it: channels treat a new id as a new product.",
    reference: REFERENCES.productData,
    found: ({ id }) => isLonger(id, CHANNEL_LIMITS.id),
    message: ({ id }) => `The id has ${lengthOf(id)} characters; Google accepts ${CHANNEL_LIMITS.id}.`,
  }),
  itemRule({
    number: 2,
    id: "eligibility.title",
    title: "Title is a placeholder or too long",
    field: "title",
    points: 4,
    severity: "critical",
    blocks: ["acp", "gmc"],
    expects: `A product name, not a filler word or dummy text such as "Item 1". Two thirds of the points for a title longer than ${CHANNEL_LIMITS.title} characters, which is cut.`,
    advice: `Name the product in at most ${CHANNEL_LIMITS.title} characters, the most important words first.`,
    reference: REFERENCES.openaiProducts,
    ...firstProblem(
      {
        earned: FAIL,
        found: ({ title }, { isDummyTitle }) => isDummyTitle || isPlaceholder(title),
        message: ({ title }) => `The title ${quoted(title)} is a placeholder.`,
      },
      {
        earned: 8,
        found: ({ title }) => isLonger(title, CHANNEL_LIMITS.title),
        message: ({ title }) =>
          `The title has ${lengthOf(title)} characters; channels show ${CHANNEL_LIMITS.title}.`,
      },
    ),
  }),
  itemRule({
    number: 3,
    id: "eligibility.description",
    title: "Description is missing, a placeholder or too long",
    field: "description",
    points: 4,
    severity: "critical",
    blocks: ["acp", "gmc"],
    expects: `A text, not a filler word or dummy text such as "Lorem ipsum". Two thirds of the points for a description longer than ${CHANNEL_LIMITS.description} characters, which is cut.`,
    advice: "Describe what the product is, what it is made of and what it is for, in plain text.",
    reference: REFERENCES.description,
    ...firstProblem(
      {
        earned: FAIL,
        found: hasNoDescription,
        message: ({ description }) =>
          description === undefined
            ? "The item has no description."
            : `The description ${quoted(description)} is a placeholder.`,
      },
      {
        earned: 8,
        found: ({ description = "" }) => isLonger(description, CHANNEL_LIMITS.description),
        message: ({ description = "" }) =>
          `The description has ${lengthOf(description)} characters; channels show ${CHANNEL_LIMITS.description}.`,
      },
    ),
  }),
  itemRule({
    number: 9,
    id: "eligibility.price",
    title: "Price is zero",
    field: "price",
    points: 2,
    severity: "critical",
    blocks: ALL_FORMATS,
    expects: "An amount above zero, also while a sale runs.",
    advice: "Set the price, or remove the item from the catalog while it is not for sale.",
    reference: REFERENCES.price,
    found: (item, { shop }) => isZero(item.price) || isInFreeSale(item, shop.now),
    message: ({ price }) => (isZero(price) ? "The price is zero." : "The price is zero while the sale runs."),
  }),
  itemRule({
    number: 10,
    id: "eligibility.availability",
    title: "Availability is missing",
    field: "availability",
    points: 2,
    severity: "critical",
    blocks: ["gmc"],
    expects: "In stock, out of stock, preorder or backorder.",
    advice: "Add a stock status to the source: in stock, out of stock, preorder or backorder.",
    reference: REFERENCES.availability,
    found: ({ availability }) => availability === "unknown",
    message: () => "The source does not say whether the item is in stock.",
  }),
  itemRule({
    number: 11,
    id: "eligibility.brand",
    title: "Brand is missing",
    field: "brand",
    points: 2,
    severity: "critical",
    blocks: ["acp"],
    expects: `A brand name, not a filler word. A third of the points for a word that Google does not accept as a brand, two thirds for a brand longer than ${CHANNEL_LIMITS.brand} characters.`,
    advice:
      "Add the brand. If you make the products yourself, use your shop's name: set it once as the catalog's default brand.",
    reference: REFERENCES.openaiProducts,
    ...firstProblem(
      {
        earned: FAIL,
        found: ({ brand }) => !isMeaningful(brand),
        message: ({ brand }) =>
          brand === undefined ? "The item has no brand." : `The brand ${quoted(brand)} is a placeholder.`,
      },
      {
        earned: 4,
        found: ({ brand = "" }) => isBrandFiller(brand),
        message: ({ brand = "" }) => `Google does not accept ${quoted(brand)} as a brand.`,
      },
      {
        earned: 8,
        found: ({ brand = "" }) => isLonger(brand, CHANNEL_LIMITS.brand),
        message: ({ brand = "" }) =>
          `The brand has ${lengthOf(brand)} characters; channels accept ${CHANNEL_LIMITS.brand}.`,
      },
    ),
  }),
  itemRule({
    number: 40,
    id: "eligibility.adult",
    title: "Item is for adults only, which OpenAI does not accept",
    field: "adult",
    formats: ["acp"],
    expects: "The item is not marked as for adults only.",
    advice: "Move items for adults to a separate catalog that is not sent to OpenAI.",
    reference: REFERENCES.openaiProducts,
    found: ({ adult }) => adult === true,
    message: () => "The item is marked as for adults only, which OpenAI's policy prohibits.",
  }),
];

const mainImage = ({ images }: Item): string => images?.[0] ?? "";
const hasImage = ({ images }: Item): boolean => images !== undefined;
const COLON = 58;
/** URLs of items are http or https. */
const isHttp = (url: string): boolean => url.charCodeAt(4) === COLON;

/** An image or page that so many unrelated products share shows none of them. The first ones pass. */
const MANY_PRODUCTS = 5;

/** Unknown while a single item is audited. */
function withProducts(
  { evaluate, message }: RuleCheck,
  count: "sharedImageCount" | "sharedLinkCount",
): RuleCheck {
  return {
    evaluate: (item, context): Outcome => {
      const outcome = evaluate(item, context);
      return outcome === PASS && context[count] === UNKNOWN ? UNKNOWN : outcome;
    },
    message,
  };
}

const LINK_PROBLEMS = firstProblem(
  {
    earned: FAIL,
    found: (_, { host }) => !host.isPublic,
    message: ({ link }) => `${quoted(link)} cannot be opened from the internet.`,
  },
  {
    earned: FAIL,
    found: ({ link }, { sharedLinkCount }) => sharedLinkCount > 0 && isHomePage(link),
    message: ({ link }) => `The link ${quoted(link)} is the home page.`,
  },
  {
    earned: FAIL,
    found: (_, { sharedLinkCount }) => sharedLinkCount >= MANY_PRODUCTS,
    message: ({ link }) => `Unrelated products have the same link ${quoted(link)}.`,
  },
);

const PLACEHOLDER_PROBLEMS = firstProblem(
  {
    earned: FAIL,
    found: (_, context) => context.mainImage.isPlaceholder,
    message: (item) => `The image ${quoted(mainImage(item))} is a placeholder.`,
  },
  {
    earned: FAIL,
    found: (_, { sharedImageCount }) => sharedImageCount >= MANY_PRODUCTS,
    message: (item) => `Unrelated products have the same image ${quoted(mainImage(item))}.`,
  },
);

const remembered = MAX_SHARED_KEYS.toLocaleString("en");

export const ADDRESS_RULES: readonly ItemRule[] = [
  itemRule({
    number: 4,
    id: "eligibility.link",
    title: "Link is not a product page",
    field: "link",
    points: 3,
    severity: "critical",
    blocks: ["acp", "gmc"],
    scope: "catalog",
    expects: `A public host: no IP address, no single label, no name of a private network. Not the home page when an unrelated product before it has the same link, and not a page that ${MANY_PRODUCTS} unrelated products before it have. Products are unrelated when the first words of their titles differ. Compared with the first ${remembered} links.`,
    advice:
      "Link to the product's own page on the public shop, not to the home page, a category or a staging server.",
    reference: REFERENCES.productData,
    ...withProducts(LINK_PROBLEMS, "sharedLinkCount"),
  }),
  itemRule({
    number: 5,
    id: "eligibility.link_domain",
    title: "Link leads to another site",
    field: "link",
    points: 1,
    severity: "major",
    formats: ["acp", "gmc"],
    when: "when the store URL is set and the link is public",
    expects: "The host of the store URL, a subdomain of it or its parent domain.",
    advice: "Set the store URL to the site that sells the items; verify the same site with Google.",
    reference: REFERENCES.productData,
    applies: (_, { shop, host }) => shop.host !== null && host.isPublic,
    found: (_, { host }) => !host.isOwn,
    message: (_, { shop, host }) => `The link leads to ${host.host}, the store is at ${shop.host}.`,
  }),
  itemRule({
    number: 6,
    id: "eligibility.https",
    title: "Page or image is not served over https",
    field: "link",
    points: 1,
    severity: "minor",
    expects: "The link and the main image begin with https. Half of the points when only the image does not.",
    advice: "Serve the shop over https and use https URLs in the source.",
    reference: REFERENCES.openaiProducts,
    ...firstProblem(
      {
        earned: FAIL,
        found: ({ link }) => isHttp(link),
        message: ({ link }) => `The link ${quoted(link)} is not https.`,
      },
      {
        earned: 6,
        found: (item) => isHttp(mainImage(item)),
        message: (item) => `The image ${quoted(mainImage(item))} is not https.`,
      },
    ),
  }),
  itemRule({
    number: 7,
    id: "eligibility.image",
    title: "No image, or a file type that Google does not read",
    field: "images",
    points: 4,
    severity: "critical",
    blocks: ALL_FORMATS,
    expects:
      "An image. A third of the points when the file name of the first one has an extension other than JPEG, PNG, GIF, BMP, TIFF or WebP.",
    advice: "Add a photo of the product as JPEG, PNG or WebP.",
    reference: REFERENCES.image,
    ...firstProblem(
      { earned: FAIL, found: (item) => !hasImage(item), message: () => "The item has no image." },
      {
        earned: 4,
        found: (_, context) => context.mainImage.isOtherType,
        message: (item) => `Google does not read the file type of ${quoted(mainImage(item))}.`,
      },
    ),
  }),
  itemRule({
    number: 8,
    id: "eligibility.image_placeholder",
    title: "Image does not show the product",
    field: "images",
    points: 3,
    severity: "critical",
    blocks: ["gmc"],
    when: "when there is an image",
    scope: "catalog",
    expects: `A file name without placeholder, coming soon, no image or the like, and an image that fewer than ${MANY_PRODUCTS} unrelated products before it have. Products are unrelated when the first words of their titles differ. Compared with the first ${remembered} images.`,
    advice: "Replace the placeholder, logo or shared image with a photo of this product.",
    reference: REFERENCES.image,
    applies: hasImage,
    ...withProducts(PLACEHOLDER_PROBLEMS, "sharedImageCount"),
  }),
];

/** Settings that earlier revisions of OpenAI's specification required and its samples still have. */
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
    number: 54,
    id: "eligibility.seller_name",
    title: "Seller name is not set",
    formats: ["acp"],
    when: "always",
    expects: "A seller name. Without one, the name of the catalog is sent.",
    advice: "Set the name that buyers know the shop by.",
    reference: REFERENCES.openaiProducts,
    evaluate: ({ settings }) => failIf(settings.sellerName === undefined),
    message: () => "No seller name is set.",
  }),
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
