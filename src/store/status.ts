/**
 * What is known about how catalogs are doing, for one of them or for hundreds. Every number is one that was stored when
 * it changed, so that the cost does not depend on the number of items, runs or deliveries.
 */
import type { FeedFileName } from "../contract/feeds.ts";
import type { Grade } from "../contract/audits.ts";
import type { AuditHighlights } from "./audits.ts";
import type { Exceeded, GuardSettings } from "../contract/publish-guard.ts";
import type { Queries } from "./db.ts";
import { IS_LIVE } from "./restores.ts";
import type { RunError } from "./runs.ts";
import { type Sql, sql } from "./sql.ts";

export type CatalogStatusFacts = {
  readonly id: string;
  readonly slug: string;
  readonly itemCount: number;
  /** Of them, those that a source has. */
  readonly sourceItems: number;
  /** Since when the installation is a restored copy, which sends nothing; null if it is live. */
  readonly restoredAt: Date | null;
  /** When the items last changed. */
  readonly snapshotAt: Date;
  readonly feedTokenEncrypted: Buffer;
  readonly sources: number;
  /** Syncs and pushes that run or wait. */
  readonly openSyncs: number;
  /** Syncs that should have begun before `overdueBefore`, and since when. */
  readonly overdue: number;
  readonly overdueSince: Date | null;
  /** The newest successful sync or push. */
  readonly lastSuccessAt: Date | null;
  readonly lastSuccessRunId: string | null;
  /** The render whose files are served; all are null before the first. */
  readonly renderStartedAt: Date | null;
  readonly renderFinishedAt: Date | null;
  /** The newest render, if it failed; the same for the audit. */
  readonly failedRenderId: string | null;
  readonly failedRenderAt: Date | null;
  readonly failedRenderError: RunError | null;
  /** The newest render, if it was discarded; when, and why. */
  readonly discardedRunId: string | null;
  readonly discardedAt: Date | null;
  readonly discardReason: string | null;
  /** Whether items or settings have changed since the served files were rendered; false before the first. */
  readonly hasUnpublished: boolean;
  /** The render that the publish guard holds. */
  readonly heldRunId: string | null;
  readonly heldSince: Date | null;
  readonly heldExceeded: readonly Exceeded[] | null;
  /** The limits that the served files exceeded when they were published, and since when they are served. */
  readonly publishedLimits: { readonly exceeded: readonly Exceeded[]; readonly since: string } | null;
  readonly publishedRunId: string | null;
  readonly publishGuard: GuardSettings;
  /** Since when publication is paused after a rollback, and why. */
  readonly pausedAt: Date | null;
  readonly pauseReason: string | null;
  readonly isRenderOpen: boolean;
  readonly failedAuditId: string | null;
  readonly failedAuditAt: Date | null;
  readonly failedAuditError: RunError | null;
  /** The newest audit; all are null before the first. */
  readonly score: number | null;
  readonly grade: Grade | null;
  readonly previousScore: number | null;
  readonly measuredAt: Date | null;
  readonly highlights: AuditHighlights | null;
  /**
   * The audit of the render whose files are served: what is held, discarded or superseded changes nothing in the feeds.
   */
  readonly servedScore: number | null;
  readonly servedMeasuredAt: Date | null;
  readonly servedHighlights: AuditHighlights | null;
  /** The best of the newest scores of published renders under the same rules, and when. */
  readonly bestScore: number | null;
  readonly bestScoreAt: Date | null;
};

export type FactTimes = {
  /** Syncs that were due before this should have begun. */
  readonly overdueBefore: Date;
  /** Scores since then are compared. */
  readonly scoresSince: Date;
};

/** How many of the newest scores are compared. */
const COMPARED_SCORES = 30;

/** Audits of the catalog whose render was published; of older audits the render may not be known any more. */
const publishedAudits = (columns: Sql) => sql`
  select ${columns} from audits a join runs ar on ar.id = a.run_id
   where a.catalog_id = c.id
     and not exists (select 1 from renders u where u.run_id = ar.cause_run_id and u.published_at is null)`;

const newestRun = (kind: "render" | "audit") => sql`
  select r.id, r.state, r.error, r.finished_at from runs r
   where r.catalog_id = c.id and r.kind = ${kind} and r.state in ('succeeded', 'failed')
   order by r.created_at desc, r.id desc limit 1`;

