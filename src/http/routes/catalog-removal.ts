/** DELETE /api/v1/catalog: removes the key's catalog with everything in it, the key included. */
import { RemoveCatalog, RemovedCatalogAnswer } from "../../contract/catalog-removal.ts";
import { AppError } from "../../errors.ts";
import { removeCatalog } from "../../setup/remove-catalog.ts";
import { findCatalog } from "../../store/catalogs.ts";
import type { Api, ApiDeps } from "../api.ts";

export function catalogRemovalRoutes(api: Api, { db }: ApiDeps): void {
  api.route({
    method: "DELETE",
    url: "/catalog",
    scope: "admin",
    operationId: "removeCatalog",
    summary: "Remove the catalog",
    description:
      "Removes the catalog of this key with its items, sources, keys, webhooks, history and feed files, for good. The slug in the body confirms it. The feed URLs answer 404 and every key of the catalog 401 from then on; a worker deletes the rows and files.",
    body: RemoveCatalog,
    answers: { 202: RemovedCatalogAnswer },
    handler: async ({ caller: { catalogId: id }, body: { slug }, changeLog }) => {
      const catalog = await findCatalog(db, id);
      if (!catalog) throw removed();
      if (catalog.slug !== slug) throw notConfirmed();
      // The catalog's own rows of the changeLog go with it: this one belongs to the installation.
      const recorded = changeLog.recording(db, null, { type: "catalog", id: slug });
      const { items } = await removeCatalog(recorded, id);
      return { status: 202, body: { data: { id, slug, deleted: true as const, items } } };
    },
  });
}

const removed = (): AppError => new AppError("unauthorized", "The catalog of this API key was removed.");

function notConfirmed(): AppError {
  const detail = "This is not the slug of this key's catalog, so nothing was removed.";
  return new AppError("invalid_request", detail, { fields: [{ pointer: "/slug", detail }] });
}
