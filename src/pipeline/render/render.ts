/**
 * One render: a single ordered pass over the catalog feeds the writers and the audit; one transaction publishes the files. If
 * anything fails, the published files stay; they also stay if the publish guard holds the new ones. If neither files nor audit can have changed since then, both are reused; if only
 * some groups have changed, the others are kept.
 */
import { FEED_FILES, RENDERER_VERSION } from "../../channels/registry.ts";
import { AppError } from "../../errors.ts";
import { findNewestAudit, type NewestAudit } from "../../store/audits.ts";
import { type Catalog, findCatalog } from "../../store/catalogs.ts";
import type { Queries, Session } from "../../store/db.ts";
import { type FeedFileRow, listFeedFiles } from "../../store/feed-files.ts";
import { isRemovalAccepted } from "../../store/run-history.ts";
import { findRun } from "../../store/runs.ts";
import { auditContext, openAuditPass } from "../audit/pass.ts";
import { type AuditedRender, isStillGood, recordAudit, repeatAudit } from "../audit/record.ts";
import type { Job, JobDeps } from "../job.ts";
import { guardRender, NOTHING_EXCEEDED } from "../publication/guard/guard.ts";
import {
  asNothingToKeep,
  basisOf,
  findPrevious,
  NothingToKeep,
  type Previous,
  renderChanges,
} from "./incremental.ts";
import { storedGroups } from "./item-groups.ts";
import { feedContextOf, finishFiles, finishIndex, openPass, type RenderPass, writeGroups } from "./pass.ts";
import { openFeedThreads } from "./feed-threads.ts";
import {
  type FinishedRender,
  PublishedMeanwhile,
  publishedNow,
  publishOrHold,
  type RenderStats,
} from "../publication/publish.ts";
import type { RenderContext } from "./render-index.ts";
import type { FileStats } from "./tally.ts";

export async function renderCatalog(deps: JobDeps, job: Job): Promise<RenderStats> {
  // A catalog has one render at a time, and only renders store audits: this stays the newest one.
  const newest = await findNewestAudit(deps.db, job.run.catalogId);
  const reused = newest && (await reusePublished(deps, job, newest));
  if (reused) return reused;
  return deps.db.session(async (auditSession) => {
    const rendered = await deps.db.session(async (session) =>
      session.snapshot(async (tx) => renderStored({ session, tx, auditSession }, deps, job, newest)),
    );
    try {
      return await finishRender({ ...rendered, newest }, auditSession, deps, job);
    } catch (error) {
      await rendered.pass.folder.discard();
      throw error;
    }
  });
}

type Connections = {
  readonly session: Session;
  /** A snapshot on `session`. */
  readonly tx: Queries;
  /** Has the temporary table of verdicts. */
  readonly auditSession: Session;
};

export type Rendered = {
  readonly pass: RenderPass;
  readonly files: readonly FeedFileRow[];
  readonly catalog: Catalog;
  readonly basis: string;
  /** The published files, by name. */
  readonly before: ReadonlyMap<string, FeedFileRow>;
};

/** What a render needs of its run. */
export type RenderJob = Pick<Job, "leaseOwner" | "signal" | "progress"> & {
  readonly run: Pick<Job["run"], "id" | "catalogId">;
};

/** Renders into a folder that is not served yet. What it can keep is in the render of the newest audit. */
export async function renderStored(
  { session, tx, auditSession }: Connections,
  deps: JobDeps,
  job: RenderJob,
  newest: NewestAudit | undefined,
): Promise<Rendered> {
  const catalog = await requireCatalog(tx, job.run.catalogId);
  const asOf = new Date();
  const context = await auditContext(tx, catalog, asOf);
  /** Discards what it has written if it fails. */
  const basis = basisOf(catalog, context);
  const before = await publishedFiles(tx, catalog);
  const attempt = async (previous?: Previous): Promise<Rendered> => {
    const audit = await openAuditPass(auditSession, catalog, context, previous?.info.examples);
    const folder = await deps.folders.create(catalog.id, job.leaseOwner, previous?.folder);
    try {
      // Ended before the folder is discarded.
      await using threads = previous
        ? null
        : openFeedThreads(feedContextOf(catalog, asOf), folder, {
            items: catalog.itemCount,
            ...deps.feedThreads,
          });
      const pass = await openPass(catalog, asOf, { folder, audit, previous: previous?.info, threads });
      job.progress(() => ({ items: pass.items }), "rendering");
      if (previous) await renderChanges(session, deps.folders, pass, previous);
      else await renderAll(session, pass, job);
      const files = await finishFiles(pass, before, job.leaseOwner);
      return { pass, files, catalog, basis, before };
    } catch (error) {
      await folder.discard();
      await audit.abandon();
      throw asNothingToKeep(error);
    }
  };
  const previous = await findPrevious(deps.folders, catalog, context, newest);
  if (!previous) return attempt();
  try {
    return await attempt(previous);
  } catch (error) {
    if (!(error instanceof NothingToKeep)) throw error;
    deps.log.info({ run_id: job.run.id, reason: error.message }, "rendering all groups");
    return attempt();
  }
}

async function renderAll(session: Session, pass: RenderPass, job: RenderJob): Promise<void> {
  for await (const groups of storedGroups(session, job.run.catalogId)) {
    job.signal.throwIfAborted();
    await writeGroups(pass, groups);
  }
}

