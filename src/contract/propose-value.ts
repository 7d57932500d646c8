/** The body that an assistant sends to propose a value. */
import { Type } from "./type.ts";
import { Proposal } from "./proposals.ts";
import { Data, ItemId } from "./shapes.ts";
import type { Wire } from "./shapes.ts";

/**
 * The fields that external programs may propose. A price, a link, a stock, or a claim that a law asks for is never
 * among them.
 */
export const PROPOSABLE_FIELDS = [
  "title",
  "short_title",
  "description",
  "brand",
  "gtin",
  "mpn",
  "google_category",
  "condition",
  "color",
  "size",
  "size_system",
  "size_type",
  "material",
  "pattern",
  "gender",
  "age_group",
  "multipack",
  "is_bundle",
  "unit_pricing_measure",
  "unit_pricing_base_measure",
  "weight",
  "length",
  "width",
  "height",
  "custom_label0",
  "custom_label1",
  "custom_label2",
  "custom_label3",
  "custom_label4",
] as const;

/** The texts of an item that can be quoted: those that a shop wrote. */
export const QUOTED_FIELD =
  "^(title|description|brand|sku|gtin|barcode|mpn|color|size|material|pattern|(options|details|categories)\\.[0-9]{1,4})$";

const Quote = Type.Object(
  {
    field: Type.String({
      maxLength: 100,
      pattern: QUOTED_FIELD,
      description:
        "Where the text stands in the item: `title`, `description`, `sku`, or an entry of a list counted from 0, such as `options.0`, `details.2`, `categories.0`.",
      examples: ["title"],
    }),
    text: Type.String({
      minLength: 1,
      maxLength: 2_000,
      pattern: "^[^\\u0000]*$",
      description: "Copied from there, character by character.",
    }),
  },
  { title: "Quote", additionalProperties: false },
);
export type Quote = Wire<typeof Quote>;

export const ProposeValue = Type.Object(
  {
    item_id: ItemId,
    field: Type.Enum([...PROPOSABLE_FIELDS]),
    value: Type.String({
      minLength: 1,
      maxLength: 5_000,
      pattern: "^[^\\u0000]*$",
      description: "Plain text, as a push would send it. `google_category` takes an id of Google's taxonomy.",
    }),
    evidence: Type.Array(Quote, {
      minItems: 1,
      maxItems: 20,
      description: "What the value follows from. If all words of the value are in it, the value is grounded.",
    }),
    reason: Type.String({
      minLength: 1,
      maxLength: 1_000,
      pattern: "^[^\\u0000]*$",
      description: "For the person who decides.",
    }),
  },
  {
    title: "ProposeValue",
    additionalProperties: false,
    examples: [
      {
        item_id: "mug-7",
        field: "color",
        value: "Blue",
        evidence: [{ field: "title", text: "Blue mug" }],
        reason: "The title names the color.",
      },
    ],
  },
);
export type ProposeValue = Wire<typeof ProposeValue>;

export const ProposedAnswer = Data(
  Type.Object({ proposal: Proposal }),
  "The proposal, for a person to decide.",
);
