/**
 * Renders the items of a catalog into files that are not served yet: a single ordered pass feeds the writers and the audit. If only
 * some groups have changed since the last render, the others are kept.
 */
import { FEED_FILES, RENDERER_VERSION } from "../../channels/registry.ts";
import type { Exceeded } from "../../contract/publish-guard.ts";
import { AppError } from "../../errors.ts";
import type { NewestAudit } from "../../store/audits.ts";
import { type Catalog, findCatalog } from "../../store/catalogs.ts";
import type { Queries, Session } from "../../store/db.ts";
import type { RenderedFile } from "../../store/feed-files.ts";
import { auditContext, type AuditOutcome, openAuditPass } from "../audit/pass.ts";
import { type ChangePlan, planChanges } from "./change-plan.ts";
import type { Job, JobDeps } from "../job.ts";
import { openFeedThreads } from "./feed-threads.ts";
import { timeOf } from "./index-entry.ts";
import { asNothingToKeep, basisOf, findPrevious, NothingToKeep, renderChanges } from "./incremental.ts";
import { storedGroups } from "./item-groups.ts";
import { feedContextOf, finishFiles, openPass, type RenderPass, writeGroups } from "./pass.ts";
import type { RenderContext } from "./render-index.ts";
import type { FileStats, Tally } from "./tally.ts";

export type RenderStats = {
  readonly items: number;
  readonly files: Readonly<Record<string, FileStats>>;
  /** What the files were made from: a render with the same base, before `stale_at`, writes the same bytes. */
  readonly base: string;
  readonly stale_at: string | null;
  /** Up to which version rules and approved values are in the files. */
  readonly effects: number;
  /** The limits of the publish guard that these files exceeded when they were published, and since when they are public. */
  readonly guard?: { readonly exceeded: readonly Exceeded[]; readonly since: string };
};

type Connections = {
  readonly session: Session;
  /** A snapshot on `session`. */
  readonly tx: Queries;
  /** Has the temporary table of verdicts. */
  readonly auditSession: Session;
};

export type Rendered = {
  readonly pass: RenderPass;
  readonly files: readonly RenderedFile[];
  readonly catalog: Catalog;
  /** What kept parts depend on. */
  readonly basis: string;
  /** When all items were read, or compared with those of an index. */
  readonly comparedAt: string;
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
  const basis = basisOf(catalog, context);
  /** Discards what it has written if it fails. */
  const attempt = async (plan?: ChangePlan): Promise<Rendered> => {
    const audit = await openAuditPass(auditSession, catalog, context, plan?.audit);
    const folder = await deps.folders.create(catalog.id, job.leaseOwner, plan?.previous.folder);
    try {
      // Ended before the folder is discarded.
      await using threads = plan
        ? null
        : openFeedThreads(feedContextOf(catalog, asOf), folder, {
            items: catalog.itemCount,
            ...deps.feedThreads,
          });
      const kept = { previous: plan?.previous.info, lookupsLike: plan?.lookupsLike };
      const pass = await openPass(catalog, asOf, { folder, audit, threads, ...kept });
      job.progress(() => ({ items: pass.items }), "rendering");
      if (plan) await renderChanges(session, deps.folders, pass, plan);
      else await renderAll(session, pass, job);
      const files = await finishFiles(pass, job.leaseOwner);
      return { pass, files, catalog, basis, comparedAt: plan?.comparedAt ?? asOf.toISOString() };
    } catch (error) {
      await folder.discard();
      await audit.abandon();
      throw asNothingToKeep(error);
    }
  };
  try {
    const previous = await findPrevious(deps.folders, catalog, context, newest);
    if (previous)
      return await attempt(await planChanges({ session, tx }, deps.folders, previous, { catalog, context }));
  } catch (thrown) {
    const error = asNothingToKeep(thrown);
    if (!(error instanceof NothingToKeep)) throw error;
    deps.log.info({ run_id: job.run.id, reason: error.message }, "rendering all groups");
  }
  return attempt();
}

async function renderAll(session: Session, pass: RenderPass, job: RenderJob): Promise<void> {
  for await (const groups of storedGroups(session, job.run.catalogId)) {
    job.signal.throwIfAborted();
    await writeGroups(pass, groups);
  }
}

/** Stores the files for good, with what the next render needs; they are not served yet. */
export async function storeRendered(
  { pass, catalog, basis, comparedAt }: Rendered,
  outcome: AuditOutcome,
): Promise<RenderStats> {
  const base = baseOf(catalog);
  const { snapshot, effects } = catalog;
  const { folder, index, items, heads, tallies } = pass;
  const made = {
    basis,
    base,
    effects: effects.applied,
    context: contextOf(catalog),
    items,
    heads,
    tallies: tallies.map((tally) => tally.stored()),
    snapshot,
    compared_at: comparedAt,
  };
  await index.finish(folder, made, outcome.kind === "judged" ? outcome.state : null);
  await folder.commit();
  const files = Object.fromEntries(FEED_FILES.map((file, at) => [file, (tallies[at] as Tally).stats()]));
  return { items, files, base, stale_at: timeOf(index.staleMs), effects: effects.applied };
}

function contextOf({ slug, name, settings, snapshotAt, effects }: Catalog): RenderContext {
  const rules = effects.rules <= effects.applied ? effects.rules : null;
  return { slug, name, settings, snapshot_at: snapshotAt.toISOString(), rules_version: rules };
}

/** What the files depend on, apart from the time. */
export const baseOf = ({ snapshot, settingsVersion }: Catalog): string =>
  `${snapshot}.${settingsVersion}.${RENDERER_VERSION}`;

export async function requireCatalog(db: Queries, id: string): Promise<Catalog> {
  const catalog = await findCatalog(db, id);
  if (!catalog) throw new AppError("render_failed", "The catalog was removed before its render began.");
  return catalog;
}
