/** The end of a render, in one transaction: run, audit and files are stored, feed URLs switched, events appended. */
import { counted } from "../../lib/counted.ts";
import { AppError } from "../../errors.ts";
import { type Catalog, publishRender } from "../../store/catalogs.ts";
import type { Db, Queries, Session } from "../../store/db.ts";
import { type FeedFileRow, insertFeedFile } from "../../store/feed-files.ts";
import { notify } from "../../store/notices.ts";
import type { AuditCompleted, FeedsRendered } from "../../contract/events.ts";
import type { Job, JobDeps } from "../job.ts";
import { appendEvent } from "../../webhooks/events.sql.ts";
import type { FileStats } from "./tally.ts";

export type RenderStats = {
  readonly items: number;
  readonly files: Readonly<Record<string, FileStats>>;
  /** What the files were made from: a render with the same base, before `stale_at`, writes the same bytes. */
  readonly base: string;
  readonly stale_at: string | null;
};

export type Publication = {
  readonly catalog: Catalog;
  readonly files: readonly FeedFileRow[];
  readonly stats: RenderStats;
  readonly audit: (tx: Queries) => Promise<AuditCompleted | undefined>;
};

/** On the session whose temporary table has the verdicts of the audit. */
export async function publish(
  auditSession: Db | Session,
  { feedUrl, openFeedToken }: Pick<JobDeps, "feedUrl" | "openFeedToken">,
  job: Job,
  { catalog, files, stats, audit }: Publication,
): Promise<void> {
  checkTallies(stats);
  const { id: runId, startedAt, createdAt } = job.run;
  await auditSession.tx(async (tx) => {
    const finishedAt = await job.finish(tx, { state: "succeeded", stats });
    // The long part comes before the catalog's row is locked: a sync may wait for that lock.
    const audited = await audit(tx);
    for (const file of files) await insertFeedFile(tx, runId, file);
    await publishRender(tx, catalog.id, { runId, staleAt: stats.stale_at });
    await notify(tx, { about: "published", id: catalog.id });

    const when = { catalogId: catalog.id, createdAt: finishedAt };
    const rendered: FeedsRendered = {
      run_id: runId,
      stats,
      feeds: files.map(({ file, sha256, bytes, changed }) => {
        const url = feedUrl(catalog, file);
        return { file, url, sha256, bytes, changed };
      }),
      started_at: (startedAt ?? createdAt).toISOString(),
      finished_at: finishedAt.toISOString(),
    };
    const encrypted = catalog.feedTokenEncrypted;
    const feedToken = { text: openFeedToken(encrypted), encrypted };
    await appendEvent(tx, { type: "feeds.rendered", data: rendered, ...when, feedToken });
    if (audited) await appendEvent(tx, { type: "audit.completed", data: audited, ...when });
  });
}

function checkTallies({ items, files }: RenderStats): void {
  for (const [file, { written, excluded }] of Object.entries(files)) {
    if (written + excluded === items) continue;
    throw new AppError(
      "ledger_mismatch",
      `${file} has ${counted(written, "item")} written and ${excluded} excluded, but the catalog has ${items}. The published files stay. Please report this.`,
    );
  }
}
