/** Does each channel get what it demands? What an item cannot be listed without, apart from its addresses. */
import type { Item } from "../../catalog/item.ts";
import { isZero } from "../../catalog/money.ts";
import { isBrandFiller, isSaid } from "../filler.ts";
import { isPlaceholder } from "../../catalog/placeholder.ts";
import { FAULT } from "../outcome.ts";
import { REFERENCES } from "../references.ts";
import { ALL_FORMATS, byFaults, type ItemRule, itemRule, quoted } from "../rule.ts";
import { isLonger, lengthOf } from "../text-length.ts";

const LONGEST_ID = 50;
const LONGEST_TITLE = 150;
const LONGEST_DESCRIPTION = 5_000;
const LONGEST_BRAND = 70;

const hasNoDescription = ({ description }: Item) => !isSaid(description);

export const ELIGIBILITY_RULES: readonly ItemRule[] = [
  itemRule({
    number: 1,
    id: "eligibility.id",
    title: "The id fits every channel",
    field: "id",
    points: 3,
    severity: "critical",
    formats: ALL_FORMATS,
    blocks: ["gmc"],
    expects: `At most ${LONGEST_ID} characters. That ids are unique is seen to before an item is stored.`,
    advice: "Give the item a shorter id, and keep it: channels forget what they knew under the old one.",
    reference: REFERENCES.productData,
    ...byFaults({
      grade: FAULT,
      found: ({ id }) => isLonger(id, LONGEST_ID),
      say: ({ id }) => `The id has ${lengthOf(id)} characters; Google takes ${LONGEST_ID}.`,
    }),
  }),
  itemRule({
    number: 2,
    id: "eligibility.title",
    title: "The title is a name and is shown whole",
    field: "title",
    points: 4,
    severity: "critical",
    formats: ALL_FORMATS,
    blocks: ["acp"],
    expects: `A name, no filler word. Two thirds of the points for one longer than ${LONGEST_TITLE} characters, whose end is cut off.`,
    advice: `Name the product in at most ${LONGEST_TITLE} characters, the most telling words first.`,
    reference: REFERENCES.openaiProducts,
    ...byFaults(
      {
        grade: FAULT,
        found: ({ title }) => isPlaceholder(title),
        say: ({ title }) => `The title ${quoted(title)} is a filler word.`,
      },
      {
        grade: 8,
        found: ({ title }) => isLonger(title, LONGEST_TITLE),
        say: ({ title }) =>
          `The title has ${lengthOf(title)} characters; ${LONGEST_TITLE} of them are shown.`,
      },
    ),
  }),
  itemRule({
    number: 3,
    id: "eligibility.description",
    title: "There is a description",
    field: "description",
    points: 4,
    severity: "critical",
    formats: ALL_FORMATS,
    blocks: ["acp", "gmc"],
    expects: `A text, no filler word. Two thirds of the points for one longer than ${LONGEST_DESCRIPTION} characters, whose end is cut off.`,
    advice: "Describe what the product is, what it is made of and what it is for, in plain text.",
    reference: REFERENCES.description,
    ...byFaults(
      {
        grade: FAULT,
        found: hasNoDescription,
        say: ({ description }) =>
          description === undefined
            ? "The item has no description."
            : `The description ${quoted(description)} is a filler word.`,
      },
      {
        grade: 8,
        found: ({ description = "" }) => isLonger(description, LONGEST_DESCRIPTION),
        say: ({ description = "" }) =>
          `The description has ${lengthOf(description)} characters; ${LONGEST_DESCRIPTION} of them are shown.`,
      },
    ),
  }),
  itemRule({
    number: 9,
    id: "eligibility.price",
    title: "The price is above zero",
    field: "price",
    points: 4,
    severity: "critical",
    formats: ALL_FORMATS,
    blocks: ALL_FORMATS,
    expects: "An amount above zero.",
    advice: "Set the price, or take the item out of the catalog while it cannot be bought.",
    reference: REFERENCES.price,
    ...byFaults({ grade: FAULT, found: ({ price }) => isZero(price), say: () => "The price is zero." }),
  }),
  itemRule({
    number: 10,
    id: "eligibility.availability",
    title: "It is known whether the item can be had",
    field: "availability",
    points: 3,
    severity: "critical",
    formats: ALL_FORMATS,
    blocks: ["gmc"],
    expects: "In stock, out of stock, pre-order or backorder.",
    advice: "Let the shop or feed say whether the item is in stock, in words that we know.",
    reference: REFERENCES.availability,
    ...byFaults({
      grade: FAULT,
      found: ({ availability }) => availability === "unknown",
      say: () => "The source does not say whether the item is in stock.",
    }),
  }),
  itemRule({
    number: 11,
    id: "eligibility.brand",
    title: "The item has a brand",
    field: "brand",
    points: 3,
    severity: "critical",
    formats: ALL_FORMATS,
    blocks: ["acp"],
    expects: `A name, no filler word. A third of the points for a word that Google takes for no brand, two thirds for one longer than ${LONGEST_BRAND} characters.`,
    advice: "Name the maker. A shop that makes the goods itself is their brand.",
    reference: REFERENCES.openaiProducts,
    ...byFaults(
      {
        grade: FAULT,
        found: ({ brand }) => !isSaid(brand),
        say: ({ brand }) =>
          brand === undefined ? "The item has no brand." : `The brand ${quoted(brand)} is a filler word.`,
      },
      {
        grade: 4,
        found: ({ brand = "" }) => isBrandFiller(brand),
        say: ({ brand = "" }) => `Google takes the brand ${quoted(brand)} for none.`,
      },
      {
        grade: 8,
        found: ({ brand = "" }) => isLonger(brand, LONGEST_BRAND),
        say: ({ brand = "" }) =>
          `The brand has ${lengthOf(brand)} characters; channels take ${LONGEST_BRAND}.`,
      },
    ),
  }),
  itemRule({
    number: 40,
    id: "eligibility.adult",
    title: "OpenAI takes no goods for adults only",
    field: "adult",
    points: 0,
    severity: "info",
    formats: ["acp"],
    expects: "The item is not marked as for adults only.",
    advice: "Keep goods for adults in a catalog of their own that is not sent to OpenAI.",
    reference: REFERENCES.openaiProducts,
    ...byFaults({
      grade: FAULT,
      found: ({ adult }) => adult === true,
      say: () => "The item is marked as for adults only, which OpenAI's policy prohibits.",
    }),
  }),
];