/** What a render was made from is in its statistics: see `baseOf` of the render. */
const HAS_UNPUBLISHED = sql`
  coalesce(published.stats ->> 'base' not like c.snapshot || '.' || c.settings_version || '.%', false)`;

const FACTS = sql`
  c.id, c.slug, c.item_count, (select max(restored_at) from restores where resumed_at is null) as restored_at, c.snapshot_at,
  c.publication_paused_at as paused_at, c.publication_pause_reason as pause_reason, c.feed_token_sealed as feed_token_encrypted,
  coalesce(counts.count, 0) as sources,
  (select coalesce(sum(item_count), 0)::bigint from sources where catalog_id = c.id) as source_items,
  open.syncs as open_syncs, open.is_render_open, open.waiting + due.sources as overdue, least(open.since, due.since) as overdue_since,
  health.last_success_at, health.success_run_id as last_success_run_id,
  coalesce(restored.started_at, published.started_at) as render_started_at,
  coalesce(restored.finished_at, published.finished_at) as render_finished_at,
  case when render.state = 'failed' then render.id end as failed_render_id,
  case when render.state = 'failed' then render.finished_at end as failed_render_at, render.error as failed_render_error,
  discarded.run_id as discarded_run_id, discarded.decided_at as discarded_at, discarded.reason as discard_reason, ${HAS_UNPUBLISHED} as has_unpublished,
  published.stats -> 'guard' as published_limits, c.published_run_id, c.publish_guard,
  held.run_id as held_run_id, held.held_since, held.exceeded as held_exceeded,
  audit_run.id as failed_audit_id, audit_run.finished_at as failed_audit_at, audit_run.error as failed_audit_error,
  audit.score, audit.grade, audit.previous_score, audit.created_at as measured_at,
  audit.highlights, served.score as served_score, served.created_at as served_measured_at,
  served.highlights as served_highlights, best.score as best_score, best.created_at as best_score_at`;

export async function listCatalogFacts(
  db: Queries,
  ids: readonly string[],
  { overdueBefore, scoresSince }: FactTimes,
): Promise<readonly CatalogStatusFacts[]> {
  return db.query<CatalogStatusFacts>(sql`
    select ${FACTS}
      from catalogs c
      left join source_counts counts on counts.catalog_id = c.id
      left join runs published on published.id = c.published_run_id
      left join renders rollback on rollback.run_id = c.published_run_id
      left join runs restored on restored.id = rollback.restores
      left join lateral (${newestRun("render")}) render on true
      left join renders held on held.catalog_id = c.id and held.state = 'held'
      left join renders discarded on discarded.run_id = render.id and discarded.state = 'discarded'
      left join lateral (${newestRun("audit")}) audit_run on audit_run.state = 'failed'
      left join audits audit on audit.run_id = c.audit_run_id
      left join lateral (
        select ar.id from runs ar
         where ar.cause_run_id = coalesce(rollback.restores, c.published_run_id)
           and ar.kind = 'audit' and ar.state = 'succeeded' limit 1) own_audit on true
      left join lateral (
        ${publishedAudits(sql`a.run_id`)} order by a.created_at desc, a.run_id desc limit 1) last_audit on true
      left join audits served on served.run_id = coalesce(own_audit.id, last_audit.run_id)
      left join lateral (
        select recent.score, recent.created_at
          from (${publishedAudits(sql`a.score, a.ruleset, a.created_at`)} and a.created_at >= ${scoresSince}
                 order by a.created_at desc, a.run_id desc limit ${COMPARED_SCORES}) recent
         where recent.ruleset = served.ruleset
         order by recent.score desc, recent.created_at desc limit 1) best on true
      left join lateral (
        select last_success_at, success_run_id from sync_health
         where catalog_id = c.id and last_success_at is not null order by last_success_at desc limit 1) health on true
      cross join lateral (
        select count(*) filter (where r.kind = 'sync') as syncs,
               coalesce(bool_or(r.kind = 'render'), false) as is_render_open,
               count(*) filter (where r.is_late) as waiting, min(r.ready_at) filter (where r.is_late) as since
          from (select kind, null::timestamptz as ready_at, false as is_late from runs
                 where state = 'running' and kind in ('sync', 'render') and catalog_id = c.id
                union all
                select kind, coalesce(due_at, created_at),
                       kind = 'sync' and coalesce(due_at, created_at) < ${overdueBefore} from runs
                 where state = 'queued' and kind in ('sync', 'render')
                   and (case when state = 'queued' then catalog_id end) = c.id) r) open
      cross join lateral (
        select count(*) as sources, min(next_sync_at) as since from sources
         where catalog_id = c.id and enabled and next_sync_at < ${overdueBefore}) due
     where c.id = any (${ids}::uuid[]) and c.id not in (select catalog_id from removed_catalogs)`);
}

