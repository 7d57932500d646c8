/** Rules that compare an item with the other items of its group. */
import type { Item } from "../../catalog/item.ts";
import { FAIL, type Outcome, PASS, UNKNOWN } from "../outcome.ts";
import {
  firstProblem,
  type ItemRule,
  itemRule,
  quoted,
  REFERENCES,
  type RuleCheck,
  type AuditRuleContext,
} from "../rule.ts";

const isVariant = (_: Item, { groupStatus }: AuditRuleContext): boolean =>
  groupStatus === "siblings" || groupStatus === "unknown";

/** The outcome is unknown while the siblings are not available. */
function withSiblings({ evaluate, message }: RuleCheck): RuleCheck {
  return {
    evaluate: (item, context): Outcome =>
      context.groupStatus === "unknown" ? UNKNOWN : evaluate(item, context),
    message,
  };
}

function hasVariantAttribute(item: Item): boolean {
  return item.options !== undefined || hasTrait(item);
}

function hasTrait({ color, size, material, pattern, gender, ageGroup }: Item): boolean {
  if (color !== undefined || size !== undefined || material !== undefined) return true;
  return pattern !== undefined || gender !== undefined || ageGroup !== undefined;
}

const CONSISTENCY_PROBLEMS = firstProblem(
  {
    earned: FAIL,
    found: (_, { isParentRow }) => isParentRow,
    message: ({ id }) => `The item ${quoted(id)} is the product itself, not a variant.`,
  },
  {
    earned: FAIL,
    found: (_, { uniqueOptions }) => uniqueOptions === FAIL,
    message: ({ options = [] }) =>
      `Another variant has the same options: ${options.map(({ name, value }) => `${name} ${value}`).join(", ") || "the same attributes"}.`,
  },
  {
    earned: 4,
    found: (_, { hasOtherOptions }) => hasOtherOptions,
    message: () => "The options have other names than those of its siblings.",
  },
  {
    earned: 6,
    found: (_, { mismatch }) => mismatch !== null,
    message: (_, { mismatch }) =>
      `The ${mismatch === "brand" ? "brand" : "group's title"} differs from that of its siblings.`,
  },
);

export const VARIANT_RULES: readonly ItemRule[] = [
  itemRule({
    number: 16,
    id: "identity.group_consistent",
    title: "Variants are inconsistent",
    field: "groupId",
    points: 3,
    severity: "major",
    scope: "group",
    when: "when the item has siblings",
    expects:
      "No row for the product itself, and no options that another variant already has. A third of the points for other option names than the siblings', half for another brand or group title. In groups of more than 5,000 items, later items are compared with the first 5,000 only.",
    advice:
      "Give all variants of a product the same option names and each combination once, and remove the parent row.",
    reference: REFERENCES.itemGroup,
    applies: isVariant,
    ...withSiblings({
      evaluate: (item, context) => {
        const earned = CONSISTENCY_PROBLEMS.evaluate(item, context);
        return earned === PASS && context.uniqueOptions === UNKNOWN ? UNKNOWN : earned;
      },
      message: CONSISTENCY_PROBLEMS.message,
    }),
  }),
  itemRule({
    number: 17,
    id: "identity.variant_axes",
    title: "Variant has no options",
    field: "options",
    points: 2,
    severity: "major",
    scope: "group",
    when: "when the item has siblings and is not the product itself",
    expects: "Options, or a color, size, material, pattern, gender or age group.",
    advice: "Add the options that buyers choose by.",
    reference: REFERENCES.variants,
    applies: (item, context) => isVariant(item, context) && !context.isParentRow,
    ...withSiblings(
      firstProblem({
        earned: FAIL,
        found: (item) => !hasVariantAttribute(item),
        message: () => "The item has siblings, but no options that distinguish it from them.",
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
    scope: "group",
    when: "when the item has siblings",
    expects: "A link that no sibling before it has.",
    advice: "Link to the page with the variant selected.",
    reference: REFERENCES.itemGroup,
    applies: isVariant,
    ...withSiblings({
      evaluate: (_, { uniqueLink }) => uniqueLink,
      message: ({ link = "" }) => `Another variant has the link ${quoted(link)}.`,
    }),
  }),
  itemRule({
    number: 19,
    id: "identity.variant_image",
    title: "Different colors share one image",
    field: "images",
    points: 1,
    severity: "minor",
    scope: "group",
    when: "when the item has siblings, a color and an image",
    expects: "A main image that no sibling of another color before it has.",
    advice: "Show each color in its own photo.",
    reference: REFERENCES.itemGroup,
    applies: (item, context) =>
      isVariant(item, context) && item.color !== undefined && item.images !== undefined,
    ...withSiblings({
      evaluate: (_, { uniqueImage }) => uniqueImage,
      message: ({ color = "" }) => `A variant of another color than ${quoted(color)} has the same image.`,
    }),
  }),
  itemRule({
    number: 43,
    id: "identity.group_single",
    title: "Group has only one item",
    field: "groupId",
    scope: "group",
    when: "when the item is in a group",
    expects: "At least one sibling. A group of one item is not written to the files.",
    advice:
      "If there should be other variants, check whether they were rejected. Otherwise nothing is to do.",
    reference: REFERENCES.itemGroup,
    applies: (_, { groupStatus }) => groupStatus !== "none",
    ...withSiblings(
      firstProblem({
        earned: FAIL,
        found: (_, { groupStatus }) => groupStatus === "single",
        message: ({ groupId = "" }) => `The item is the only one of the group ${quoted(groupId)}.`,
      }),
    ),
  }),
  itemRule({
    number: 44,
    id: "identity.group_missing",
    title: "Options without a group",
    field: "groupId",
    when: "when the item has options",
    expects: "A group id.",
    advice: "Give all variants of a product the same group id.",
    reference: REFERENCES.itemGroup,
    applies: ({ options }) => options !== undefined,
    found: ({ groupId }) => groupId === undefined,
    message: () => "The item has options, but no group.",
  }),
];
