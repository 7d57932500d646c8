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
import type { Job, JobDeps } from "../job.ts";
import { openFeedThreads } from "./feed-threads.ts";
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
import type { RenderContext } from "./render-index.ts";
import type { FileStats } from "./tally.ts";

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
      const files = await finishFiles(pass, job.leaseOwner);
      return { pass, files, catalog, basis };
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

/** Stores the files for good, with what the next render needs; they are not served yet. */
export async function storeRendered(
  { pass, catalog, basis }: Rendered,
  outcome: AuditOutcome,
): Promise<RenderStats> {
  const base = baseOf(catalog);
  const { applied: effects } = catalog.effects;
  await finishIndex(pass, { basis, base, effects, context: contextOf(catalog) }, outcome);
  await pass.folder.commit();
  const files = Object.fromEntries(FEED_FILES.map((file, at) => [file, pass.tallies[at] as FileStats]));
  return { items: pass.items, files, base, stale_at: pass.staleAt, effects };
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