async function finishRender(
  { pass, files, catalog, basis, before, newest: previous }: Rendered & { newest: NewestAudit | undefined },
  auditSession: Session,
  deps: JobDeps,
  job: Job,
): Promise<RenderStats> {
  job.progress(() => ({ items: pass.items }), "publishing");
  const outcome = await pass.audit.finish();
  const { applied: effects } = catalog.effects;
  const made = { basis, base: baseOf(catalog), effects, context: contextOf(catalog) };
  await finishIndex(pass, made, outcome);
  await pass.folder.commit();
  const stats: RenderStats = {
    items: pass.items,
    files: Object.fromEntries(FEED_FILES.map((file, at) => [file, pass.tallies[at] as FileStats])),
    base: baseOf(catalog),
    stale_at: pass.staleAt,
    effects,
  };
  const render = auditedRender(job, catalog, { startedAt: pass.asOf, folder: job.leaseOwner });
  const audit = async (tx: Queries) => recordAudit(tx, { render, outcome, previous, log: deps.log });
  await judgeAndPublish(auditSession, deps, job, { catalog, files, before, stats, audit });
  return stats;
}

type Judged = Pick<Rendered, "catalog" | "files" | "before"> & Pick<FinishedRender, "stats" | "audit">;

/** Again, if another render was published in between. */
async function judgeAndPublish(
  auditSession: Session,
  deps: JobDeps,
  job: Job,
  { catalog, files, before, stats, audit }: Judged,
): Promise<void> {
  const verdict = await guardRender(deps, {
    catalogId: catalog.id,
    settings: catalog.publishGuard,
    before: [...before.values()],
    after: files,
    isRemoval: async () => job.run.cause === "removal" || isRemovalAccepted(deps.db, job.run.id),
  });
  try {
    await publishOrHold(auditSession, deps, job, { catalog, files, stats, audit, verdict });
  } catch (error) {
    if (!(error instanceof PublishedMeanwhile)) throw error;
    const current = { ...catalog, publishedRunId: error.publishedRunId };
    const published = await publishedFiles(deps.db, current);
    const compared = files.map((file) => publishedNow(file, [...published.values()], new Date()));
    await judgeAndPublish(auditSession, deps, job, {
      catalog: current,
      files: compared,
      before: published,
      stats,
      audit,
    });
  }
}

function auditedRender(
  job: Job,
  catalog: Catalog,
  made: Pick<AuditedRender, "startedAt" | "folder">,
): AuditedRender {
  return { catalogId: catalog.id, renderRunId: job.run.id, base: baseOf(catalog), ...made };
}

export function contextOf({ slug, name, settings, snapshotAt, effects }: Catalog): RenderContext {
  const rules = effects.rules <= effects.applied ? effects.rules : null;
  return { slug, name, settings, snapshot_at: snapshotAt.toISOString(), rules_version: rules };
}

/** What the files depend on, apart from the time. */
export const baseOf = ({ snapshot, settingsVersion }: Catalog): string =>
  `${snapshot}.${settingsVersion}.${RENDERER_VERSION}`;

async function requireCatalog(db: Queries, id: string): Promise<Catalog> {
  const catalog = await findCatalog(db, id);
  if (!catalog) throw new AppError("render_failed", "The catalog was removed before its render began.");
  return catalog;
}

async function publishedFiles(
  db: Queries,
  { publishedRunId }: Catalog,
): Promise<ReadonlyMap<string, FeedFileRow>> {
  const files = publishedRunId === null ? [] : await listFeedFiles(db, publishedRunId);
  return new Map(files.map((file) => [file.file, file]));
}

/** Publishes the same files again if this render would produce the same files and the same audit. */
async function reusePublished(
  deps: JobDeps,
  job: Job,
  newest: NewestAudit,
): Promise<RenderStats | undefined> {
  const { db } = deps;
  const asOf = new Date();
  const catalog = await requireCatalog(db, job.run.catalogId);
  if (newest.base !== baseOf(catalog)) return undefined;
  const stats = await reusableStats(db, catalog, asOf);
  if (!stats) return undefined;
  const context = await auditContext(db, catalog, asOf);
  if (!isStillGood(newest, { base: baseOf(catalog), context })) return undefined;
  const files = [...(await publishedFiles(db, catalog)).values()];
  for (const { folder, file } of files) {
    if (!(await deps.folders.has({ catalogId: catalog.id, folder, file }))) return undefined;
  }

  const render = auditedRender(job, catalog, { startedAt: asOf, folder: files[0]?.folder ?? "" });
  const audit = async (tx: Queries) => repeatAudit(tx, render, newest, asOf);
  const unchanged = files.map((file) => ({ ...file, changed: false }));
  const verdict = NOTHING_EXCEEDED;
  try {
    await publishOrHold(db, deps, job, { catalog, files: unchanged, stats, audit, verdict });
    return stats;
  } catch (error) {
    if (error instanceof PublishedMeanwhile) return undefined;
    throw error;
  }
}

async function reusableStats(db: Queries, catalog: Catalog, asOf: Date): Promise<RenderStats | undefined> {
  if (catalog.publishedRunId === null) return undefined;
  const stats = (await findRun(db, catalog.publishedRunId))?.stats as RenderStats | undefined;
  if (stats?.base !== baseOf(catalog)) return undefined;
  return stats.stale_at !== null && stats.stale_at <= asOf.toISOString() ? undefined : stats;
}
