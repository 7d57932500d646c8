/**
 * A render run: renders the catalog into files that are not served yet, audits its items, and publishes or holds the
 * files in one transaction. If anything fails, the published files stay. If neither files nor audit can have changed
 * since the last render, both are used again.
 */
import type { AuditCompleted } from "../../contract/events.ts";
import { AppError } from "../../errors.ts";
import { counted } from "../../lib/counted.ts";
import { findNewestAudit, type NewestAudit } from "../../store/audits.ts";
import type { Catalog } from "../../store/catalogs.ts";
import type { Db, Queries, Session } from "../../store/db.ts";
import { areSameFiles, listFeedFiles, type RenderedFile } from "../../store/feed-files.ts";
import { forgetChanges } from "../../store/item-changes.ts";
import { findPublicationState } from "../../store/publication-pauses.ts";
import { isRemovalAccepted } from "../../store/run-history.ts";
import { findRun, type RunGuard } from "../../store/runs.ts";
import { appendEvent } from "../../webhooks/events.sql.ts";
import { auditContext } from "../audit/pass.ts";
import { type AuditedRender, isStillGood, recordAudit, repeatAudit } from "../audit/record.ts";
import type { Job, JobDeps } from "../job.ts";
import { timeOf } from "../render/index-entry.ts";
import { baseOf, renderStored, type RenderStats, requireCatalog, storeRendered } from "../render/render.ts";
import { type GuardVerdict, guardRender, NOTHING_EXCEEDED } from "./guard/guard.ts";
import { HELD_FROM_ITEMS } from "./guard/limits.ts";
import { withPause } from "./guard/pause.ts";
import { type Candidate, hold, publish } from "./publish.ts";

/** What was rendered. */
type Finished = {
  readonly catalog: Catalog;
  readonly files: readonly RenderedFile[];
  readonly stats: RenderStats;
  /** Stores the audit. */
  readonly audit: (tx: Queries) => Promise<AuditCompleted | undefined>;
};

