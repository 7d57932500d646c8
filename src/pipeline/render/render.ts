/**
 * One render: a single ordered pass over the catalog feeds the four writers and the audit. The files are written to a
 * new folder, hashed and compressed; one transaction records them, switches the feed URLs and finishes the run. If
 * anything fails, the published files stay. If neither the files nor the audit can have changed since the published
 * render, both are reused.
 */
import { RENDERER_VERSION } from "../../channels/registry.ts";
import { AppError } from "../../errors.ts";
import type { RenderFolder } from "../../publish/local-files.ts";
import { findNewestAudit } from "../../store/audits.ts";
import { findCatalog } from "../../store/catalogs.ts";
import type { Catalog } from "../../store/catalogs.ts";
import type { Queries, Session } from "../../store/db.ts";
import { listFeedFiles } from "../../store/feed-files.ts";
import type { FeedFileRow } from "../../store/feed-files.ts";
import { eachItemBody } from "../../store/items.ts";
import { findRun } from "../../store/runs.ts";
import { auditContext, openAuditPass } from "../audit/pass.ts";
import { isStillGood, recordAudit, repeatAudit } from "../audit/record.ts";
import type { AuditedRender } from "../audit/record.ts";
import { GroupBuilder } from "./item-groups.ts";
import type { Job, JobDeps } from "../job.ts";
import { publish } from "./publication.ts";
import type { RenderStats } from "./publication.ts";
import { finishFiles, openPass, writeGroups } from "./pass.ts";
import type { Pass } from "./pass.ts";

export async function renderCatalog(deps: JobDeps, job: Job): Promise<RenderStats> {
  const reused = await reusePublished(deps, job);
  if (reused) return reused;

  const folder = await deps.folders.create(job.run.catalogId, job.attempt);
  try {
    return await deps.db.session(async (auditSession) => renderInto(folder, auditSession, deps, job));
  } catch (error) {
    await folder.discard();
    throw error;
  }
}

/** `auditSession` has the temporary table of verdicts; the catalog is read on another connection. */
async function renderInto(
  folder: RenderFolder,
  auditSession: Session,
  deps: JobDeps,
  job: Job,
): Promise<RenderStats> {
  const { pass, catalog } = await deps.db.session(async (session) =>
    session.snapshot(async (tx) => {
      const catalog = await requireCatalog(tx, job.run.catalogId);
      const asOf = new Date();
      const audit = await openAuditPass(auditSession, catalog, await auditContext(tx, catalog, asOf));
      const pass = openPass({ catalog, asOf, folder, audit });
      job.progress(() => ({ items: pass.items }), "rendering");
      const groups = new GroupBuilder();
      for await (const bodies of eachItemBody(session, catalog.id)) {
        job.signal.throwIfAborted();
        await writeGroups(pass, groups.add(bodies));
      }
      await writeGroups(pass, groups.end());
      return { pass, catalog };
    }),
  );

  job.progress(() => ({ items: pass.items }), "publishing");
  const files = await finishFiles(pass, await publishedFiles(deps.db, catalog), job.attempt);
  const outcome = await pass.audit.finish();
  await folder.commit();
  const stats = statsOf(pass, catalog);
  const render = auditedRender(job, catalog, pass.asOf);
  await publish(
    auditSession,
    { job, ...deps },
    {
      catalog,
      files,
      stats,
      audit: async (tx) => recordAudit(tx, { render, outcome, log: deps.log }),
    },
  );
  return stats;
}

function statsOf({ items, outputs, staleAt }: Pass, catalog: Catalog): RenderStats {
  return {
    items,
    files: Object.fromEntries(outputs.map(({ file, tally }) => [file, tally])),
    base: baseOf(catalog),
    stale_at: staleAt,
  };
}

function auditedRender(job: Job, catalog: Catalog, startedAt: Date): AuditedRender {
  return { catalogId: catalog.id, renderRunId: job.run.id, startedAt, base: baseOf(catalog) };
}

/** What the files depend on, apart from the time. */
const baseOf = ({ snapshot, settingsVersion }: Catalog): string =>
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
async function reusePublished(deps: JobDeps, job: Job): Promise<RenderStats | undefined> {
  const { db } = deps;
  const asOf = new Date();
  const catalog = await requireCatalog(db, job.run.catalogId);
  const stats = await reusableStats(db, catalog, asOf);
  const newest = await findNewestAudit(db, catalog.id);
  if (!stats || !newest) return undefined;
  const context = await auditContext(db, catalog, asOf);
  if (!isStillGood(newest, { base: baseOf(catalog), context })) return undefined;
  const files = [...(await publishedFiles(db, catalog)).values()];
  for (const { folder, file } of files) {
    if (!(await deps.folders.has({ catalogId: catalog.id, folder, file }))) return undefined;
  }

  const render = auditedRender(job, catalog, asOf);
  await publish(
    db,
    { job, ...deps },
    {
      catalog,
      files: files.map((file) => ({ ...file, changed: false })),
      stats,
      audit: async (tx) => repeatAudit(tx, render, newest, asOf),
    },
  );
  return stats;
}

async function reusableStats(db: Queries, catalog: Catalog, asOf: Date): Promise<RenderStats | undefined> {
  if (catalog.publishedRunId === null) return undefined;
  const stats = (await findRun(db, catalog.publishedRunId))?.stats as RenderStats | undefined;
  if (stats?.base !== baseOf(catalog)) return undefined;
  return stats.stale_at !== null && stats.stale_at <= asOf.toISOString() ? undefined : stats;
}
