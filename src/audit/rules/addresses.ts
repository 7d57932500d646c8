/** Does each channel get what it demands? The addresses of the page and of the images, judged without fetching them. */
import type { Item } from "../../catalog/item.ts";
import { isHomePage } from "../host.ts";
import { FAULT, FINE, type Outcome, UNKNOWN } from "../outcome.ts";
import { REFERENCES } from "../references.ts";
import { ALL_FORMATS, byFaults, type ItemRule, itemRule, type Judgment, quoted } from "../rule.ts";
import { MOST_SHARED_KEYS } from "../shared-table.ts";

const mainImage = ({ images }: Item): string => images?.[0] ?? "";
const hasImage = ({ images }: Item): boolean => images !== undefined;
const COLON = 58;
/** An address is http or https, so its fifth character tells. */
const isPlain = (address: string): boolean => address.charCodeAt(4) === COLON;

/** An image or a page that so many unrelated products share shows none of them. The first ones are not judged. */
const MANY_PRODUCTS = 5;

/** A single item does not show who else has its image or its link. */
function amongProducts({ grade, say }: Judgment, sharers: "imageSharers" | "linkSharers"): Judgment {
  return {
    grade: (item, place): Outcome => {
      const outcome = grade(item, place);
      return outcome === FINE && place[sharers] === UNKNOWN ? UNKNOWN : outcome;
    },
    say,
  };
}

const LINK_FAULTS = byFaults(
  {
    grade: FAULT,
    found: (_, { host }) => !host.isPublic,
    say: ({ link }) => `${quoted(link)} cannot be opened from the public web.`,
  },
  {
    grade: FAULT,
    found: ({ link }, { linkSharers }) => linkSharers > 0 && isHomePage(link),
    say: ({ link }) => `The link ${quoted(link)} is the home page.`,
  },
  {
    grade: FAULT,
    found: (_, { linkSharers }) => linkSharers >= MANY_PRODUCTS,
    say: ({ link }) => `Unrelated products have the same link ${quoted(link)}.`,
  },
);

const PLACEHOLDER_FAULTS = byFaults(
  {
    grade: FAULT,
    found: (_, place) => place.mainImage.isStandIn,
    say: (item) => `The image ${quoted(mainImage(item))} is a placeholder.`,
  },
  {
    grade: FAULT,
    found: (_, { imageSharers }) => imageSharers >= MANY_PRODUCTS,
    say: (item) => `Unrelated products have the same image ${quoted(mainImage(item))}.`,
  },
);

const remembered = MOST_SHARED_KEYS.toLocaleString("en");

export const ADDRESS_RULES: readonly ItemRule[] = [
  itemRule({
    number: 4,
    id: "eligibility.link",
    title: "Link is not a product page",
    field: "link",
    points: 3,
    severity: "critical",
    formats: ALL_FORMATS,
    blocks: ["acp", "gmc"],
    sight: "catalog",
    expects: `A host on the open web: no IP address, no bare word, no name of an inner network. Not the home page when an unrelated product before it has the same link, and not a page that ${MANY_PRODUCTS} unrelated products before it have. Products are unrelated when their titles begin with different words. Looked for among the first ${remembered} links.`,
    advice:
      "Link to the product's own page on the public shop, not to the home page, a category or a staging server.",
    reference: REFERENCES.productData,
    ...amongProducts(LINK_FAULTS, "linkSharers"),
  }),
  itemRule({
    number: 5,
    id: "eligibility.link_domain",
    title: "Link leads to another site",
    field: "link",
    points: 1,
    severity: "major",
    formats: ["acp", "gmc"],
    when: "when the settings name the store's address and the link is public",
    expects: "The host of the store's address, or one above or below it.",
    advice: "Set the store's address to the site that sells, which is the one to verify with Google.",
    reference: REFERENCES.productData,
    applies: (_, { shop, host }) => shop.host !== null && host.isPublic,
    ...byFaults({
      grade: FAULT,
      found: (_, { host }) => !host.isOwn,
      say: (_, { shop, host }) => `The link leads to ${host.host}, the store is at ${shop.host}.`,
    }),
  }),
  itemRule({
    number: 6,
    id: "eligibility.https",
    title: "Page or image is not served over https",
    field: "link",
    points: 1,
    severity: "minor",
    formats: ALL_FORMATS,
    expects: "Both addresses begin with https. Half of the points when only the image's does not.",
    advice: "Serve the shop over https and use such addresses in the source.",
    reference: REFERENCES.openaiProducts,
    ...byFaults(
      {
        grade: FAULT,
        found: ({ link }) => isPlain(link),
        say: ({ link }) => `The link ${quoted(link)} is not https.`,
      },
      {
        grade: 6,
        found: (item) => isPlain(mainImage(item)),
        say: (item) => `The image ${quoted(mainImage(item))} is not https.`,
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
    formats: ALL_FORMATS,
    blocks: ALL_FORMATS,
    expects:
      "An image. A third of the points when the first one's name says that it is no JPEG, PNG, GIF, BMP, TIFF or WebP.",
    advice: "Add a photo of the product as JPEG, PNG or WebP.",
    reference: REFERENCES.image,
    ...byFaults(
      { grade: FAULT, found: (item) => !hasImage(item), say: () => "The item has no image." },
      {
        grade: 4,
        found: (_, place) => place.mainImage.isOtherType,
        say: (item) => `Google does not read images such as ${quoted(mainImage(item))}.`,
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
    formats: ALL_FORMATS,
    blocks: ["gmc"],
    when: "when there is an image",
    sight: "catalog",
    expects: `A file name that does not say placeholder, coming soon, no image or the like, and an image that fewer than ${MANY_PRODUCTS} unrelated products before it have. Products are unrelated when their titles begin with different words. Looked for among the first ${remembered} images.`,
    advice: "Replace the placeholder, logo or shared image with a photo of this product.",
    reference: REFERENCES.image,
    applies: hasImage,
    ...amongProducts(PLACEHOLDER_FAULTS, "imageSharers"),
  }),
];
