/** Creates and changes catalogs: names, settings, and the token of the feed URLs. */
import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { CatalogSettings } from "../catalog/settings.ts";
import { currencyOfCountry } from "../contract/codes.ts";
import { AppError, invalidRequest } from "../errors.ts";
import type { FieldProblem } from "../errors.ts";
import { newId, randomBase62 } from "../lib/id.ts";
import type { Encryption } from "../lib/encryption.ts";
import {
  changeCatalogSettings,
  feedOverlapEnd,
  findCatalog,
  insertCatalog,
  lockCatalog,
  renameCatalog,
  rotateFeedToken,
} from "../store/catalogs.ts";
import type { Catalog } from "../store/catalogs.ts";
import type { Db, Queries } from "../store/db.ts";
import { publishedEverywhere } from "../store/feed-files.ts";
import { applyRulesAgain } from "../store/rules.ts";
import { enqueueRun } from "../store/runs.ts";
import { ENCRYPTION_PURPOSES } from "../store/encrypted-columns.ts";
import { settingProblems } from "./catalog-settings.ts";

export type CatalogInput = {
  readonly slug: string;
  readonly name: string;
  readonly settings: CatalogSettings;
};
export type CreatedCatalog = { readonly id: string; readonly slug: string; readonly name: string };

/** The token is as hard to guess as an API key: 190 bits. */
const TOKEN_LENGTH = 32;

export async function createCatalog(
  db: Queries,
  encryption: Encryption,
  input: CatalogInput,
): Promise<CreatedCatalog> {
  const { slug, name } = input;
  refuse("created", [
    ...nameProblems(input),
    ...settingProblems(input.settings),
    ...currencyProblems(input.settings),
  ]);
  const settings = withCurrency(input.settings);
  const id = newId();
  const { hash, encrypted } = newFeedToken(encryption);
  const isNew = await insertCatalog(db, {
    id,
    slug,
    name,
    settings,
    feedTokenHash: hash,
    feedTokenEncrypted: encrypted,
  });
  if (!isNew) throw new AppError("conflict", `The catalog "${slug}" already exists.`);
  return { id, slug, name };
}

/** How long the previous token may stay valid at most. */
export const MAX_FEED_OVERLAP_S = 90 * 86_400;

export type RotatedFeeds = { readonly previousUntil: Date };

/**
 * Gives the feeds of a catalog new URLs; the previous ones work until the overlap ends. During an overlap only a
 * rotation without overlap is possible: it ends all earlier URLs at once.
 */
export async function rotateFeedUrls(
  db: Db,
  encryption: Encryption,
  { catalogId, overlapS }: { readonly catalogId: string; readonly overlapS: number },
): Promise<RotatedFeeds> {
  if (!(overlapS >= 0 && overlapS <= MAX_FEED_OVERLAP_S))
    throw invalidRequest("The overlap must be from 0 to 90 days.");
  const { hash, encrypted } = newFeedToken(encryption);
  const rotated = await db.tx(async (tx) => {
    const previousUntil = await rotateFeedToken(tx, catalogId, { hash, encrypted, overlapS });
    if (!previousUntil) throw await whyNotRotated(tx, catalogId);
    return { previousUntil };
  });
  await publishedEverywhere();
  return rotated;
}

async function whyNotRotated(tx: Queries, catalogId: string): Promise<AppError> {
  const until = await feedOverlapEnd(tx, catalogId);
  if (until === null) return new AppError("not_found", "There is no such catalog.");
  return new AppError(
    "conflict",
    `The feed URLs were rotated before, and the earlier ones work until ${until.toISOString()}. Rotate again after that, or with an overlap of 0, which ends all earlier URLs at once.`,
  );
}

function newFeedToken(encryption: Encryption): { readonly hash: Buffer; readonly encrypted: Buffer } {
  const token = randomBase62(TOKEN_LENGTH);
  return {
    hash: createHash("sha256").update(token).digest(),
    encrypted: encryption.encrypt(token, ENCRYPTION_PURPOSES.feedToken),
  };
}

export function decryptFeedToken(encryption: Encryption): (encrypted: Buffer) => string {
  return (encrypted) => encryption.decrypt(encrypted, ENCRYPTION_PURPOSES.feedToken);
}

/** A catalog has a currency, so that a price that names none can be read: its own, or that of its country. */
function withCurrency(settings: CatalogSettings): CatalogSettings {
  if (settings.currency !== undefined || settings.country === undefined) return settings;
  const currency = currencyOfCountry(settings.country);
  return currency === undefined ? settings : { currency, ...settings };
}

export function currencyProblems(settings: CatalogSettings): readonly FieldProblem[] {
  const { currency, country } = withCurrency(settings);
  if (currency !== undefined) return [];
  const detail =
    country === undefined
      ? "must be set, such as USD, or the country, such as US: prices without a currency could not be read"
      : `must be set: the country ${country} does not say which one the shop uses`;
  return [{ pointer: "currency", detail }];
}

/** Problems of the slug and the name; settings are checked separately. */
export function nameProblems({ slug, name }: Pick<CatalogInput, "slug" | "name">): readonly FieldProblem[] {
  const problems: FieldProblem[] = [];
  if (!/^[a-z0-9](-?[a-z0-9]){0,62}$/.test(slug)) {
    problems.push({
      pointer: "slug",
      detail: "must be lowercase letters, digits and single hyphens, at most 63",
    });
  }
  if (name.trim() === "" || name.length > 200) {
    problems.push({ pointer: "name", detail: "must have 1 to 200 characters" });
  }
  return problems;
}

export type CatalogChange = {
  readonly name?: string;
  readonly set: CatalogSettings;
  /** Settings to clear. */
  readonly unset: readonly (keyof CatalogSettings)[];
};

/** Changes a catalog's settings and queues a render. Changes that are made at once are applied one after another. */
export async function updateCatalog(
  db: Db,
  { id }: Pick<Catalog, "id">,
  change: CatalogChange,
): Promise<CatalogSettings> {
  refuse("changed", settingProblems(change.set));
  let changed: CatalogSettings = {};
  await db.tx(async (tx) => {
    await lockCatalog(tx, id);
    const catalog = await findCatalog(tx, id);
    if (!catalog) throw new AppError("not_found", "There is no such catalog.");
    const { settings, name: before } = catalog;
    const kept = Object.entries({ ...settings, ...change.set }).filter(
      ([key]) => !change.unset.includes(key as keyof CatalogSettings),
    );
    changed = withCurrency(Object.fromEntries(kept));
    // A catalog of an earlier version may have no currency; other changes of it are not refused.
    if (settings.currency !== undefined) refuse("changed", currencyProblems(changed));
    const name = change.name ?? before;
    // New settings cost a render and a full read of every source: skipped if nothing changed.
    if (name === before && isDeepStrictEqual(changed, settings)) return false;
    await changeCatalogSettings(tx, id, changed);
    if (name !== before) await renameCatalog(tx, id, name);
    // What rules do may depend on the settings.
    await applyRulesAgain(tx, id);
    return enqueueRun(tx, { id: newId(), catalogId: id, sourceId: null, kind: "render", cause: "settings" });
  });
  return changed;
}

export function refuse(
  what: "created" | "changed" | "audited" | "rendered",
  problems: readonly FieldProblem[],
): void {
  if (problems.length === 0) return;
  const list = problems.map(({ pointer, detail }) => `${pointer} ${detail}`).join("; ");
  throw new AppError("invalid_request", `The catalog cannot be ${what}: ${list}.`, { fields: problems });
}
