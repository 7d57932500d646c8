/** Rules about the URLs of the page and the images, which are not fetched. */
import type { Item } from "../../catalog/item.ts";
import { commaSafe } from "../../channels/kit/variants.ts";
import { isLonger, lengthOf } from "../../lib/text-length.ts";
import { MANY_PRODUCTS } from "../catalog-tables.ts";
import { CHANNEL_LIMITS } from "../channel-limits.ts";
import { MAX_SHARED_KEYS } from "../key-tables.ts";
import { FAIL, type Outcome, PASS, UNKNOWN } from "../outcome.ts";
import type { ItemRule, RuleCheck } from "../rule.ts";
import { ALL_FORMATS, firstProblem, itemRule, quoted, REFERENCES } from "../rule.ts";
import { isHomePage } from "../url-checks.ts";
import { COLON } from "../../lib/char-codes.ts";

const mainImage = ({ images }: Item): string => images?.[0] ?? "";
const hasImage = ({ images }: Item): boolean => images !== undefined;
/** URLs of items are http or https. */
const isHttp = (url: string): boolean => url.charCodeAt(4) === COLON;

/** The outcome is unknown while a single item is audited. */
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

/** No channel refuses a page or an image because other items have the same one, so this outcome is never `FAIL`. */
const SHARED = 4;

const LINK_PROBLEMS = firstProblem(
  {
    earned: FAIL,
    found: ({ link }) => link === undefined,
    message: () => "The item has no link.",
  },
  {
    earned: SHARED,
    found: ({ link = "" }, { sharedLinkCount }) => sharedLinkCount > 0 && isHomePage(link),
    message: ({ link = "" }) => `The link ${quoted(link)} is the home page.`,
  },
  {
    earned: SHARED,
    found: (_, { sharedLinkCount }) => sharedLinkCount >= MANY_PRODUCTS,
    message: ({ link = "" }) => `Unrelated products have the same link ${quoted(link)}.`,
  },
);

const PLACEHOLDER_PROBLEMS = firstProblem(
  {
    earned: FAIL,
    found: (_, context) => context.mainImage.isPlaceholder,
    message: (item) => `The image ${quoted(mainImage(item))} is a placeholder.`,
  },
  {
    earned: SHARED,
    found: (_, context) => context.mainImage.isLikePlaceholder,
    message: (item) => `The image ${quoted(mainImage(item))} looks like a placeholder.`,
  },
  {
    earned: SHARED,
    found: (_, { sharedImageCount }) => sharedImageCount >= MANY_PRODUCTS,
    message: (item) => `Unrelated products have the same image ${quoted(mainImage(item))}.`,
  },
);

const remembered = MAX_SHARED_KEYS.toLocaleString("en");

export const ADDRESS_RULES: readonly ItemRule[] = [
  itemRule({
    number: 4,
    id: "eligibility.link",
    title: "Link is missing or not a product page",
    field: "link",
    points: 3,
    severity: "critical",
    blocks: ["acp", "gmc"],
    scope: "catalog",
    expects: `A link. A third of the points for the home page when an unrelated product before it has the same link, and for a page that ${MANY_PRODUCTS} unrelated products before it have. Products are unrelated when the first words of their titles differ. Compared with the first ${remembered} links.`,
    advice:
      "Link to the product's own page on the public shop, not to the home page or a category. If the source has no links, set its link template.",
    reference: REFERENCES.productData,
    ...withProducts(LINK_PROBLEMS, "sharedLinkCount"),
  }),
  itemRule({
    number: 59,
    id: "eligibility.public_host",
    title: "Link or image cannot be opened from the internet",
    field: "link",
    severity: "critical",
    blocks: ALL_FORMATS,
    expects:
      "The link and the main image have a public host: no IP address, no single label, no name of a private network such as `localhost`, `.local` or `.test`.",
    advice:
      "Set the shop's public address in the shop; links to a staging server or a local one are refused.",
    reference: REFERENCES.productData,
    ...firstProblem(
      {
        earned: FAIL,
        found: ({ link }, { host }) => link !== undefined && !host.isPublic,
        message: ({ link = "" }) => `The link ${quoted(link)} cannot be opened from the internet.`,
      },
      {
        earned: FAIL,
        found: (_, context) => !context.mainImage.isPublic,
        message: (item) => `The image ${quoted(mainImage(item))} cannot be opened from the internet.`,
      },
    ),
  }),
  itemRule({
    number: 60,
    id: "eligibility.url_length",
    title: "Link or image address is too long for Google",
    field: "link",
    severity: "critical",
    formats: ["gmc"],
    blocks: ["gmc"],
    expects: `The link and the address of the main image have at most ${CHANNEL_LIMITS.url} characters.`,
    advice: "Use shorter addresses: leave out parameters that the page or the image does not need.",
    reference: REFERENCES.productData,
    ...firstProblem(
      {
        earned: FAIL,
        found: ({ link = "" }) => isLonger(link, CHANNEL_LIMITS.url),
        message: ({ link = "" }) =>
          `The link has ${lengthOf(link)} characters; Google accepts ${CHANNEL_LIMITS.url}.`,
      },
      {
        earned: FAIL,
        found: (item) => isLonger(commaSafe(mainImage(item)), CHANNEL_LIMITS.url),
        message: (item) =>
          `The address of the image has ${lengthOf(commaSafe(mainImage(item)))} characters; Google accepts ${CHANNEL_LIMITS.url}.`,
      },
    ),
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
        found: ({ link = "" }) => isHttp(link),
        message: ({ link = "" }) => `The link ${quoted(link)} is not https.`,
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
    expects: `An image. A third of the points when the file name of the first one has an extension other than JPEG, PNG, GIF, BMP, TIFF or WebP.`,
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
    expects: `A file name other than placeholder, coming soon, no image or the like. A third of the points for a name that contains such words, and for an image that ${MANY_PRODUCTS} unrelated products before it have. Products are unrelated when the first words of their titles differ. Compared with the first ${remembered} images.`,
    advice: "Replace the placeholder, logo or shared image with a photo of this product.",
    reference: REFERENCES.image,
    applies: hasImage,
    ...withProducts(PLACEHOLDER_PROBLEMS, "sharedImageCount"),
  }),
];
