/** Removing a catalog, confirmed by its slug. */
import { Type } from "./type.ts";
import { Data, integer, Uuid } from "./shapes.ts";

export const RemoveCatalog = Type.Object(
  {
    slug: Type.String({
      minLength: 1,
      maxLength: 63,
      description: "The slug of the key's catalog, as in its feed URLs, to confirm.",
    }),
  },
  { title: "RemoveCatalog", additionalProperties: false },
);

export const RemovedCatalogAnswer = Data(
  Type.Object({
    id: Uuid,
    slug: Type.String(),
    deleted: Type.Literal(true),
    items: integer("How many items it had."),
  }),
  "The catalog is removed; its rows and files are deleted in the background.",
);
