/** GET /api/v1/catalog/status: how the catalog is doing, and what to do first. */
import { CatalogStatusAnswer } from "../../contract/status.ts";
import { AppError } from "../../errors.ts";
import { catalogStatus } from "../../pipeline/status/status.ts";
import type { Api, ApiDeps } from "../api.ts";

export function statusRoutes(api: Api, deps: ApiDeps): void {
  api.route({
    method: "GET",
    url: "/catalog/status",
    scope: "read",
    operationId: "getCatalogStatus",
    summary: "How the catalog is doing",
    description:
      "One state with its reason and one action, everything that needs attention ordered by consequence, the score with its history, the four feeds, and the last and the next sync. It costs the same for any size of the catalog.",
    answers: { 200: CatalogStatusAnswer },
    handler: async ({ caller }) => {
      const status = await catalogStatus(deps, caller.catalogId);
      if (!status) throw new AppError("unauthorized", "The catalog of this API key was removed.");
      return { body: { data: status } };
    },
  });
}
