/** Rules about titles, descriptions and the number of images. */
import { counted } from "../../lib/counted.ts";
import type { Item } from "../../catalog/item.ts";
import { CHANNEL_LIMITS } from "../channel-limits.ts";
import { isMeaningful, isPlaceholder } from "../../catalog/filler-words.ts";
import { FAIL, PASS, type Outcome } from "../outcome.ts";
import { firstProblem, itemRule, type ItemRule, quoted, REFERENCES, type AuditRuleContext } from "../rule.ts";
import { weightOf } from "../../lib/text-length.ts";
import {
  findDefect,
  isDecorated,
  isMostlyCapitals,
  isPromotional,
  repeatsTitle,
  TEXT_DEFECTS,
} from "../text-checks.ts";

const GOOD_TITLE = 30;
const POOR_TITLE = 15;
/** The length of two or three sentences. A shorter description earns a twelfth for every twenty characters. */
const GOOD_DESCRIPTION = 240;
const DESCRIPTION_STEP = GOOD_DESCRIPTION / PASS;
const GOOD_IMAGES = 3;

const hasDescription = ({ description }: Item, context: AuditRuleContext): boolean =>
  isMeaningful(description) && !context.description.isDummy;
const hasRealTitle = ({ title }: Item, { isDummyTitle }: AuditRuleContext): boolean =>
  !isDummyTitle && !isPlaceholder(title);
const imageCount = ({ images }: Item): number => images?.length ?? 0;

function descriptionOutcome({ title, description = "" }: Item): Outcome {
  if (repeatsTitle(title, description)) return FAIL;
  return Math.floor(weightOf(description, GOOD_DESCRIPTION) / DESCRIPTION_STEP);
}

function mentions(text: string, word: string): boolean {
  return text.includes(word) || text.toLowerCase().includes(word.toLowerCase());
}

