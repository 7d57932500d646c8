/** Does each channel get what it demands? The addresses of the page and of the images, judged without fetching them. */
import type { Item } from "../../catalog/item.ts";
import { FAULT } from "../outcome.ts";
import { REFERENCES } from "../references.ts";
import { ALL_FORMATS, byFaults, type ItemRule, itemRule, quoted } from "../rule.ts";

const mainImage = ({ images }: Item): string => images?.[0] ?? "";
const hasImage = ({ images }: Item): boolean => images !== undefined;
const COLON = 58;
/** An address is http or https, so its fifth character tells. */
const isPlain = (address: string): boolean => address.charCodeAt(4) === COLON;

export const ADDRESS_RULES: readonly ItemRule[] = [
  itemRule({
    number: 4,
    id: "eligibility.link",
    title: "The link leads to a public page",
    field: "link",
    points: 4,
    severity: "critical",
    formats: ALL_FORMATS,
    blocks: ["acp", "gmc"],
    expects: "A host on the open web: no IP address, no bare word, no name of an inner network.",
    advice: "Let the shop give its public addresses, not those of a staging or inner server.",
    reference: REFERENCES.productData,
    ...byFaults({
      grade: FAULT,
      found: (_, { host }) => !host.isPublic,
      say: ({ link }) => `Nobody outside can open ${quoted(link)}.`,
    }),
  }),
  itemRule({
    number: 5,
    id: "eligibility.link_domain",
    title: "The link is on the store's own site",
    field: "link",
    points: 2,
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
    title: "Page and image are served over https",
    field: "link",
    points: 1,
    severity: "minor",
    formats: ALL_FORMATS,
    expects: "Both addresses begin with https. Half of the points when only the image's does not.",
    advice: "Serve the shop over https and let it give such addresses.",
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
    title: "There is an image that channels can read",
    field: "images",
    points: 5,
    severity: "critical",
    formats: ALL_FORMATS,
    blocks: ALL_FORMATS,
    expects:
      "An image. A third of the points when the first one's name says that it is no JPEG, PNG, GIF, BMP, TIFF or WebP.",
    advice: "Give the item a photograph as JPEG, PNG or WebP.",
    reference: REFERENCES.image,
    ...byFaults(
      { grade: FAULT, found: (item) => !hasImage(item), say: () => "The item has no image." },
      {
        grade: 4,
        found: (_, place) => place.mainImage.isOtherType,
        say: (item) => `Google reads no images such as ${quoted(mainImage(item))}.`,
      },
    ),
  }),
  itemRule({
    number: 8,
    id: "eligibility.image_placeholder",
    title: "The image shows the product",
    field: "images",
    points: 2,
    severity: "critical",
    formats: ALL_FORMATS,
    blocks: ["gmc"],
    when: "when there is an image",
    expects: "A file name that does not say placeholder, coming soon, no image or the like.",
    advice: "Replace the stand-in by a photograph.",
    reference: REFERENCES.image,
    applies: hasImage,
    ...byFaults({
      grade: FAULT,
      found: (_, place) => place.mainImage.isStandIn,
      say: (item) => `The image ${quoted(mainImage(item))} only stands in for one.`,
    }),
  }),
];
