/**
 * Ends a render in one transaction: it is published or, outside a limit of the publish guard, held. A held render has the same
 * files and the same audit; the URLs serve the published one until a person promotes it, or a newer render is published.
 */
import type { AuditCompleted, FeedsRendered } from "../../contract/events.ts";
import type { Exceeded } from "../../contract/publish-guard.ts";
import { enqueuePublication } from "../../destinations/deliveries.ts";
import { AppError } from "../../errors.ts";
import { counted } from "../../lib/counted.ts";
import { type Catalog, publishRender, scheduleRender } from "../../store/catalogs.ts";
import type { Db, Queries, Session } from "../../store/db.ts";
import { type FeedFileRow, hasSameFiles, insertFeedFiles } from "../../store/feed-files.ts";
import { findPublicationState } from "../../store/publication-pauses.ts";
import {
  findDiscardedRender,
  findHeldRender,
  type NewRender,
  recordRender,
  type RenderRecord,
} from "../../store/renders.ts";
import { findRun, type RunGuard } from "../../store/runs.ts";
import { appendEvent } from "../../webhooks/events.sql.ts";
import type { Job, JobDeps } from "../job.ts";
import type { GuardVerdict } from "./guard/guard.ts";
import { HELD_FROM_ITEMS } from "./guard/limits.ts";
import { withPause } from "./guard/pause.ts";
import type { FileStats } from "../render/tally.ts";

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

export type FinishedRender = {
  readonly catalog: Catalog;
  readonly files: readonly FeedFileRow[];
  readonly stats: RenderStats;
  readonly audit: (tx: Queries) => Promise<AuditCompleted | undefined>;
  readonly verdict: GuardVerdict;
};

export type PublishDeps = Pick<JobDeps, "feedUrl" | "decryptFeedToken">;

/** A person has promoted a render or rolled back while this one was made: it was compared with files that are not published any more. */
export class PublishedMeanwhile extends Error {
  readonly publishedRunId: string | null;

  constructor(publishedRunId: string | null) {
    super("another render was published meanwhile");
    this.publishedRunId = publishedRunId;
  }
}

/**
 * On the session whose temporary table has the verdicts of the audit. Throws `render_held` if the render is held, and
 * `PublishedMeanwhile` if it has to be compared again.
 */
export async function publishOrHold(
  auditSession: Db | Session,
  deps: PublishDeps,
  job: Job,
  { catalog, files, stats: rendered, audit, verdict }: FinishedRender,
): Promise<void> {
  checkTallies(rendered);
  const { id: runId, startedAt, createdAt, guard } = job.run;
  const held = await auditSession.tx(async (tx) => {
    // The long part comes before the catalog's row is locked: a sync may wait for that lock.
    const audited = await audit(tx);
    const state = await findPublicationState(tx, catalog.id, { lock: true });
    if (state.publishedRunId !== catalog.publishedRunId) throw new PublishedMeanwhile(state.publishedRunId);
    await insertFeedFiles(tx, runId, files);
    const render = await newRender(tx, runId, {
      catalog,
      files,
      guard,
      verdict: await withPause(tx, state, { files, verdict }),
    });
    const held = render.state === "published" ? undefined : heldError(render);
    const { unlikely } = verdict;
    const stats = held ? rendered : await withExceeded(tx, rendered, { catalog, files, render, unlikely });
    const finishedAt = await job.finish(
      tx,
      held ? { state: "failed", error: held, stats } : { state: "succeeded", stats },
    );
    if (held) await recordHeld(tx, render, { files, stats });
    else {
      await recordRender(tx, render);
      const times = { startedAt: startedAt ?? createdAt, finishedAt };
      await announcePublished(tx, deps, { catalog, runId, files, stats, ...times });
    }
    const when = { catalogId: catalog.id, createdAt: finishedAt };
    if (audited) await appendEvent(tx, { type: "audit.completed", data: audited, ...when });
    return held;
  });
  if (held) throw new AppError("render_held", held.message, { runId });
}

/** The same files that are held again, after another sync, are no news. */
async function recordHeld(
  tx: Queries,
  render: NewRender,
  { files, stats }: Pick<FinishedRender, "files" | "stats">,
): Promise<void> {
  const earlier = await findHeldRender(tx, render.catalogId);
  const isNews = !earlier || !(await hasSameFiles(tx, earlier.runId, files));
  const record = await recordRender(tx, render);
  if (stats.stale_at !== null) await scheduleRender(tx, render.catalogId, new Date(stats.stale_at));
  if (isNews && record.state === "held") await announceHeld(tx, record);
}

async function announceHeld(tx: Queries, render: RenderRecord): Promise<void> {
  const { runId, catalogId, exceeded, createdAt } = render;
  const data = {
    run_id: runId,
    exceeded: exceeded.map(({ signal, before, after, limit, message }) => ({
      signal,
      before,
      after,
      limit,
      message,
    })),
    held_at: createdAt.toISOString(),
  };
  await appendEvent(tx, { type: "shelfwire.render.held", data, catalogId, createdAt });
}

