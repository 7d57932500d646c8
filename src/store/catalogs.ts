/** Catalogs: settings, the token of the feeds, and which render is published. */
import type { CatalogSettings } from "../catalog/settings.ts";
import type { GuardSettings } from "../contract/publish-guard.ts";
import type { Queries } from "./db.ts";
import { inSeconds, isRecent } from "./due.ts";
import { storableJson } from "./json.ts";
import { IS_LIVE } from "./restores.ts";
import { type Sql, sql } from "./sql.ts";

export type Catalog = {
  readonly id: string;
  /** A small unique number, used in indexes over all catalogs. */
  readonly number: number;
  readonly slug: string;
  readonly name: string;
  readonly settings: CatalogSettings;
  readonly settingsVersion: number;
  readonly itemCount: number;
  readonly snapshot: number;
  readonly snapshotAt: Date;
  readonly feedTokenEncrypted: Buffer;
  readonly publishedRunId: string | null;
  /** The newest push that replaced all pushed items. */
  readonly replacedRunId: string | null;
  readonly publishGuard: GuardSettings;
  readonly effects: EffectVersions;
  readonly createdAt: Date;
};

/** Versions of the changes that rules, category mappings and approved proposals make to source items. */
export type EffectVersions = {
  /** The version of the newest change; 0 if there has never been a change. */
  readonly version: number;
  /** The version of the newest change of rules or category mappings, which may concern any item. */
  readonly rules: number;
  /** The version up to which the effective items have been computed. */
  readonly applied: number;
};

const COLUMNS = sql`
  id, number, slug, name, settings, settings_version, item_count, snapshot, snapshot_at,
  feed_token_sealed as feed_token_encrypted, published_run_id, replaced_run_id, publish_guard,
  json_build_object('version', effects_version, 'rules', rules_version, 'applied', applied_version) as effects,
  created_at`;

export type NewCatalog = Pick<Catalog, "id" | "slug" | "name" | "settings" | "feedTokenEncrypted"> & {
  readonly feedTokenHash: Buffer;
};

/** Returns false if the slug is taken. */
export async function insertCatalog(db: Queries, catalog: NewCatalog): Promise<boolean> {
  const inserted = await db.execute(sql`
    insert into catalogs (id, slug, name, settings, feed_token_hash, feed_token_sealed)
    values (${catalog.id}, ${catalog.slug}, ${catalog.name}, ${storableJson(catalog.settings)},
            ${catalog.feedTokenHash}, ${catalog.feedTokenEncrypted})
    on conflict (slug) do nothing`);
  return inserted === 1;
}

/** A catalog that is being removed counts as deleted. */
const NOT_REMOVED = sql`not exists (select 1 from removed_catalogs gone where gone.catalog_id = catalogs.id)`;

export async function findCatalog(db: Queries, id: string): Promise<Catalog | undefined> {
  // The statement is not prepared: in a dry run the name is that of a temporary table, which a prepared statement would
  // not notice.
  return db.first<Catalog>(sql`select ${COLUMNS} from catalogs where id = ${id} and ${NOT_REMOVED}`);
}

export async function findCatalogBySlug(db: Queries, slug: string): Promise<Catalog | undefined> {
  return db.first<Catalog>(sql`select ${COLUMNS} from catalogs where slug = ${slug} and ${NOT_REMOVED}`);
}

export async function listCatalogs(db: Queries): Promise<readonly Catalog[]> {
  return db.query<Catalog>(sql`select ${COLUMNS} from catalogs where ${NOT_REMOVED} order by slug`);
}

/**
 * Saves new settings and advances the version, because settings change the files and existing files must not be reused.
 */
export async function changeCatalogSettings(
  db: Queries,
  id: string,
  settings: CatalogSettings,
): Promise<void> {
  await db.execute(sql`
    update catalogs set settings = ${storableJson(settings)}, settings_version = settings_version + 1
     where id = ${id}`);
}

export type NewFeedToken = {
  readonly hash: Buffer;
  readonly encrypted: Buffer;
  readonly overlapS: number;
};

/**
 * Rotates the token and returns until when the previous token is valid. Returns undefined if there is no such catalog,
 * or if an earlier token is still valid: only a rotation without overlap may end an overlap.
 */
