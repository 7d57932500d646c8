/** Rules about categories and attributes. */
import type { Item, LengthUnit, Measure } from "../../catalog/item.ts";
import { OPTION_NAME_WORDS } from "../../catalog/vocabulary/traits.ts";
import { meaningOf } from "../../catalog/words.ts";
import { isColorFiller } from "../../catalog/filler-words.ts";
import { nearestHint } from "../../catalog/category-search.ts";
import { apparelKind, type CategoryKind, categoryKind } from "../../catalog/google-category.ts";
import { CHANNEL_LIMITS } from "../channel-limits.ts";
import { FAIL, PASS, type Outcome } from "../outcome.ts";
import { firstProblem, type ItemRule, itemRule, quoted, REFERENCES } from "../rule.ts";
import { isLonger } from "../../lib/text-length.ts";

const CATEGORY_OUTCOMES: Readonly<Record<CategoryKind, Outcome>> = {
  specific: PASS,
  root: 4,
  unrecognized: FAIL,
  // A path that cannot be checked earns no points. Otherwise any text with ">" would raise the score.
  unchecked: FAIL,
};

const CATEGORY_PROBLEMS: Readonly<Record<CategoryKind, (category: string) => string>> = {
  specific: () => "fine.",
  root: () => "too broad: it is a top-level category.",
  unrecognized: (category) => `not in Google's taxonomy.${nearestHint(category)}`,
  unchecked: () =>
    "a path in none of the ten languages of the taxonomy that are known here. Use its id, which is the same in every language.",
};

function categoryMessage({ googleCategory }: Item): string {
  if (googleCategory === undefined) return "The item has no Google category.";
  return `The Google category ${quoted(googleCategory)} is ${CATEGORY_PROBLEMS[categoryKind(googleCategory)](googleCategory)}`;
}

function missingOnApparel({ googleCategory, color, gender, ageGroup, size }: Item): string[] {
  const missing: string[] = [];
  if (color === undefined) missing.push("color");
  if (gender === undefined) missing.push("gender");
  if (ageGroup === undefined) missing.push("age group");
  if (size === undefined && apparelKind(googleCategory) === "sized") missing.push("size");
  return missing;
}

function apparelOutcome(item: Item): Outcome {
  const { color, gender, ageGroup, size } = item;
  const isSized = apparelKind(item.googleCategory) === "sized";
  const hasAll = color !== undefined && gender !== undefined && ageGroup !== undefined;
  if (hasAll && (size !== undefined || !isSized)) return PASS;
  const expected = isSized ? 4 : 3;
  return (PASS / expected) * (expected - missingOnApparel(item).length);
}

function isDescribed({ material, color, pattern, size, energyClass }: Item): boolean {
  if (material !== undefined || color !== undefined) return true;
  return pattern !== undefined || size !== undefined || energyClass !== undefined;
}

const isMeasured = ({ weight, shippingWeight, length, width }: Item): boolean =>
  weight !== undefined || shippingWeight !== undefined || length !== undefined || width !== undefined;
const isDetailed = ({ details, highlights }: Item): boolean =>
  details !== undefined || highlights !== undefined;

function attributesOutcome(item: Item): Outcome {
  const share = PASS / 4;
  let earned = item.condition === undefined ? 0 : share;
  if (isDescribed(item)) earned += share;
  if (isMeasured(item) || item.isDigital === true) earned += share;
  if (isDetailed(item)) earned += share;
  return earned;
}

function missingAttributes(item: Item): string {
  const missing = [];
  if (item.condition === undefined) missing.push("condition");
  if (!isDescribed(item)) missing.push("material, color, pattern, size or energy class");
  if (!isMeasured(item) && item.isDigital !== true) missing.push("weight or dimensions");
  if (!isDetailed(item)) missing.push("details or highlights");
  return missing.join("; ");
}

function isColorList(color: string): boolean {
  if (color.length <= CHANNEL_LIMITS.color && !color.includes("/")) return false;
  const colors = color.split("/");
  return colors.length > CHANNEL_LIMITS.colors || colors.some((one) => isLonger(one, CHANNEL_LIMITS.color));
}

type Trait = "color" | "size" | "material" | "pattern";

/** Finds a trait whose option has another value than the item's own field. */
function contradictedTrait(item: Item): Trait | undefined {
  for (const { name, value } of item.options ?? []) {
    if (value === item.color || value === item.size) continue;
    const trait = meaningOf(OPTION_NAME_WORDS, name);
    if (trait !== undefined && item[trait] !== undefined && item[trait] !== value) return trait;
  }
  return undefined;
}

function tooLongTrait({ size = "", material = "", mpn = "" }: Item): string | undefined {
  if (isLonger(size, CHANNEL_LIMITS.size)) return "size";
  if (isLonger(material, CHANNEL_LIMITS.material)) return "material";
  return isLonger(mpn, CHANNEL_LIMITS.mpn) ? "MPN" : undefined;
}

type Axis = Measure<LengthUnit> | undefined;

function isComplete(axes: readonly [Axis, Axis, Axis], min: number): boolean {
  let unit: LengthUnit | undefined;
  let known = 0;
  for (const axis of axes) {
    if (axis === undefined) continue;
    if (unit !== undefined && axis.unit !== unit) return false;
    unit = axis.unit;
    known++;
  }
  return known === 0 || known >= min;
}

