/** GET and PATCH /api/v1/catalog/settings: the catalog's name and everything that can be set about the shop. */
import { isDeepStrictEqual } from "node:util";
import type { CatalogSettings } from "../../catalog/settings.ts";
import { SETTING_NAMES } from "../../contract/catalog-setting-table.ts";
import { CatalogSettingsAnswer, ChangeCatalog } from "../../contract/catalog-settings.ts";
import type { ChangedSettings, Settings } from "../../contract/catalog-settings.ts";
import { AppError } from "../../errors.ts";
import { camelCase, snakeCase } from "../../lib/snake-case.ts";
import { updateCatalog } from "../../setup/catalogs.ts";
import { fieldNames } from "../../setup/changes.ts";
import { findCatalog } from "../../store/catalogs.ts";
import type { Queries } from "../../store/db.ts";
import type { Api, ApiDeps } from "../api.ts";

export function catalogSettingsRoutes(api: Api, { db }: ApiDeps): void {
  api.route({
    method: "GET",
    url: "/catalog/settings",
    scope: "read",
    operationId: "getCatalogSettings",
    summary: "Get the catalog's settings",
    answers: { 200: CatalogSettingsAnswer },
    handler: async ({ caller }) => ({ body: { data: await catalogBody(db, caller.catalogId) } }),
  });

  api.route({
    method: "PATCH",
    url: "/catalog/settings",
    scope: "admin",
    operationId: "changeCatalogSettings",
    summary: "Change the catalog's settings",
    description:
      "What is not named stays as it is. The feeds are rendered with the new settings, and the next sync of each source reads everything again.",
    body: ChangeCatalog,
    answers: { 200: CatalogSettingsAnswer },
    handler: async ({ caller: { catalogId }, body: { name, settings = {} }, changeLog }) => {
      const { slug, settings: stored } = await catalogBody(db, catalogId);
      const change = {
        ...settingsChange(settings, stored),
        ...(name !== undefined && { name: name.trim() }),
      };
      const fields = fieldNames({ name, settings });
      const recorded = changeLog.recording(db, catalogId, { type: "catalog", id: slug, fields });
      await withSettingPointers(async () => updateCatalog(recorded, { id: catalogId }, change));
      return { body: { data: await catalogBody(db, catalogId) } };
    },
  });
}

/**
 * Returns which settings are set, and which are cleared by a null. Stored values may be sent back: a value that an
 * earlier version accepted, such as the code of a country that no longer exists, does not prevent other changes.
 */
export function settingsChange(settings: ChangedSettings, stored: Partial<Settings> = {}) {
  const named = SETTING_NAMES.flatMap((name) => {
    const value = settings[name];
    if (value === undefined || isDeepStrictEqual(value, stored[name])) return [];
    return [{ key: camelCase(name), value }];
  });
  const set: CatalogSettings = Object.fromEntries(
    named.filter(({ value }) => value !== null).map(({ key, value }) => [key, value]),
  );
  return { set, unset: named.filter(({ value }) => value === null).map(({ key }) => key) };
}

/** Names the settings that are refused as they are in the body. */
export async function withSettingPointers<Result>(change: () => Promise<Result>): Promise<Result> {
  try {
    return await change();
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "invalid_request") throw error;
    const problems = error.fields.map(({ pointer, detail }) => ({ name: snakeCase(pointer), detail }));
    const sentences = problems.map(({ name, detail }) => `${name} ${detail}`).join("; ");
    throw new AppError("invalid_request", `The settings cannot be used: ${sentences}.`, {
      fields: problems.map(({ name, detail }) => ({
        pointer: `/settings/${name}`,
        detail: asSentence(detail),
      })),
    });
  }
}

const asSentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

async function catalogBody(db: Queries, catalogId: string) {
  const catalog = await findCatalog(db, catalogId);
  if (!catalog) throw new AppError("unauthorized", "The catalog of this API key was removed.");
  const { id, slug, name, settings, itemCount, createdAt } = catalog;
  const all = SETTING_NAMES.map((name) => [name, settings[camelCase(name)] ?? null]);
  return {
    id,
    slug,
    name,
    settings: Object.fromEntries(all) as Settings,
    item_count: itemCount,
    created_at: createdAt.toISOString(),
  };
}
