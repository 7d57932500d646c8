/** Would a buyer or an assistant understand it? Titles, descriptions and images. */
import type { Item } from "../../catalog/item.ts";
import { isSaid } from "../filler.ts";
import { isPlaceholder } from "../../catalog/placeholder.ts";
import { FAULT, FINE, type Outcome } from "../outcome.ts";
import { REFERENCES } from "../references.ts";
import { ALL_FORMATS, byFaults, type ItemRule, itemRule, quoted } from "../rule.ts";
import { weightOf } from "../text-length.ts";
import { isDecorated, isPromotion, isShouting, residueIn, RESIDUES } from "../text-signs.ts";

const GOOD_TITLE = 30;
const POOR_TITLE = 15;
/** Two or three sentences; what is shorter earns a twelfth for every twenty characters. */
const GOOD_DESCRIPTION = 240;
const DESCRIPTION_STEP = GOOD_DESCRIPTION / FINE;
const GOOD_IMAGES = 3;

const hasDescription = ({ description }: Item): boolean => isSaid(description);
const imageCount = ({ images }: Item): number => images?.length ?? 0;

function descriptionGrade({ title, description = "" }: Item): Outcome {
  if (description === title) return FAULT;
  return Math.floor(weightOf(description, GOOD_DESCRIPTION) / DESCRIPTION_STEP);
}

function mentions(text: string, word: string): boolean {
  return text.includes(word) || text.toLowerCase().includes(word.toLowerCase());
}