/** OpenAI needs two dimensions of the item, Google needs all three of the parcel. */
function areDimensionsComplete(item: Item): boolean {
  const parcel = [item.shippingLength, item.shippingWidth, item.shippingHeight] as const;
  return isComplete([item.length, item.width, item.height], 2) && isComplete(parcel, 3);
}

export const CLASSIFICATION_RULES: readonly ItemRule[] = [
  itemRule({
    number: 32,
    id: "class.category",
    title: "Google category is missing or too broad",
    field: "googleCategory",
    points: 4,
    severity: "minor",
    formats: ["gmc", "jsonld"],
    expects:
      "An id or path in Google's taxonomy, below the top level. A third of the points for a top-level category. A path that is in none of ten languages does not count: use the id.",
    advice: "Map the shop's category to the most specific one in Google's taxonomy.",
    reference: REFERENCES.productData,
    evaluate: ({ googleCategory }) =>
      googleCategory === undefined ? FAIL : CATEGORY_OUTCOMES[categoryKind(googleCategory)],
    message: categoryMessage,
  }),
  itemRule({
    number: 33,
    id: "class.apparel",
    title: "Apparel lacks color, gender, age group or size",
    field: "color",
    points: 7,
    severity: "major",
    formats: ["gmc", "jsonld"],
    when: "when the Google category is apparel",
    expects: "Color, gender and age group, and a size for clothing and shoes; each earns an equal share.",
    advice:
      "Add the missing attributes: without them Google shows apparel less, and not at all in some countries.",
    reference: REFERENCES.productData,
    applies: ({ googleCategory }) => apparelKind(googleCategory) !== "none",
    evaluate: apparelOutcome,
    message: (item) => `Missing: ${missingOnApparel(item).join(", ")}.`,
  }),
  itemRule({
    number: 34,
    id: "class.attributes",
    title: "Common attributes are missing",
    field: "details",
    points: 3,
    severity: "minor",
    expects:
      "A condition; a material, color, pattern, size or energy class; a weight or dimensions, unless digital; details or highlights. Each earns a quarter.",
    advice: "Add the attributes that buyers filter and compare by.",
    reference: REFERENCES.openaiProducts,
    evaluate: attributesOutcome,
    message: (item) => `Missing: ${missingAttributes(item)}.`,
  }),
  itemRule({
    number: 35,
    id: "class.product_type",
    title: "Shop category is missing",
    field: "categories",
    points: 1,
    severity: "minor",
    expects: "At least one path of the shop's own categories.",
    advice: "Add the shop's category path to the source.",
    reference: REFERENCES.productData,
    found: ({ categories }) => categories === undefined,
    message: () => "The item is in none of the shop's categories.",
  }),
  itemRule({
    number: 36,
    id: "class.color",
    title: "Color is not the name of a color",
    field: "color",
    points: 1,
    severity: "minor",
    formats: ["gmc", "acp"],
    when: "when there is a color",
    expects: `The name of a color. Half of the points for more than ${CHANNEL_LIMITS.colors} colors or one longer than ${CHANNEL_LIMITS.color} characters.`,
    advice: "Use a color name that buyers know. Separate several colors by slashes, the main one first.",
    reference: REFERENCES.productData,
    applies: ({ color }) => color !== undefined,
    ...firstProblem(
      {
        earned: FAIL,
        found: ({ color = "" }) => isColorFiller(color),
        message: ({ color = "" }) => `${quoted(color)} is not the name of a color.`,
      },
      {
        earned: 6,
        found: ({ color = "" }) => isColorList(color),
        message: ({ color = "" }) =>
          `The color ${quoted(color)} is too long or has too many colors for channels.`,
      },
    ),
  }),
  itemRule({
    number: 51,
    id: "class.trait_lengths",
    title: "Size, material or MPN is too long",
    field: "size",
    formats: ["acp", "gmc"],
    expects: `At most ${CHANNEL_LIMITS.size} characters for the size, ${CHANNEL_LIMITS.material} for the material, ${CHANNEL_LIMITS.mpn} for the MPN.`,
    advice: "Shorten the value, and move explanations to the description or the details.",
    reference: REFERENCES.openaiProducts,
    found: (item) => tooLongTrait(item) !== undefined,
    message: (item) => `The ${tooLongTrait(item)} is longer than channels accept.`,
  }),
  itemRule({
    number: 52,
    id: "class.dimensions",
    title: "Dimensions are incomplete",
    field: "length",
    expects: "At least two dimensions of the item and all three of the parcel, in one unit each; or none.",
    advice: "Add the missing dimension and use one unit. Incomplete parcel dimensions are not sent.",
    reference: REFERENCES.productData,
    found: (item) => !areDimensionsComplete(item),
    message: () => "The dimensions are incomplete or in different units.",
  }),
  itemRule({
    number: 53,
    id: "class.options_agree",
    title: "Options contradict the item's fields",
    field: "options",
    when: "when the item has options",
    expects: "The same color, size, material and pattern in the options and in the item's own fields.",
    advice: "Correct the option or the field so that both have the same value.",
    reference: REFERENCES.openaiProducts,
    applies: ({ options }) => options !== undefined,
    found: (item) => contradictedTrait(item) !== undefined,
    message: (item) =>
      `The ${contradictedTrait(item) ?? "value"} in the options differs from the item's own field.`,
  }),
];
