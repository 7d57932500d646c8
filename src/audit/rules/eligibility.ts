/** Rules about fields that an item cannot be listed without. The rules about URLs are in `addresses.ts`. */
import { isBrandFiller, isMeaningful, isPlaceholder } from "../../catalog/filler-words.ts";
import type { Item } from "../../catalog/item.ts";
import { isZero } from "../../catalog/money.ts";
import { offerAt } from "../../catalog/price-now.ts";
import { isLonger, lengthOf } from "../../lib/text-length.ts";
import { CHANNEL_LIMITS } from "../channel-limits.ts";
import { FAIL } from "../outcome.ts";
import {
  ALL_FORMATS,
  firstProblem,
  itemRule,
  type ItemRule,
  quoted,
  REFERENCES,
  type AuditRuleContext,
} from "../rule.ts";

/** Reads the price as the files state it: an item that a sale gives away has the price zero while the sale runs. */
function isFree(item: Item, { shop }: AuditRuleContext): boolean {
  if (item.salePrice === undefined || !isZero(item.salePrice)) return isZero(item.price);
  return isZero(offerAt(item, new Date(shop.now)).price);
}

const hasSubscription = ({ google }: Item): boolean => google?.subscription_cost !== undefined;

const priceMessage = ({ price }: Item): string =>
  isZero(price) ? "The price is zero." : "The price is zero while the sale runs.";

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
    blocks: ["acp"],
    expects: `A product name, not a filler word. A third of the points for dummy text such as "Item 1", two thirds of the points for a title longer than ${CHANNEL_LIMITS.title} characters, which is cut.`,
    advice: `Name the product in at most ${CHANNEL_LIMITS.title} characters, the most important words first.`,
    reference: REFERENCES.openaiProducts,
    ...firstProblem(
      {
        earned: FAIL,
        found: ({ title }) => isPlaceholder(title),
        message: ({ title }) => `The title ${quoted(title)} is a placeholder.`,
      },
      {
        earned: 4,
        found: (_, { isDummyTitle }) => isDummyTitle,
        message: ({ title }) => `The title ${quoted(title)} is dummy text.`,
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
    expects: `A text, not a filler word. A third of the points for dummy text such as "Lorem ipsum", two thirds of the points for a description longer than ${CHANNEL_LIMITS.description} characters, which is cut.`,
    advice: "Describe what the product is, what it is made of and what it is for, in plain text.",
    reference: REFERENCES.description,
    ...firstProblem(
      {
        earned: FAIL,
        found: ({ description }) => !isMeaningful(description),
        message: ({ description }) =>
          description === undefined
            ? "The item has no description."
            : `The description ${quoted(description)} is a placeholder.`,
      },
      {
        earned: 4,
        found: (_, { description }) => description.isDummy,
        message: ({ description = "" }) => `The description ${quoted(description)} is dummy text.`,
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
    expects:
      "An amount above zero, also while a sale runs. The price of a subscription is not looked at here.",
    advice: "Set the price, or remove the item from the catalog while it is not for sale.",
    reference: REFERENCES.price,
    found: (item, context) => isFree(item, context) && !hasSubscription(item),
    message: priceMessage,
  }),
  itemRule({
    number: 61,
    id: "eligibility.subscription_price",
    title: "Price of a subscription is zero",
    field: "price",
    severity: "critical",
    formats: ["acp", "jsonld"],
    blocks: ["acp", "jsonld"],
    expects:
      "An amount above zero for an item with a subscription, too: Google Merchant Center takes zero there, OpenAI and merchant listings do not.",
    advice:
      "Keep subscriptions without a price of their own out of the files for OpenAI and JSON-LD, by a rule for these channels.",
    reference: REFERENCES.openaiProducts,
    found: (item, context) => isFree(item, context) && hasSubscription(item),
    message: priceMessage,
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
    number: 54,
    id: "eligibility.seller_name",
    title: "Seller name is not set",
    field: "settings",
    severity: "critical",
    formats: ["acp"],
    blocks: ["acp"],
    expects: "A seller name; the name of the catalog counts, a file that is audited alone has none.",
    advice:
      "Set the seller name by which buyers know the shop (`--seller-name` on the command line): OpenAI refuses every item without one.",
    reference: REFERENCES.openaiProducts,
    found: (_, { shop }) => shop.settings.sellerName === undefined,
    message: () => "No seller name is set.",
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