export const CONTENT_RULES: readonly ItemRule[] = [
  itemRule({
    number: 26,
    id: "content.title_quality",
    title: "The title is calm and telling",
    field: "title",
    points: 4,
    severity: "minor",
    formats: ALL_FORMATS,
    when: "unless the title is a filler word",
    expects: `A quarter of the points for sales talk or mostly capitals, a third for fewer than ${POOR_TITLE} characters, half for emoji and doubled marks, two thirds for fewer than ${GOOD_TITLE} characters. Characters of Chinese, Japanese and Korean count three times.`,
    advice: "Name the product as its page does: brand, kind, what sets it apart.",
    reference: REFERENCES.productData,
    applies: ({ title }) => !isPlaceholder(title),
    ...byFaults(
      {
        grade: 3,
        found: ({ title }) => isPromotion(title),
        say: ({ title }) => `The title ${quoted(title)} is sales talk.`,
      },
      {
        grade: 3,
        found: ({ title }) => isShouting(title),
        say: ({ title }) => `The title ${quoted(title)} is mostly capitals.`,
      },
      {
        grade: 4,
        found: ({ title }) => weightOf(title, GOOD_TITLE) < POOR_TITLE,
        say: ({ title }) => `The title ${quoted(title)} says very little.`,
      },
      {
        grade: 6,
        found: ({ title }) => isDecorated(title),
        say: ({ title }) => `The title ${quoted(title)} is decorated.`,
      },
      {
        grade: 8,
        found: ({ title }) => weightOf(title, GOOD_TITLE) < GOOD_TITLE,
        say: ({ title }) => `The title ${quoted(title)} has room for more.`,
      },
    ),
  }),
  itemRule({
    number: 27,
    id: "content.description_depth",
    title: "The description tells enough",
    field: "description",
    points: 3,
    severity: "minor",
    formats: ALL_FORMATS,
    when: "when there is a description",
    expects: `${GOOD_DESCRIPTION} characters; a twelfth of the points for every ${DESCRIPTION_STEP} of them, none for a copy of the title. Characters of Chinese, Japanese and Korean count three times.`,
    advice: "Say what it is, what it is made of, what it fits and what it is for.",
    reference: REFERENCES.description,
    applies: hasDescription,
    grade: descriptionGrade,
    say: ({ title, description = "" }) =>
      description === title
        ? "The description is a copy of the title."
        : `The description has only ${description.length} characters.`,
  }),
  itemRule({
    number: 28,
    id: "content.description_unique",
    title: "The description is the item's own",
    field: "description",
    points: 2,
    severity: "minor",
    formats: ALL_FORMATS,
    sight: "catalog",
    when: "when there is a description",
    expects:
      "No unrelated item before it begins with the same 200 characters; siblings may. Looked for among the first million descriptions; what comes later is unknown unless it repeats one of those.",
    advice: "Describe this product, not the shop or the series; put what all have in common at the end.",
    reference: REFERENCES.description,
    applies: hasDescription,
    grade: (_, { opening }) => opening,
    say: ({ description = "" }) => `An unrelated item begins alike: ${quoted(description)}.`,
  }),
  itemRule({
    number: 29,
    id: "content.description_neutral",
    title: "The description sells nothing but the product",
    field: "description",
    points: 1,
    severity: "minor",
    formats: ALL_FORMATS,
    when: "when there is a description",
    expects: "No web or e-mail address. Half of the points for sales talk.",
    advice: "Leave out addresses, prices, shipping and offers: they have fields of their own.",
    reference: REFERENCES.description,
    applies: hasDescription,
    ...byFaults(
      {
        grade: FAULT,
        found: (_, { description }) => description.hasAddress,
        say: () => "The description has a web or e-mail address in it.",
      },
      {
        grade: 6,
        found: (_, { description }) => description.hasSalesTalk,
        say: () => "The description has sales talk in it.",
      },
    ),
  }),
  itemRule({
    number: 30,
    id: "content.images_extra",
    title: "There are several images",
    field: "images",
    points: 3,
    severity: "minor",
    formats: ALL_FORMATS,
    when: "when there is an image",
    expects: "Three images; a third of the points for one, two thirds for two.",
    advice: "Show the product from more than one side, and in use.",
    reference: REFERENCES.image,
    applies: ({ images }) => images !== undefined,
    grade: (item) => (FINE / GOOD_IMAGES) * Math.min(imageCount(item), GOOD_IMAGES),
    say: (item) => (imageCount(item) === 1 ? "There is only one image." : "There are only two images."),
  }),
  itemRule({
    number: 31,
    id: "content.clean_text",
    title: "The texts are clean",
    field: "description",
    points: 2,
    severity: "minor",
    formats: ALL_FORMATS,
    expects:
      "No markup, character references, template remains or wrongly decoded letters. None of the points when they are in the title, half when they are in the description.",
    advice: "Look for the place where the text is escaped twice or read in the wrong encoding.",
    reference: REFERENCES.description,
    ...byFaults(
      {
        grade: FAULT,
        found: ({ title }) => residueIn(title) !== undefined,
        say: ({ title }) => `The title ${quoted(title)} ${RESIDUES[residueIn(title) ?? "markup"]}.`,
      },
      {
        grade: 6,
        found: (_, { description }) => description.residue !== undefined,
        say: (_, { description }) => `The description ${RESIDUES[description.residue ?? "markup"]}.`,
      },
    ),
  }),
  itemRule({
    number: 49,
    id: "content.title_brand",
    title: "The title names the brand",
    field: "title",
    points: 0,
    severity: "info",
    formats: ["gmc"],
    when: "when there are a title and a brand, no filler words",
    expects: "The brand somewhere in the title.",
    advice: "Where buyers look for the brand, let the title begin with it.",
    reference: REFERENCES.productData,
    applies: ({ title, brand }) => isSaid(brand) && !isPlaceholder(title),
    ...byFaults({
      grade: FAULT,
      found: ({ title, brand = "" }) => !mentions(title, brand),
      say: ({ brand = "" }) => `The title does not name the brand ${quoted(brand)}.`,
    }),
  }),
  itemRule({
    number: 50,
    id: "content.highlights",
    title: "Highlights come in numbers",
    field: "highlights",
    points: 0,
    severity: "info",
    formats: ["gmc"],
    when: "when there are highlights",
    expects: "At least two: Google takes no single one.",
    advice: "Add a second highlight.",
    reference: REFERENCES.productData,
    applies: ({ highlights }) => highlights !== undefined,
    ...byFaults({
      grade: FAULT,
      found: ({ highlights }) => highlights?.length === 1,
      say: () => "There is only one highlight, and Google takes no single one.",
    }),
  }),
];
