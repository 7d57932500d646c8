/** The catalogs that a caller can use. */
import { Type } from "typebox";
import { Data } from "./shapes.ts";
import type { Wire } from "./shapes.ts";

const UsableCatalog = Type.Object(
  {
    slug: Type.String({ description: "Sent as Shelfwire-Catalog, by callers that can use several." }),
    name: Type.String(),
    item_count: Type.Integer(),
    scopes: Type.Array(Type.String(), {
      description: "What this caller may do in it.",
      examples: [["read"]],
    }),
  },
  { title: "UsableCatalog" },
);
export type UsableCatalog = Wire<typeof UsableCatalog>;

export const CatalogsAnswer = Data(
  Type.Object({
    catalogs: Type.Array(UsableCatalog),
    is_operator: Type.Boolean({ description: "Whether this caller may create catalogs." }),
  }),
  "The catalogs, by slug.",
);
export type CatalogsAnswer = Wire<typeof CatalogsAnswer>;