type Decided = Pick<FinishedRender, "catalog" | "files" | "verdict"> & Pick<Job["run"], "guard">;

/** What is held again after it was discarded stays discarded: the person who looked at it has decided. */
async function newRender(
  tx: Queries,
  runId: string,
  { catalog, files, guard, verdict }: Decided,
): Promise<NewRender> {
  const { figures, exceeded } = verdict;
  const render = { runId, catalogId: catalog.id, folder: files[0]?.folder ?? "", figures, exceeded };
  if (!mustHold(verdict, guard)) return { ...render, state: "published" };
  const discarded = await findDiscardedRender(tx, catalog.id);
  const decision = discarded && (await hasSameFiles(tx, discarded.runId, files)) ? discarded : undefined;
  return decision ? { ...render, state: "discarded", decision } : { ...render, state: "held" };
}

/**
 * Whether files outside a limit are held. A pause is the decision of a person and holds them in any case; otherwise the caller
 * of the run decides.
 */
function mustHold({ figures, exceeded, replacesLost = false }: GuardVerdict, guard: RunGuard): boolean {
  if (replacesLost) return false;
  if (exceeded.some(({ signal }) => signal === "publication_paused")) return true;
  if (exceeded.length === 0 || guard === "publish") return false;
  return figures === null || figures.before.items >= HELD_FROM_ITEMS;
}

type Noted = Pick<FinishedRender, "catalog" | "files"> &
  Pick<GuardVerdict, "unlikely"> & { readonly render: NewRender };

/**
 * Files that are published outside a limit keep the note of it until other files are published. A note about values that are
 * unlikely in themselves stays as long as the files have such values.
 */
async function withExceeded(
  tx: Queries,
  { guard: _reused, ...stats }: RenderStats,
  { catalog, files, render: { exceeded }, unlikely }: Noted,
): Promise<RenderStats> {
  const published = catalog.publishedRunId === null ? undefined : await findRun(tx, catalog.publishedRunId);
  const { guard: noted } = (published?.stats ?? {}) as Partial<RenderStats>;
  const isSame = files.every(({ changed }) => !changed);
  const wasNoted = (signal: string): boolean => noted?.exceeded.some((one) => one.signal === signal) ?? false;
  const isNew = (signal: string): boolean => !exceeded.some((one) => one.signal === signal);
  const kept = isSame
    ? (noted?.exceeded ?? [])
    : unlikely.filter(({ signal }) => wasNoted(signal) && isNew(signal));
  const all = [...exceeded, ...kept];
  if (all.length === 0) return stats;
  const since = exceeded.length > 0 || !noted ? new Date().toISOString() : noted.since;
  return { ...stats, guard: { exceeded: all, since } };
}

/** How many exceeded limits the message has in full. */
const NAMED = 3;

function heldError({ exceeded, state, decision }: NewRender): { code: "render_held"; message: string } {
  const named = exceeded.slice(0, NAMED).map(({ message }) => message);
  const more = exceeded.length > NAMED ? ` And ${counted(exceeded.length - NAMED, "more limit")}.` : "";
  const advice =
    state === "discarded"
      ? `The same files were discarded before (${decision?.reason ?? ""}).`
      : "If this is intended, promote the render; else correct the source, or discard the render.";
  const message = `The new files were not published, and the published ones stay: ${named.join(" ")}${more} ${advice}`;
  return { code: "render_held", message };
}

/**
 * A file of an earlier render as it is published now. If it has other bytes than the published one, its date is new: a client
 * that has the other one would keep it otherwise.
 */
export function publishedNow(file: FeedFileRow, current: readonly FeedFileRow[], at: Date): FeedFileRow {
  const previous = current.find((one) => one.file === file.file);
  const changed = previous?.sha256 !== file.sha256;
  return { ...file, changed, lastModified: changed || !previous ? at : previous.lastModified };
}

export type Published = {
  readonly catalog: Catalog;
  readonly runId: string;
  readonly files: readonly FeedFileRow[];
  readonly stats: RenderStats;
  readonly startedAt: Date;
  readonly finishedAt: Date;
};

/** Points the feed URLs at the files, queues their deliveries and appends the event. */
export async function announcePublished(
  tx: Queries,
  { feedUrl, decryptFeedToken }: PublishDeps,
  { catalog, runId, files, stats, startedAt, finishedAt }: Published,
): Promise<void> {
  await publishRender(tx, catalog.id, { runId, staleAt: stats.stale_at });
  await enqueuePublication(tx, catalog.id, { runId, files });
  const rendered: FeedsRendered = {
    run_id: runId,
    stats,
    feeds: files.map(({ file, sha256, bytes, changed }) => {
      const url = feedUrl(catalog, file);
      return { file, url, sha256, bytes, changed };
    }),
    started_at: startedAt.toISOString(),
    finished_at: finishedAt.toISOString(),
  };
  const encrypted = catalog.feedTokenEncrypted;
  const feedToken = { text: decryptFeedToken(encrypted), encrypted };
  const when = { catalogId: catalog.id, createdAt: finishedAt };
  await appendEvent(tx, { type: "feeds.rendered", data: rendered, ...when, feedToken });
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