/** Whether new files are published. */
export type PublicationFacts = Pick<
  CatalogStatusFacts,
  "heldRunId" | "pausedAt" | "failedRenderId" | "discardedRunId" | "hasUnpublished" | "snapshotAt"
>;

export async function findPublicationFacts(
  db: Queries,
  catalogId: string,
): Promise<PublicationFacts | undefined> {
  return db.first<PublicationFacts>(sql`
    select held.run_id as held_run_id, c.publication_paused_at as paused_at,
           case when render.state = 'failed' then render.id end as failed_render_id,
           discarded.run_id as discarded_run_id, ${HAS_UNPUBLISHED} as has_unpublished, c.snapshot_at
      from catalogs c
      left join runs published on published.id = c.published_run_id
      left join renders held on held.catalog_id = c.id and held.state = 'held'
      left join lateral (${newestRun("render")}) render on true
      left join renders discarded on discarded.run_id = render.id and discarded.state = 'discarded'
     where c.id = ${catalogId}`);
}

export type FileFacts = {
  readonly catalogId: string;
  readonly file: FeedFileName;
  readonly written: number;
  /** Items that the file has and its destination will refuse. */
  readonly refused: number;
  readonly excluded: number;
  /** Of them, those that a rule of the merchant leaves out. */
  readonly excludedByRule: number;
  readonly bytes: number;
  readonly changedAt: Date;
  readonly fetchedAt: Date | null;
  readonly fetchedBy: string | null;
  readonly fetchedStatus: number | null;
};

/** The files that are served. */
export async function listServedFiles(db: Queries, ids: readonly string[]): Promise<readonly FileFacts[]> {
  return db.query<FileFacts>(sql`
    select c.id as catalog_id, f.file, f.written, f.excluded, f.refused, f.bytes, f.last_modified as changed_at,
           coalesce((r.stats #>> array['files', f.file, 'reasons', 'excluded_by_rule'])::bigint, 0) as excluded_by_rule,
           g.fetched_at, g.fetched_by, g.status as fetched_status
      from catalogs c
      join feed_files f on f.run_id = c.published_run_id
      left join runs r on r.id = f.run_id
      left join feed_fetches g on g.catalog_id = c.id and g.file = f.file
     where c.id = any (${ids}::uuid[])
     order by c.id, f.file`);
}

export type LastSync = {
  readonly runId: string;
  readonly sourceId: string | null;
  readonly sourceName: string | null;
  readonly status: "succeeded" | "failed";
  readonly errorCode: string | null;
  readonly finishedAt: Date;
};

/** The newest sync or push that has ended, canceled ones included. */
export async function findLastSync(db: Queries, catalogId: string): Promise<LastSync | undefined> {
  return db.first<LastSync>(sql`
    select r.id as run_id, r.source_id, s.name as source_name, r.state as status, r.error_code, r.finished_at
      from (select id, source_id, state, error ->> 'code' as error_code, finished_at from runs
             where catalog_id = ${catalogId} and kind = 'sync' and state in ('succeeded', 'failed')
             order by created_at desc, id desc limit 1) r
      left join sources s on s.id = r.source_id`);
}

export type NextSync = { readonly sourceId: string; readonly sourceName: string; readonly at: Date };

/** Undefined in a restored copy, too, until it is resumed. */
export async function findNextSync(db: Queries, catalogId: string): Promise<NextSync | undefined> {
  return db.first<NextSync>(sql`
    select id as source_id, name as source_name, next_sync_at as at from sources
     where catalog_id = ${catalogId} and enabled and ${IS_LIVE} order by next_sync_at, id limit 1`);
}