export const CONTENT_RULES: readonly ItemRule[] = [
  itemRule({
    number: 26,
    id: "content.title_quality",
    title: "Title is short, promotional or in capitals",
    field: "title",
    points: 6,
    severity: "minor",
    when: "unless the title is a placeholder",
    expects: `A quarter of the points for promotional text or mostly capitals, a third for fewer than ${POOR_TITLE} characters, half for emoji and repeated punctuation, two thirds for fewer than ${GOOD_TITLE} characters. Chinese, Japanese and Korean characters count three times.`,
    advice: `Use the product's name as on its page: brand, kind of product and distinguishing features, in ${GOOD_TITLE} to ${CHANNEL_LIMITS.title} characters.`,
    reference: REFERENCES.productData,
    applies: hasRealTitle,
    ...firstProblem(
      {
        earned: 3,
        found: ({ title }) => isPromotional(title),
        message: ({ title }) => `The title ${quoted(title)} is promotional.`,
      },
      {
        earned: 3,
        found: ({ title }) => isMostlyCapitals(title),
        message: ({ title }) => `The title ${quoted(title)} is mostly capitals.`,
      },
      {
        earned: 4,
        found: ({ title }) => weightOf(title, GOOD_TITLE) < POOR_TITLE,
        message: ({ title }) => `The title ${quoted(title)} is very short.`,
      },
      {
        earned: 6,
        found: ({ title }) => isDecorated(title),
        message: ({ title }) => `The title ${quoted(title)} has emoji or repeated punctuation.`,
      },
      {
        earned: 8,
        found: ({ title }) => weightOf(title, GOOD_TITLE) < GOOD_TITLE,
        message: ({ title }) => `The title ${quoted(title)} is short.`,
      },
    ),
  }),
  itemRule({
    number: 27,
    id: "content.description_depth",
    title: "Description is short or repeats the title",
    field: "description",
    points: 7,
    severity: "major",
    when: "when there is a description",
    expects: `${GOOD_DESCRIPTION} characters; one twelfth of the points for each ${DESCRIPTION_STEP}. No points for a copy of the title, a part of it, or the title and a few words. Chinese, Japanese and Korean characters count three times.`,
    advice: "Write two or three sentences: what it is, what it is made of, what it fits and what it is for.",
    reference: REFERENCES.description,
    applies: hasDescription,
    evaluate: descriptionOutcome,
    message: ({ title, description = "" }) =>
      repeatsTitle(title, description)
        ? `The description repeats the title: ${quoted(description)}.`
        : `The description has only ${counted(description.length, "character")}.`,
  }),
  itemRule({
    number: 28,
    id: "content.description_unique",
    title: "Description is copied from another product",
    field: "description",
    points: 4,
    severity: "major",
    scope: "catalog",
    when: "when there is a description",
    expects:
      "No unrelated item before it has the same first 200 characters; siblings may. Compared with the first million descriptions; later ones are unknown unless they repeat one of those.",
    advice: "Write a description of this product. Put text that all products share at the end.",
    reference: REFERENCES.description,
    applies: hasDescription,
    evaluate: (_, { uniqueDescription }) => uniqueDescription,
    message: ({ description = "" }) =>
      `An unrelated item has a description with the same beginning: ${quoted(description)}.`,
  }),
  itemRule({
    number: 29,
    id: "content.description_neutral",
    title: "Description has addresses or promotional text",
    field: "description",
    points: 1,
    severity: "minor",
    when: "when there is a description",
    expects: "No web or e-mail address. Half of the points for promotional text.",
    advice: "Remove addresses, prices, shipping and offers: they have their own fields.",
    reference: REFERENCES.description,
    applies: hasDescription,
    ...firstProblem(
      {
        earned: FAIL,
        found: (_, { description }) => description.hasAddress,
        message: () => "The description contains a web or e-mail address.",
      },
      {
        earned: 6,
        found: (_, { description }) => description.hasPromotion,
        message: () => "The description contains promotional text.",
      },
    ),
  }),
  itemRule({
    number: 30,
    id: "content.images_extra",
    title: "Fewer than three images",
    field: "images",
    points: 4,
    severity: "minor",
    when: "when there is an image",
    expects: "Three images; a third of the points for one, two thirds for two.",
    advice: "Add photos that show the product from other sides and in use.",
    reference: REFERENCES.image,
    applies: ({ images }) => images !== undefined,
    evaluate: (item) => (PASS / GOOD_IMAGES) * Math.min(imageCount(item), GOOD_IMAGES),
    message: (item) => (imageCount(item) === 1 ? "There is only one image." : "There are only two images."),
  }),
  itemRule({
    number: 31,
    id: "content.clean_text",
    title: "HTML, entities or broken characters in texts",
    field: "description",
    points: 2,
    severity: "minor",
    expects:
      "No HTML, character references, template placeholders or wrongly decoded characters. No points when they are in the title, half when they are in the description.",
    advice: "Find out where the text is escaped twice or read in the wrong encoding, and correct it.",
    reference: REFERENCES.description,
    ...firstProblem(
      {
        earned: FAIL,
        found: ({ title }) => findDefect(title) !== undefined,
        message: ({ title }) => `The title ${quoted(title)} ${TEXT_DEFECTS[findDefect(title) ?? "markup"]}.`,
      },
      {
        earned: 6,
        found: (_, { description }) => description.defect !== undefined,
        message: (_, { description }) => `The description ${TEXT_DEFECTS[description.defect ?? "markup"]}.`,
      },
    ),
  }),
  itemRule({
    number: 49,
    id: "content.title_brand",
    title: "Title does not name the brand",
    field: "title",
    formats: ["gmc"],
    when: "when title and brand are not placeholders",
    expects: "The title contains the brand.",
    advice: "If buyers search by brand, begin the title with the brand.",
    reference: REFERENCES.productData,
    applies: (item, context) => isMeaningful(item.brand) && hasRealTitle(item, context),
    found: ({ title, brand = "" }) => !mentions(title, brand),
    message: ({ brand = "" }) => `The title does not name the brand ${quoted(brand)}.`,
  }),
  itemRule({
    number: 50,
    id: "content.highlights",
    title: "Only one highlight",
    field: "highlights",
    formats: ["gmc"],
    when: "when there are highlights",
    expects: "At least two highlights.",
    advice: "Add a second highlight: Google does not accept a single one.",
    reference: REFERENCES.productData,
    applies: ({ highlights }) => highlights !== undefined,
    found: ({ highlights }) => highlights?.length === 1,
    message: () => "There is only one highlight, and Google does not accept a single one.",
  }),
];
