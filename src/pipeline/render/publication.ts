/**
 * The end of a render, in one transaction: the run is finished, the audit is written down, the files are recorded
 * and the feed URLs switched over to them, and whoever subscribed is told. Either all of it has happened or nothing.
 */
import { counted } from "../../lib/counted.ts";
import { AppError } from "../../errors.ts";
import { publishRender } from "../../store/catalogs.ts";
import type { Catalog } from "../../store/catalogs.ts";
import type { Db, Queries, Session } from "../../store/db.ts";
import { insertFeedFile } from "../../store/feed-files.ts";
import type { FeedFileRow } from "../../store/feed-files.ts";
import { notify } from "../../store/notices.ts";
import type { AuditCompleted, FeedsRendered } from "../../contract/events.ts";
import type { Job, JobDeps } from "../job.ts";
import { announce } from "../webhooks/announce.ts";
import type { FileStats } from "./tally.ts";

export type RenderStats = {
  readonly items: number;
  readonly files: Readonly<Record<string, FileStats>>;
  /** What the files were made from; a render with the same base and before `stale_at` would give the same bytes. */
  readonly base: string;
  readonly stale_at: string | null;
};

export type Publication = {
  readonly catalog: Catalog;
  readonly files: readonly FeedFileRow[];
  readonly stats: RenderStats;
  /** Writes the audit down; undefined if it failed. */
  readonly audit: (tx: Queries) => Promise<AuditCompleted | undefined>;
};

/** On `desk`: its temporary tables hold what the audit found. */
export async function publish(
  desk: Db | Session,
  { job, feedUrl, openFeedToken }: { readonly job: Job } & Pick<JobDeps, "feedUrl" | "openFeedToken">,
  { catalog, files, stats, audit }: Publication,
): Promise<void> {
  checkTallies(stats);
  const { id: runId, startedAt, createdAt } = job.run;
  await desk.tx(async (tx) => {
    const finishedAt = await job.finish(tx, { state: "succeeded", stats });
    // The long part comes before the row of the catalog is locked: a sync may be waiting for that.
    const audited = await audit(tx);
    for (const file of files) await insertFeedFile(tx, runId, file);
    await publishRender(tx, catalog.id, { runId, staleAt: stats.stale_at });
    await notify(tx, { about: "published", id: catalog.id });

    const when = { catalogId: catalog.id, at: finishedAt };
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
    const sealed = catalog.feedTokenSealed;
    const feedToken = { text: openFeedToken(sealed), sealed };
    await announce(tx, { type: "feeds.rendered", data: rendered }, { ...when, feedToken });
    if (audited) await announce(tx, { type: "audit.completed", data: audited }, when);
  });
}

function checkTallies({ items, files }: RenderStats): void {
  for (const [file, { written, excluded }] of Object.entries(files)) {
    if (written + excluded === items) continue;
    throw new AppError(
      "ledger_mismatch",
      `${file} has ${counted(written, "item")} written and ${excluded} left out, but the catalog has ${items}. The last good files stay up. Please report this.`,
    );
  }
}