export async function renderCatalog(deps: JobDeps, job: Job): Promise<RenderStats> {
  // A catalog has one render at a time, and only renders store audits: this stays the newest one.
  const newest = await findNewestAudit(deps.db, job.run.catalogId);
  const reused = newest && (await reusePublished(deps, job, newest));
  if (reused) return reused;
  return deps.db.session(async (auditSession) => {
    const rendered = await deps.db.session(async (session) =>
      session.snapshot(async (tx) => renderStored({ session, tx, auditSession }, deps, job, newest)),
    );
    const { pass, files, catalog } = rendered;
    try {
      job.progress(() => ({ items: pass.items }), "publishing");
      const outcome = await pass.audit.finish(timeOf(pass.index.sameUntilMs));
      const stats = await storeRendered(rendered, outcome);
      const render = auditedRender(job, catalog, { startedAt: pass.asOf, folder: job.leaseOwner });
      const audit = async (tx: Queries) =>
        recordAudit(tx, { render, outcome, previous: newest, log: deps.log });
      await judgeAndEnd(auditSession, deps, job, { catalog, files, stats, audit });
      return stats;
    } catch (error) {
      await pass.folder.discard();
      throw error;
    }
  });
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
  const files = await publishedFiles(db, catalog);
  for (const { folder, file } of files) {
    if (!(await deps.folders.has({ catalogId: catalog.id, folder, file }))) return undefined;
  }
  const render = auditedRender(job, catalog, { startedAt: asOf, folder: files[0]?.folder ?? "" });
  const audit = async (tx: Queries) => repeatAudit(tx, render, newest, asOf);
  try {
    await endRender(db, deps, job, { finished: { catalog, files, stats, audit }, verdict: NOTHING_EXCEEDED });
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

const auditedRender = (
  job: Job,
  catalog: Catalog,
  made: Pick<AuditedRender, "startedAt" | "folder">,
): AuditedRender => ({ catalogId: catalog.id, renderRunId: job.run.id, base: baseOf(catalog), ...made });

const publishedFiles = async (
  db: Queries,
  { publishedRunId }: Pick<Catalog, "publishedRunId">,
): Promise<readonly RenderedFile[]> => (publishedRunId === null ? [] : listFeedFiles(db, publishedRunId));

/** Compares the files with the published ones, and again if another render was published meanwhile. */
async function judgeAndEnd(
  auditSession: Session,
  deps: JobDeps,
  job: Job,
  finished: Finished,
): Promise<void> {
  checkTallies(finished.stats);
  for (let { catalog } = finished; ; ) {
    const verdict = await guardRender(deps, {
      catalogId: catalog.id,
      settings: catalog.publishGuard,
      before: await publishedFiles(deps.db, catalog),
      after: finished.files,
      isRemoval: async () => job.run.cause === "removal" || isRemovalAccepted(deps.db, job.run.id),
    });
    try {
      return await endRender(auditSession, deps, job, { finished: { ...finished, catalog }, verdict });
    } catch (error) {
      if (!(error instanceof PublishedMeanwhile)) throw error;
      catalog = { ...catalog, publishedRunId: error.publishedRunId };
    }
  }
}

/**
 * A person has promoted a render or rolled back while this one was made: it was compared with files that are not
 * published any more.
 */
class PublishedMeanwhile extends Error {
  readonly publishedRunId: string | null;

  constructor(publishedRunId: string | null) {
    super("another render was published meanwhile");
    this.publishedRunId = publishedRunId;
  }
}

/** On the session whose temporary table has the verdicts of the audit. */
async function endRender(
  auditSession: Db | Session,
  deps: JobDeps,
  job: Job,
  { finished, verdict: compared }: { readonly finished: Finished; readonly verdict: GuardVerdict },
): Promise<void> {
  const { catalog, files, audit } = finished;
  const { id: runId, startedAt, createdAt, guard } = job.run;
  const held = await auditSession.tx(async (tx) => {
    // The long part comes before the catalog's row is locked: a sync may wait for that lock.
    const audited = await audit(tx);
    const state = await findPublicationState(tx, catalog.id, { lock: true });
    if (state.publishedRunId !== catalog.publishedRunId) throw new PublishedMeanwhile(state.publishedRunId);
    const verdict = await withPause(tx, state, { files, verdict: compared });
    const isHeld = mustHold(verdict, guard);
    const stats = isHeld ? finished.stats : await withExceeded(tx, finished, verdict);
    // The next render continues from this one.
    await forgetChanges(tx, catalog.id, catalog.snapshot);
    const { exceeded } = verdict;
    const candidate: Candidate = { catalog, runId, files, stats, exceeded };
    const finishedAt = await job.finish(tx, { state: "succeeded", stats });
    if (isHeld) await hold(tx, candidate, finishedAt);
    else await publish(tx, deps, candidate, { startedAt: startedAt ?? createdAt, finishedAt });
    const when = { catalogId: catalog.id, createdAt: finishedAt };
    if (audited) await appendEvent(tx, { type: "audit.completed", data: audited, ...when });
    return isHeld ? exceeded : undefined;
  });
  const signals = held?.map(({ signal }) => signal);
  if (signals) deps.log.warn({ run_id: runId, catalog_id: catalog.id, signals }, "the files are held");
}

/**
 * Whether files outside a limit are held. A pause is the decision of a person and holds them in any case; otherwise the
 * caller of the run decides.
 */
function mustHold({ figures, exceeded, replacesLost = false }: GuardVerdict, guard: RunGuard): boolean {
  if (replacesLost) return false;
  if (exceeded.some(({ signal }) => signal === "publication_paused")) return true;
  if (exceeded.length === 0 || guard === "publish") return false;
  return figures === null || figures.before.items >= HELD_FROM_ITEMS;
}

/**
 * Files that are published outside a limit keep the note of it until other files are published. A note about values
 * that are unlikely in themselves stays as long as the files have such values.
 */
async function withExceeded(
  tx: Queries,
  { catalog, files, stats: { guard: _reused, ...stats } }: Finished,
  { exceeded, unlikely }: GuardVerdict,
): Promise<RenderStats> {
  const published = catalog.publishedRunId === null ? undefined : await findRun(tx, catalog.publishedRunId);
  const { guard: noted } = (published?.stats ?? {}) as Partial<RenderStats>;
  const wasNoted = (signal: string): boolean => noted?.exceeded.some((one) => one.signal === signal) ?? false;
  const isNew = (signal: string): boolean => !exceeded.some((one) => one.signal === signal);
  const kept = areSameFiles(files, await publishedFiles(tx, catalog))
    ? (noted?.exceeded ?? [])
    : unlikely.filter(({ signal }) => wasNoted(signal) && isNew(signal));
  const all = [...exceeded, ...kept];
  if (all.length === 0) return stats;
  const since = exceeded.length > 0 || !noted ? new Date().toISOString() : noted.since;
  return { ...stats, guard: { exceeded: all, since } };
}

function checkTallies({ items, files }: RenderStats): void {
  for (const [file, { written, excluded }] of Object.entries(files)) {
    if (written + excluded === items) continue;
    throw new AppError(
      "ledger_mismatch",
      `${file} has ${counted(written, "item")} written and ${excluded} left out, but the catalog has ${items}. The published files stay. Please report this.`,
    );
  }
}
