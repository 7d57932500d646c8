/** Removing a catalog: confirmed by its slug, so that no call made by mistake removes one. */
import { Type } from "typebox";
import type { Static } from "typebox";
import { Data, Uuid } from "./shapes.ts";

export const RemoveCatalog = Type.Object(
  {
    slug: Type.String({
      minLength: 1,
      maxLength: 63,
      description: "The slug of the key's own catalog, as it stands in its feed URLs: the confirmation.",
    }),
  },
  { additionalProperties: false },
);
export type RemoveCatalog = Static<typeof RemoveCatalog>;

export const RemovedCatalogAnswer = Data(
  Type.Object({
    id: Uuid,
    slug: Type.String(),
    deleted: Type.Literal(true),
    items: Type.Integer({ description: "How many items it had." }),
  }),
);