export async function rotateFeedToken(
  db: Queries,
  id: string,
  { hash, encrypted, overlapS }: NewFeedToken,
): Promise<Date | undefined> {
  const rotated = await db.first<{ until: Date }>(sql`
    update catalogs
       set previous_feed_token_hash = feed_token_hash,
           previous_feed_token_until = now() + make_interval(secs => ${overlapS}),
           feed_token_hash = ${hash}, feed_token_sealed = ${encrypted}
     where id = ${id}
       and (${overlapS} = 0 or previous_feed_token_until is null or previous_feed_token_until <= now())
    returning previous_feed_token_until as until`);
  return rotated?.until;
}

export async function feedOverlapEnd(db: Queries, id: string): Promise<Date | null> {
  const row = await db.first<{ until: Date }>(sql`
    select previous_feed_token_until as until from catalogs
     where id = ${id} and previous_feed_token_until > now()`);
  return row?.until ?? null;
}

export async function renameCatalog(db: Queries, id: string, name: string): Promise<void> {
  await db.execute(sql`update catalogs set name = ${name} where id = ${id}`);
}

/**
 * Locks the catalog's row, for short changes of its settings, versions and counts; references to the catalog do not
 * wait. A transaction that also needs the lock of the items takes the lock of the items first. Returns false if there
 * is no such catalog.
 */
export async function lockCatalog(tx: Queries, id: string): Promise<boolean> {
  return (await tx.execute(sql`select 1 from catalogs where id = ${id} for no key update`)) === 1;
}

/**
 * Locks the catalog's row like a reference to it, against its removal. Rows are locked in the order catalogs, sources,
 * runs: a transaction that locks a run and refers to the catalog afterwards calls this first.
 */
export async function lockReference(tx: Queries, id: string): Promise<void> {
  await tx.execute(sql`select 1 from catalogs where id = ${id} for key share`);
}

/** Locks like `lockCatalog`, but does not wait: returns false if the lock is taken, or if there is no such catalog. */
export async function tryLockCatalog(tx: Queries, id: string): Promise<boolean> {
  const locked = await tx.execute(sql`select 1 from catalogs where id = ${id} for no key update skip locked`);
  return locked === 1;
}

const itemLockKey = (id: string): Sql =>
  sql`hashtextextended(current_schema() || ':items:' || ${id}::text, 0)`;

/**
 * Serializes changes of the items. Merges and runs of rules keep this lock for minutes, so it is not the lock of the
 * catalog's row, which all other changes need. Only the next statement sees what the previous owner of the lock has
 * committed, including a removal of the catalog.
 */
