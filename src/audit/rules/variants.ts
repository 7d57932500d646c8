/** Can a machine tell which variant this is? What only shows beside the other items of the group. */
import type { Item } from "../../catalog/item.ts";
import { FAULT, FINE, type Outcome, UNKNOWN } from "../outcome.ts";
import type { Place } from "../place.ts";
import { REFERENCES } from "../references.ts";
import { ALL_FORMATS, byFaults, type ItemRule, itemRule, type Judgment, quoted } from "../rule.ts";

const isVariant = (_: Item, { kin }: Place): boolean => kin === "siblings" || kin === "unseen";

/** A judgment that needs the siblings says nothing while they are not at hand. */
function besideSiblings({ grade, say }: Judgment): Judgment {
  return { grade: (item, place): Outcome => (place.kin === "unseen" ? UNKNOWN : grade(item, place)), say };
}

function hasAxis(item: Item): boolean {
  return item.options !== undefined || hasTrait(item);
}

function hasTrait({ color, size, material, pattern, gender, ageGroup }: Item): boolean {
  if (color !== undefined || size !== undefined || material !== undefined) return true;
  return pattern !== undefined || gender !== undefined || ageGroup !== undefined;
}

const CONSISTENCY_FAULTS = byFaults(
  {
    grade: FAULT,
    found: (_, { isParentRow }) => isParentRow,
    say: ({ id }) => `The item ${quoted(id)} is the product itself, not a variant of it.`,
  },
  {
    grade: FAULT,
    found: (_, { choice }) => choice === FAULT,
    say: ({ options = [] }) =>
      `Another variant has the same choice: ${options.map(({ name, value }) => `${name} ${value}`).join(", ") || "the same traits"}.`,
  },
  {
    grade: 4,
    found: (_, { isUneven }) => isUneven,
    say: () => "The item names other options than its siblings.",
  },
  {
    grade: 6,
    found: (_, { odd }) => odd !== null,
    say: (_, { odd }) => `The ${odd === "brand" ? "brand" : "group's title"} is not that of its siblings.`,
  },
);

export const VARIANT_RULES: readonly ItemRule[] = [
  itemRule({
    number: 16,
    id: "identity.group_consistent",
    title: "Variants of the product do not fit together",
    field: "groupId",
    points: 3,
    severity: "major",
    formats: ALL_FORMATS,
    sight: "group",
    when: "when the item has siblings",
    expects:
      "No row for the product itself and no choice that another variant has already. A third of the points for options that differ in name from the siblings', half for another brand or group title. Of a group larger than 5,000 items, later ones are compared with the first 5,000 only.",
    advice:
      "Give all variants of a product the same options, each combination once, and do not sell the parent.",
    reference: REFERENCES.itemGroup,
    applies: isVariant,
    ...besideSiblings({
      grade: (item, place) => {
        const grade = CONSISTENCY_FAULTS.grade(item, place);
        return grade === FINE && place.choice === UNKNOWN ? UNKNOWN : grade;
      },
      say: CONSISTENCY_FAULTS.say,
    }),
  }),
  itemRule({
    number: 17,
    id: "identity.variant_axes",
    title: "Variant has no option that sets it apart",
    field: "options",
    points: 2,
    severity: "major",
    formats: ALL_FORMATS,
    sight: "group",
    when: "when the item has siblings and is not the product itself",
    expects: "Options, or a color, size, material, pattern, gender or age group.",
    advice: "Fill in the options that a buyer chooses by.",
    reference: REFERENCES.variants,
    applies: (item, place) => isVariant(item, place) && !place.isParentRow,
    ...besideSiblings(
      byFaults({
        grade: FAULT,
        found: (item) => !hasAxis(item),
        say: () => "The item has siblings, but nothing tells it apart from them.",
      }),
    ),
  }),
  itemRule({
    number: 18,
    id: "identity.variant_link",
    title: "Variants share one link",
    field: "link",
    points: 2,
    severity: "minor",
    formats: ALL_FORMATS,
    sight: "group",
    when: "when the item has siblings",
    expects: "A link that no sibling before it has.",
    advice: "Link to the page with the variant selected.",
    reference: REFERENCES.itemGroup,
    applies: isVariant,
    ...besideSiblings({
      grade: (_, { link }) => link,
      say: ({ link }) => `Another variant has the link ${quoted(link)}.`,
    }),
  }),
  itemRule({
    number: 19,
    id: "identity.variant_image",
    title: "Different colors share one image",
    field: "images",
    points: 1,
    severity: "minor",
    formats: ALL_FORMATS,
    sight: "group",
    when: "when the item has siblings, a color and an image",
    expects: "A main image that no sibling of another color before it has.",
    advice: "Show each color in its own photo.",
    reference: REFERENCES.itemGroup,
    applies: (item, place) => isVariant(item, place) && item.color !== undefined && item.images !== undefined,
    ...besideSiblings({
      grade: (_, { image }) => image,
      say: ({ color = "" }) => `A variant of another color than ${quoted(color)} has the same image.`,
    }),
  }),
  itemRule({
    number: 43,
    id: "identity.group_single",
    title: "Group has only one item",
    field: "groupId",
    points: 0,
    severity: "info",
    formats: ALL_FORMATS,
    sight: "group",
    when: "when the item is in a group",
    expects: "At least one sibling. A group of one is left out of the files.",
    advice: "Nothing, if the other variants are gone. Otherwise check whether they were rejected.",
    reference: REFERENCES.itemGroup,
    applies: (_, { kin }) => kin !== "none",
    ...besideSiblings(
      byFaults({
        grade: FAULT,
        found: (_, { kin }) => kin === "alone",
        say: ({ groupId = "" }) => `The item is the only one of the group ${quoted(groupId)}.`,
      }),
    ),
  }),
  itemRule({
    number: 44,
    id: "identity.group_missing",
    title: "Options without a group",
    field: "groupId",
    points: 0,
    severity: "info",
    formats: ALL_FORMATS,
    when: "when the item has options",
    expects: "A group id.",
    advice: "Give the variants of one product a common group id.",
    reference: REFERENCES.itemGroup,
    applies: ({ options }) => options !== undefined,
    ...byFaults({
      grade: FAULT,
      found: ({ groupId }) => groupId === undefined,
      say: () => "The item has options, but no group that it would be a variant of.",
    }),
  }),
];
