/** Would a buyer or an assistant understand it? Titles, descriptions and images. */
import { counted } from "../../lib/counted.ts";
import type { Item } from "../../catalog/item.ts";
import { CHANNEL_LIMITS } from "../channel-limits.ts";
import { isMeaningful, isPlaceholder } from "../../catalog/filler-words.ts";
import type { Place } from "../place.ts";
import { FAULT, FINE, type Outcome } from "../outcome.ts";
import { REFERENCES } from "../references.ts";
import { repeatsTitle } from "../repeats-title.ts";
import { ALL_FORMATS, byFaults, type ItemRule, itemRule, quoted } from "../rule.ts";
import { weightOf } from "../../lib/text-length.ts";
import { isDecorated, isPromotion, isShouting, residueIn, RESIDUES } from "../text-signs.ts";

const GOOD_TITLE = 30;
const POOR_TITLE = 15;
/** Two or three sentences; what is shorter earns a twelfth for every twenty characters. */
const GOOD_DESCRIPTION = 240;
const DESCRIPTION_STEP = GOOD_DESCRIPTION / FINE;
const GOOD_IMAGES = 3;

const hasDescription = ({ description }: Item, place: Place): boolean =>
  isMeaningful(description) && !place.description.isDummy;
const hasName = ({ title }: Item, { isDummyTitle }: Place): boolean => !isDummyTitle && !isPlaceholder(title);
const imageCount = ({ images }: Item): number => images?.length ?? 0;

function descriptionGrade({ title, description = "" }: Item): Outcome {
  if (repeatsTitle(title, description)) return FAULT;
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
    formats: ALL_FORMATS,
    when: "unless the title is a placeholder",
    expects: `A quarter of the points for promotional text or mostly capitals, a third for fewer than ${POOR_TITLE} characters, half for emoji and doubled marks, two thirds for fewer than ${GOOD_TITLE} characters. Characters of Chinese, Japanese and Korean count three times.`,
    advice: `Name the product as its page does: brand, kind, what sets it apart, in ${GOOD_TITLE} to ${CHANNEL_LIMITS.title} characters.`,
    reference: REFERENCES.productData,
    applies: hasName,
    ...byFaults(
      {
        grade: 3,
        found: ({ title }) => isPromotion(title),
        say: ({ title }) => `The title ${quoted(title)} is promotional.`,
      },
      {
        grade: 3,
        found: ({ title }) => isShouting(title),
        say: ({ title }) => `The title ${quoted(title)} is mostly capitals.`,
      },
      {
        grade: 4,
        found: ({ title }) => weightOf(title, GOOD_TITLE) < POOR_TITLE,
        say: ({ title }) => `The title ${quoted(title)} is very short.`,
      },
      {
        grade: 6,
        found: ({ title }) => isDecorated(title),
        say: ({ title }) => `The title ${quoted(title)} has emoji or repeated marks.`,
      },
      {
        grade: 8,
        found: ({ title }) => weightOf(title, GOOD_TITLE) < GOOD_TITLE,
        say: ({ title }) => `The title ${quoted(title)} is short.`,
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
    formats: ALL_FORMATS,
    when: "when there is a description",
    expects: `${GOOD_DESCRIPTION} characters; a twelfth of the points for every ${DESCRIPTION_STEP} of them, none for a copy of the title, for a part of it, or for the title and a few words. Characters of Chinese, Japanese and Korean count three times.`,
    advice: "Write two or three sentences: what it is, what it is made of, what it fits and what it is for.",
    reference: REFERENCES.description,
    applies: hasDescription,
    grade: descriptionGrade,
    say: ({ title, description = "" }) =>
      repeatsTitle(title, description)
        ? `The description says hardly more than the title: ${quoted(description)}.`
        : `The description has only ${counted(description.length, "character")}.`,
  }),
  itemRule({
    number: 28,
    id: "content.description_unique",
    title: "Description is copied from another product",
    field: "description",
    points: 4,
    severity: "major",
    formats: ALL_FORMATS,
    sight: "catalog",
    when: "when there is a description",
    expects:
      "No unrelated item before it begins with the same 200 characters; siblings may. Looked for among the first million descriptions; what comes later is unknown unless it repeats one of those.",
    advice: "Describe this product. Put what all products have in common at the end.",
    reference: REFERENCES.description,
    applies: hasDescription,
    grade: (_, { opening }) => opening,
    say: ({ description = "" }) =>
      `An unrelated item has a description that begins the same: ${quoted(description)}.`,
  }),
  itemRule({
    number: 29,
    id: "content.description_neutral",
    title: "Description has addresses or promotional text",
    field: "description",
    points: 1,
    severity: "minor",
    formats: ALL_FORMATS,
    when: "when there is a description",
    expects: "No web or e-mail address. Half of the points for promotional text.",
    advice: "Remove addresses, prices, shipping and offers: they have their own fields.",
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
        say: () => "The description has promotional text in it.",
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
    formats: ALL_FORMATS,
    when: "when there is an image",
    expects: "Three images; a third of the points for one, two thirds for two.",
    advice: "Add photos from other sides and in use.",
    reference: REFERENCES.image,
    applies: ({ images }) => images !== undefined,
    grade: (item) => (FINE / GOOD_IMAGES) * Math.min(imageCount(item), GOOD_IMAGES),
    say: (item) => (imageCount(item) === 1 ? "There is only one image." : "There are only two images."),
  }),
  itemRule({
    number: 31,
    id: "content.clean_text",
    title: "HTML, entities or broken characters in texts",
    field: "description",
    points: 2,
    severity: "minor",
    formats: ALL_FORMATS,
    expects:
      "No markup, character references, template remains or wrongly decoded letters. None of the points when they are in the title, half when they are in the description.",
    advice: "Find where the text is escaped twice or read in the wrong encoding.",
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
    title: "Title does not name the brand",
    field: "title",
    points: 0,
    severity: "info",
    formats: ["gmc"],
    when: "when there are a title and a brand, no placeholders",
    expects: "The brand somewhere in the title.",
    advice: "Where buyers search by brand, begin the title with it.",
    reference: REFERENCES.productData,
    applies: (item, place) => isMeaningful(item.brand) && hasName(item, place),
    ...byFaults({
      grade: FAULT,
      found: ({ title, brand = "" }) => !mentions(title, brand),
      say: ({ brand = "" }) => `The title does not name the brand ${quoted(brand)}.`,
    }),
  }),
  itemRule({
    number: 50,
    id: "content.highlights",
    title: "Only one highlight",
    field: "highlights",
    points: 0,
    severity: "info",
    formats: ["gmc"],
    when: "when there are highlights",
    expects: "At least two: Google does not accept a single one.",
    advice: "Add a second highlight: Google does not accept a single one.",
    reference: REFERENCES.productData,
    applies: ({ highlights }) => highlights !== undefined,
    ...byFaults({
      grade: FAULT,
      found: ({ highlights }) => highlights?.length === 1,
      say: () => "There is only one highlight, and Google does not accept a single one.",
    }),
  }),
];
