/** Removing a catalog: confirmed by its slug, so that no call made by mistake removes one. */
import { Type } from "typebox";
import { Data, Uuid } from "./shapes.ts";

export const RemoveCatalog = Type.Object(
  {
    slug: Type.String({
      minLength: 1,
      maxLength: 63,
      description: "The slug of the key's own catalog, as it stands in its feed URLs: the confirmation.",
    }),
  },
  { title: "RemoveCatalog", additionalProperties: false },
);

export const RemovedCatalogAnswer = Data(
  Type.Object({
    id: Uuid,
    slug: Type.String(),
    deleted: Type.Literal(true),
    items: Type.Integer({ description: "How many items it had." }),
  }),
  "The catalog is removed; its rows and files are deleted in the background.",
);
