/**
 * What becomes of a render. This file has every change of its state, each in the caller's transaction, under the
 * catalog's lock:
 *
 * candidate  → published | held | discarded (the same files were discarded before)
 * held       → published | discarded | superseded (by a newer candidate)
 * discarded  → published
 * published  → superseded (another render is published)
 * superseded → published (a rollback, which is recorded as a render of its own with the same files)
 *
 * A held render has the same files and the same audit as a published one; the URLs serve the published files.
 */
import type { FeedsRendered } from "../../contract/events.ts";
import { enqueuePublication } from "../../destinations/deliveries.ts";
import { type Catalog, publishRender, scheduleRender } from "../../store/catalogs.ts";
import type { Queries } from "../../store/db.ts";
import {
  areSameFiles,
  type FeedFileRow,
  listFeedFiles,
  type RenderedFile,
  saveFeedFiles,
} from "../../store/feed-files.ts";
import {
  type RenderDecision,
  findDiscardedRender,
  findHeldRender,
  type RecordedRender,
  recordRender,
  type RenderRecord,
} from "../../store/renders.ts";
import { appendEvent } from "../../webhooks/events.sql.ts";
import type { JobDeps } from "../job.ts";
import type { RenderStats } from "../render/render.ts";

export type PublishDeps = Pick<JobDeps, "feedUrl" | "decryptFeedToken">;

/** A render that is new, or that was recorded before. */
export type Candidate = Omit<RecordedRender, "state" | "catalogId" | "folder"> & {
  /** As it is under the lock. */
  readonly catalog: Catalog;
  readonly files: readonly RenderedFile[];
  readonly stats: RenderStats;
};

export type Times = { readonly startedAt: Date; readonly finishedAt: Date };

/** Points the feed URLs at the files, queues their deliveries and appends the event. */
export async function publish(
  tx: Queries,
  { feedUrl, decryptFeedToken }: PublishDeps,
  candidate: Candidate,
  { startedAt, finishedAt }: Times,
): Promise<void> {
  const { catalog, runId, stats } = candidate;
  const files = await saveFiles(tx, candidate, finishedAt);
  await recordRender(tx, recordOf(candidate, "published"));
  await publishRender(tx, catalog.id, { runId, staleAt: stats.stale_at });
  await enqueuePublication(tx, catalog.id, { runId, files });
  const rendered: FeedsRendered = {
    run_id: runId,
    stats,
    feeds: files.map(({ file, etag, bytes, changed }) => {
      const url = feedUrl(catalog, file);
      return { file, url, etag, bytes, changed };
    }),
    started_at: startedAt.toISOString(),
    finished_at: finishedAt.toISOString(),
  };
  const encrypted = catalog.feedTokenEncrypted;
  const feedToken = { text: decryptFeedToken(encrypted), encrypted };
  const when = { catalogId: catalog.id, createdAt: finishedAt };
  await appendEvent(tx, { type: "feeds.rendered", data: rendered, ...when, feedToken });
}

/**
 * Keeps the files for a decision. If a person has discarded the same files before, the render is discarded with the
 * same reason. The same files that are held again, after another sync, are no news.
 */
export async function hold(tx: Queries, candidate: Candidate, at: Date): Promise<RenderRecord> {
  const { catalog, files, stats } = candidate;
  const earlier = await findHeldRender(tx, catalog.id);
  const isNews = !earlier || !areSameFiles(files, await listFeedFiles(tx, earlier.runId));
  const decision = await findDiscardedRender(tx, catalog.id);
  const isDiscarded = decision && areSameFiles(files, await listFeedFiles(tx, decision.runId));
  await saveFiles(tx, candidate, at);
  const record = await recordRender(
    tx,
    isDiscarded ? { ...recordOf(candidate, "discarded"), decision } : recordOf(candidate, "held"),
  );
  if (stats.stale_at !== null) await scheduleRender(tx, catalog.id, new Date(stats.stale_at));
  if (isNews && record.state === "held") await announceHeld(tx, record);
  return record;
}

export async function discard(tx: Queries, render: RenderRecord, decision: RenderDecision): Promise<void> {
  await recordRender(tx, { ...render, state: "discarded", decision: decisionNow(decision) });
}

/** A decision of a person, as it is recorded with the render. */
export const decisionNow = ({ reason, by }: RenderDecision) => ({
  decidedAt: new Date(),
  decidedBy: by.name,
  decidedKeyId: by.keyId,
  reason,
});

const recordOf = (
  { catalog, files, stats: _stats, ...render }: Candidate,
  state: RecordedRender["state"],
): RecordedRender => ({ ...render, catalogId: catalog.id, folder: files[0]?.folder ?? "", state });

/**
 * A file with the bytes of the published one keeps its date, so that caches stay valid. Another one gets a new date,
 * also if it is the file of an earlier render: a client that has the published file would keep it otherwise.
 */
async function saveFiles(
  tx: Queries,
  { catalog: { publishedRunId }, runId, files }: Candidate,
  at: Date,
): Promise<readonly FeedFileRow[]> {
  const current = publishedRunId === null ? [] : await listFeedFiles(tx, publishedRunId);
  const saved = files.map((file): FeedFileRow => {
    const previous = current.find((one) => one.file === file.file);
    const changed = previous?.etag !== file.etag;
    return { ...file, changed, lastModified: changed || !previous ? at : previous.lastModified };
  });
  await saveFeedFiles(tx, runId, saved);
  return saved;
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
