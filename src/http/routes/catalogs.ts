/** GET /api/v1/catalogs: the catalogs that the caller can use. */
import { CatalogsAnswer } from "../../contract/catalogs.ts";
import { listCatalogs } from "../../store/catalogs.ts";
import type { Api, ApiDeps } from "../api.ts";

export function catalogsRoutes(api: Api, { db }: ApiDeps): void {
  api.route({
    method: "GET",
    url: "/catalogs",
    scope: "read",
    isForInstallation: true,
    operationId: "listCatalogs",
    summary: "List the catalogs of this caller",
    description:
      "One for a catalog's key, those that were signed in to for a session, all for an operator key.",
    tag: "Catalog",
    answers: { 200: CatalogsAnswer },
    handler: async ({ caller: { keys } }) => {
      const operator = keys.find(({ catalogId }) => catalogId === null);
      const catalogs = (await listCatalogs(db)).flatMap(({ id, slug, name, itemCount }) => {
        const key = keys.find(({ catalogId }) => catalogId === id) ?? operator;
        return key ? [{ slug, name, item_count: itemCount, scopes: [...key.scopes] }] : [];
      });
      return { body: { data: { catalogs, is_operator: operator !== undefined } } };
    },
  });
}
