/** Categories: the merchant's own paths, Google's taxonomy, and what each path means in it. */
import { Type } from "./type.ts";
import { Plan } from "./plans.ts";
import { CATEGORY_NOTE } from "./proposal-counts.ts";
import {
  Cursor,
  Data,
  DateTime,
  flag,
  integer,
  Limit,
  NextCursor,
  Nullable,
  number,
  text,
  Uuid,
} from "./shapes.ts";
import type { Wire } from "./shapes.ts";

const GoogleCategory = Type.Object(
  { id: Type.String({ examples: ["2169"] }), path: Type.String({ examples: ["Home & Garden > … > Mugs"] }) },
  { title: "GoogleCategory", description: "A category of Google's product taxonomy." },
);
export type GoogleCategory = Wire<typeof GoogleCategory>;

const Suggestion = Type.Object(
  {
    ...GoogleCategory.properties,
    confidence: number("0 to 1."),
    matched: Type.Array(Type.String(), {
      description: "The words of the path and of titles that led to it.",
    }),
  },
  { title: "CategorySuggestion" },
);

const CategoryPath = Type.Object(
  {
    path: Type.String({ examples: ["Home > Mugs"] }),
    items: integer("Items with this path."),
    categorized: integer("Of these, how many have a Google category of their own."),
    titles: Type.Array(Type.String(), { description: "Of a few items." }),
    is_decided: Type.Boolean(),
    category: Nullable(GoogleCategory),
    decided_at: Nullable(DateTime),
    decided_by: Nullable(Type.String({ description: "The id of the key; null for the command line." })),
    suggestions: Type.Array(Suggestion, { description: "For paths that are not decided, the best first." }),
  },
  { title: "CategoryPath" },
);

export const CategoryQuery = Type.Object(
  {
    undecided: Type.Optional(flag("Only paths that need a decision.")),
    cursor: Cursor,
    limit: Limit,
  },
  { additionalProperties: false },
);

export const CategoriesAnswer = Data(
  Type.Object({
    categories: Type.Array(CategoryPath),
    totals: Type.Object(
      {
        items: integer("Items with a category path."),
        categorized: integer("Of these, how many have a Google category, of their own or by a decision."),
        paths: integer("Paths."),
        undecided: integer("Paths that need a decision."),
      },
      { title: "CategoryTotals" },
    ),
    note: Nullable(Type.String({ description: CATEGORY_NOTE })),
    next_cursor: NextCursor,
  }),
  "The merchant's category paths, as the last search for proposals counted them: those that need a decision first, by number of items.",
);

export const CategorySearchQuery = Type.Object(
  {
    q: Type.String({ minLength: 1, maxLength: 200, description: "Words, an id or a path." }),
    language: Type.Optional(
      Type.Enum(["en", "de", "fr", "es", "it", "nl", "pt", "da", "pl", "fi"], {
        description: "Of words and paths. Unless it is set: that of the catalog, and English.",
      }),
    ),
    limit: Limit,
  },
  { additionalProperties: false },
);

export const CategorySearchAnswer = Data(
  Type.Object({ categories: Type.Array(GoogleCategory) }),
  "Categories of Google's taxonomy, the best match first.",
);

export const MapCategories = Type.Object(
  {
    mappings: Type.Array(
      Type.Object(
        {
          path: Type.String({
            minLength: 1,
            maxLength: 2_000,
            pattern: "^[^\\u0000]*$",
            description: "As in GET /categories.",
          }),
          category: Type.Optional(
            Nullable(
              text(
                "An id or a path of Google's taxonomy. Null: none of them. Without it, the decision is taken back.",
              ),
            ),
          ),
        },
        { additionalProperties: false },
      ),
      { minItems: 1, maxItems: 5_000 },
    ),
    dry_run: Type.Optional(flag("Stores nothing and says what would change.")),
  },
  {
    title: "MapCategories",
    additionalProperties: false,
    examples: [{ mappings: [{ path: "Home > Mugs", category: "2169" }] }],
  },
);

/** Paths in an answer. */
export const MAX_LISTED_PATHS = 100;

export const MappedAnswer = Data(
  Type.Object(
    {
      mapped: integer("Paths of the request."),
      paths_without_items: Type.Array(Type.String(), {
        maxItems: MAX_LISTED_PATHS,
        description:
          "Decided paths that no item had when paths were last counted, the first 100: check their spelling. The decisions are for items that come later.",
      }),
      changed_items: Nullable(Type.Integer()),
      run_id: Nullable(Uuid),
      plan: Nullable(Plan),
    },
    { title: "MappedCategories", description: "`plan` of a dry run; otherwise the run that was done." },
  ),
  "The items have their categories. The feeds change with the next sync or POST /feeds.",
);