export async function lockItems(tx: Queries, id: string): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${itemLockKey(id)})`);
}

/** Returns true for a catalog that is being removed, too. */
export async function hasCatalog(db: Queries, id: string): Promise<boolean> {
  return (await db.execute(sql`select 1 from catalogs where id = ${id}`)) === 1;
}

/** Locks like `lockItems`, but does not wait: returns the number of items, or undefined if the lock is taken. */
export async function tryLockItems(tx: Queries, id: string): Promise<number | undefined> {
  const lock = await tx.first<{ taken: boolean }>(
    sql`select pg_try_advisory_xact_lock(${itemLockKey(id)}) as taken`,
  );
  if (lock?.taken !== true) return undefined;
  const row = await tx.first<{ itemCount: number }>(sql`
    select item_count from catalogs where id = ${id}`);
  return row?.itemCount;
}

/** Records a change of rules or approved proposals, and returns its version. The caller has the lock of the catalog. */
export async function advanceEffects(tx: Queries, id: string, what: "rules" | "values"): Promise<number> {
  const row = await tx.first<{ version: number }>(sql`
    update catalogs
       set effects_version = effects_version + 1,
           rules_version = case when ${what === "rules"} then effects_version + 1 else rules_version end
     where id = ${id} returning effects_version as version`);
  return row?.version ?? 0;
}

/**
 * Advances the version as if the rules had been changed. Returns false if there has never been a change of rules or
 * proposals.
 */
export async function repeatEffects(tx: Queries, id: string): Promise<boolean> {
  const changed = await tx.execute(sql`
    update catalogs set effects_version = effects_version + 1, rules_version = effects_version + 1
     where id = ${id} and effects_version > 0`);
  return changed === 1;
}

export async function markEffectsApplied(tx: Queries, id: string, version: number): Promise<void> {
  await tx.execute(sql`update catalogs set applied_version = ${version} where id = ${id}`);
}

/** Saves when the rules must be applied again because the day changes; null means never. */
export async function scheduleRules(tx: Queries, id: string, at: Date | null): Promise<void> {
  await tx.execute(sql`
    update catalogs set rules_due_at = ${at} where id = ${id} and rules_due_at is distinct from ${at}`);
}

/** How long a run that applies the rules of a new day may take to succeed before another one is queued. */
const RULES_RETRY_S = 3_600;

/** Claims catalogs whose rules must be applied again because of the day. */
export async function claimDueRules(db: Queries): Promise<readonly string[]> {
  const rows = await db.query<{ id: string }>(sql`
    update catalogs set rules_due_at = ${inSeconds(RULES_RETRY_S)}
     where id in (select id from catalogs where rules_due_at <= now() order by rules_due_at limit 100
                   for no key update skip locked)
    returning id`);
  return rows.map(({ id }) => id);
}

export async function findEffectsVersion(db: Queries, id: string): Promise<number> {
  const row = await db.first<{ version: number }>(
    sql`select effects_version as version from catalogs where id = ${id}`,
  );
  return row?.version ?? 0;
}

/** Makes the next render reuse no files and keep no segments. */
export async function forgetRenders(db: Queries, id: string): Promise<void> {
  await db.execute(sql`update catalogs set settings_version = settings_version + 1 where id = ${id}`);
}

/** Saves the settings of the publish guard. They do not affect files, so nothing is rendered again. */
export async function savePublishGuard(tx: Queries, id: string, settings: GuardSettings): Promise<void> {
  await tx.execute(sql`update catalogs set publish_guard = ${storableJson(settings)} where id = ${id}`);
}

export async function publishRender(
  db: Queries,
  catalogId: string,
  { runId, staleAt }: { runId: string; staleAt: string | null },
): Promise<void> {
  await db.execute(sql`
    update catalogs set published_run_id = ${runId}, stale_at = ${staleAt} where id = ${catalogId}`);
}

/** Schedules a render, unless an earlier one is scheduled. */
export async function scheduleRender(db: Queries, id: string, at: Date): Promise<void> {
  await db.execute(sql`
    update catalogs set stale_at = least(stale_at, ${at}) where id = ${id}`);
}

/** Schedules a render after a delay, unless an earlier one is scheduled. */
export async function scheduleRenderIn(db: Queries, id: string, delayS: number): Promise<void> {
  await db.execute(
    sql`update catalogs set stale_at = least(stale_at, ${inSeconds(delayS)}) where id = ${id}`,
  );
}

/** Claims catalogs whose feeds are stale because of the time. Each catalog is returned once until its next render. */
export async function claimStaleCatalogs(db: Queries): Promise<readonly string[]> {
  const rows = await db.query<{ id: string }>(sql`
    update catalogs set stale_at = null
     where id in (select id from catalogs where stale_at <= now() order by stale_at limit 100
                   for no key update skip locked)
    returning id`);
  return rows.map(({ id }) => id);
}

/** How long a catalog must have been unchanged before values are proposed: several syncs in a row need one pass. */
const SETTLED_S = 60;
/** A catalog that changes all the time waits no longer than this, and only for a pause in which a render can begin. */
const MAX_WAIT_S = 3_600;
const PAUSE_S = 5;

/**
 * The newest rules and category mappings have been applied for long enough, so values that they set are not proposed.
 */
const HAS_NEW_RULES = sql`rules_version > proposed_rules and applied_version >= rules_version
  and not exists (select 1 from runs r where r.catalog_id = catalogs.id and r.kind = 'rules'
                     and (r.state in ('queued', 'running') or ${isRecent(sql`r.finished_at`, SETTLED_S)}))`;

/** Claims catalogs that have changed since values were proposed for them. */
export async function claimUnproposedCatalogs(db: Queries): Promise<readonly string[]> {
  const rows = await db.query<{ id: string }>(sql`
    update catalogs set proposed_snapshot = snapshot, proposed_rules = rules_version
     where id in (select id from catalogs
                   where (snapshot > proposed_snapshot or (${HAS_NEW_RULES}))
                     and (not ${isRecent(sql`snapshot_at`, SETTLED_S)}
                       or (not ${isRecent(sql`snapshot_at`, PAUSE_S)}
                           and not ${isRecent(sql`created_at`, MAX_WAIT_S)}
                           and not exists (select 1 from runs r where r.catalog_id = catalogs.id and r.kind = 'proposals'
                                              and ${isRecent(sql`r.created_at`, MAX_WAIT_S)})))
                     and published_run_id is not null and ${IS_LIVE}
                     and not exists (select 1 from runs r where r.catalog_id = catalogs.id and r.kind = 'render'
                                        and r.state = 'running')
                   order by snapshot_at limit 20 for no key update skip locked)
    returning id`);
  return rows.map(({ id }) => id);
}
