/** /api/v1/catalogs: the catalogs that the caller can use, and new ones. */
import { CatalogsAnswer, CreatedCatalogAnswer, NewCatalog } from "../../contract/catalogs.ts";
import { AppError } from "../../errors.ts";
import { summarizeCatalogs } from "../../pipeline/status/status.ts";
import { createCatalog, nameProblems } from "../../setup/catalogs.ts";
import { fieldNames } from "../../setup/changes.ts";
import { listCatalogs } from "../../store/catalogs.ts";
import { restoredSince } from "../../store/restores.ts";
import type { Api, ApiDeps } from "../api.ts";
import { settingsChange, withSettingPointers } from "./catalog-settings.ts";

export function catalogsRoutes(api: Api, deps: ApiDeps): void {
  listUsable(api, deps);
  create(api, deps);
}

function listUsable(api: Api, deps: ApiDeps): void {
  const { db } = deps;
  api.route({
    method: "GET",
    url: "/catalogs",
    scope: "read",
    isForInstallation: true,
    operationId: "listCatalogs",
    summary: "List the catalogs of this caller",
    description:
      "With the state of each: one for a catalog's key, those that were signed in to for a session, all for an operator key.",
    answers: { 200: CatalogsAnswer },
    handler: async ({ caller: { keys } }) => {
      const operator = keys.find(({ catalogId }) => catalogId === null);
      const usable = (await listCatalogs(db)).flatMap((catalog) => {
        const key = operator ?? keys.find(({ catalogId }) => catalogId === catalog.id);
        return key ? [{ ...catalog, scopes: key.scopes }] : [];
      });
      const ids = usable.map(({ id }) => id);
      const summaries = await summarizeCatalogs(deps, ids);
      const catalogs = usable.flatMap(({ id, slug, name, itemCount, scopes }) => {
        const summary = summaries.get(id);
        return summary ? [{ slug, name, item_count: itemCount, scopes: [...scopes], ...summary }] : [];
      });
      const restoredAt = (await restoredSince(db))?.toISOString() ?? null;
      return { body: { data: { catalogs, is_operator: operator !== undefined, restored_at: restoredAt } } };
    },
  });
}

function create(api: Api, deps: ApiDeps): void {
  const { db, encryption } = deps;
  api.route({
    method: "POST",
    url: "/catalogs",
    scope: "operator",
    isForInstallation: true,
    operationId: "createCatalog",
    summary: "Create a catalog",
    description:
      "Needs an operator key, which can use the new catalog at once. Add a source or push items next.",
    body: NewCatalog,
    answers: { 201: CreatedCatalogAnswer },
    problems: [409],
    handler: async ({ caller, body, changeLog }) => {
      const name = body.name.trim();
      const { slug = slugFrom(name), settings = {} } = body;
      refuseNames({ slug, name });
      const { set } = settingsChange(settings);
      const summary = await db.tx(async (tx) => {
        const { id } = await withSettingPointers(async () =>
          createCatalog(tx, encryption, { slug, name, settings: set }),
        );
        const fields = fieldNames({ slug, name, settings });
        await changeLog.record(tx, id, { type: "catalog", id: slug, fields });
        return (await summarizeCatalogs({ ...deps, db: tx }, [id])).get(id);
      });
      if (!summary) throw new AppError("internal", "The catalog was not created.");
      const data = { slug, name, item_count: 0, scopes: [...caller.key.scopes], ...summary };
      return { status: 201, body: { data } };
    },
  });
}

/** Accents are dropped; everything that a slug may not contain becomes a hyphen. */
const slugFrom = (name: string): string =>
  name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "")
    .slice(0, 63)
    .replace(/-$/, "");

/** Names the fields as they are in the body. */
function refuseNames(names: { readonly slug: string; readonly name: string }): void {
  const problems = nameProblems(names);
  if (problems.length === 0) return;
  const sentences = problems.map(({ pointer, detail }) => `The ${pointer} ${detail}.`).join(" ");
  throw new AppError("invalid_request", `The catalog cannot be created. ${sentences}`, {
    fields: problems.map(({ pointer, detail }) => ({ pointer: `/${pointer}`, detail })),
  });
}
