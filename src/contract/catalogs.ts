/** The catalogs that a caller can use. */
import { Type } from "./type.ts";
import { ChangedSettings } from "./catalog-settings.ts";
import { Score } from "./audits.ts";
import { Data, DateTime, Nullable } from "./shapes.ts";
import type { Wire } from "./shapes.ts";
import { CatalogState, StateReason } from "./status.ts";

const UsableCatalog = Type.Object(
  {
    slug: Type.String({ description: "Sent as Shelfwire-Catalog, by callers that can use several." }),
    name: Type.String(),
    item_count: Type.Integer(),
    scopes: Type.Array(Type.String(), {
      description: "What this caller may do in it.",
      examples: [["read"]],
    }),
    state: CatalogState,
    reason: StateReason,
    score: Nullable(Score),
  },
  { title: "UsableCatalog" },
);
export type UsableCatalog = Wire<typeof UsableCatalog>;

export const CatalogsAnswer = Data(
  Type.Object({
    catalogs: Type.Array(UsableCatalog),
    is_operator: Type.Boolean({ description: "Whether this caller may create catalogs." }),
    restored_at: Nullable({
      ...DateTime,
      description:
        "Since when this installation is a restored copy, which sends nothing to others until POST /installation/resume; null: it is live.",
    }),
  }),
  "The catalogs, by slug.",
);
export type CatalogsAnswer = Wire<typeof CatalogsAnswer>;

export const NewCatalog = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 200, pattern: "^\\s*[^\\s\\u0000][^\\u0000]*$" }),
    slug: Type.Optional(
      Type.String({
        maxLength: 63,
        description:
          "Its name in feed URLs, for good: lowercase letters, digits and hyphens. Made from the name unless set.",
        examples: ["kiln"],
      }),
    ),
    settings: Type.Optional(ChangedSettings),
  },
  {
    title: "NewCatalog",
    additionalProperties: false,
    examples: [{ name: "Kiln & Co.", settings: { currency: "USD", country: "US" } }],
  },
);

export const CreatedCatalogAnswer = Data(UsableCatalog, "The new catalog, still empty.");
