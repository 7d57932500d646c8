/** The items that the first records of a source or a file become: the answer of source tests and of previews. */
import { Type } from "./type.ts";
import { flag, integer, Nullable, text } from "./shapes.ts";
import { Rejection, Warning } from "./syncs.ts";

const SUGGESTED_FIELD = Type.Object({
  field: Type.String({ description: "The field of the item.", examples: ["price"] }),
  column: Type.String({ description: "The column of the file.", examples: ["VK brutto"] }),
  confidence: Type.Enum(["high", "low"], { description: "How well the values fit the field." }),
  values: Type.Array(Type.String(), {
    description: "Up to three values of the column.",
    examples: [["12,50"]],
  }),
});

/** The first items of a source or of a file. */
export const SAMPLE = {
  items: Type.Array(Type.Object({ id: Type.String() }, { additionalProperties: true }), {
    description: "The first items as they would be published.",
  }),
  rejections: Type.Array(Rejection),
  warnings: Type.Array(Warning),
  effect: Type.Object(
    {
      added: Type.Array(Type.String()),
      changed: Type.Array(Type.String()),
      unchanged: Type.Array(Type.String()),
      deleted: Type.Array(Type.String()),
    },
    {
      description:
        "The ids of the rows, by what would happen to their items. Items without a row are not in it.",
    },
  ),
  cleared: Type.Array(
    Type.Object({
      item_id: Type.String(),
      fields: Type.Array(Type.String(), { examples: [["description", "brand"]] }),
    }),
    { description: "The stored items that would lose fields, and which." },
  ),
  feeds: Type.Array(
    Type.Object({
      file: Type.String({ examples: ["acp.csv"] }),
      written: integer("Items of the sample that would be in the file."),
      excluded: integer("Items of the sample that the merchant leaves out of the file."),
      refused: integer("Items in the file that its destination would refuse."),
      reasons: Type.Array(
        Type.Object({
          code: Type.String({ examples: ["missing_brand"] }),
          count: Type.Integer(),
          message: text("What is missing, and what to do about it."),
        }),
        { description: "Most frequent first." },
      ),
    }),
    { description: "What each file would have of these items, and what its destination would refuse." },
  ),
  suggestion: Nullable(
    Type.Object(
      {
        seen: Type.Array(Type.String(), { description: "The columns of the file." }),
        missing: Type.Array(Type.String(), {
          description: "Required fields without a column.",
        }),
        fields: Type.Array(SUGGESTED_FIELD, {
          description: "The columns whose names and values fit a field.",
        }),
        columns: text("Text for the setting `columns`."),
        link_template: Nullable(text("Text for the setting `link_template`.")),
        prices: Type.Array(SUGGESTED_FIELD, {
          description:
            "Columns that could be the price, if only a person knows which one customers pay, or whether whole numbers are cents. `columns` names none of them.",
        }),
      },
      { description: "Settings to try if the columns of a feed were not recognized." },
    ),
  ),
  is_whole: flag("True if there are no more items."),
};
