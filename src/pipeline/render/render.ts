/**
 * One render: a single ordered pass over the catalog feeds the writers and the audit; one transaction publishes the files. If
 * anything fails, the published files stay. If neither files nor audit can have changed since then, both are reused.
 */
import { CHANNELS, FEED_FILES, type FeedFile, RENDERER_VERSION } from "../../channels/registry.ts";
import { AppError } from "../../errors.ts";
import type { FeedSink, RenderFolder } from "../../publish/local-files.ts";
import { findNewestAudit } from "../../store/audits.ts";
import { type Catalog, findCatalog, publishRender } from "../../store/catalogs.ts";
import type { Queries, Session, Db } from "../../store/db.ts";
import { type FeedFileRow, listFeedFiles, insertFeedFile } from "../../store/feed-files.ts";
import { findRun } from "../../store/runs.ts";
import { auditContext, type AuditPass, openAuditPass } from "../audit/pass.ts";
import { type AuditedRender, isStillGood, recordAudit, repeatAudit } from "../audit/record.ts";
import { storedGroups } from "./item-groups.ts";
import type { Job, JobDeps } from "../job.ts";
import type { ItemGroup } from "../../catalog/item.ts";
import { offerAt } from "../../catalog/price-now.ts";
import type { FeedContext, FeedWriter } from "../../channels/channel.ts";
import { type ExclusionReport, openExclusionReport } from "./exclusion-report.ts";
import { openSearchList, type SearchList } from "./search-list.ts";
import { counted } from "../../lib/counted.ts";
import type { AuditCompleted, FeedsRendered } from "../../contract/events.ts";
import { appendEvent } from "../../webhooks/events.sql.ts";
import { type FileStats, newTally, type Tally, tallyPiece } from "./tally.ts";

export async function renderCatalog(deps: JobDeps, job: Job): Promise<RenderStats> {
  const reused = await reusePublished(deps, job);
  if (reused) return reused;

  const folder = await deps.folders.create(job.run.catalogId, job.leaseOwner);
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
      const pass = openPass(catalog, asOf, folder, audit);
      job.progress(() => ({ items: pass.items }), "rendering");
      for await (const groups of storedGroups(session, catalog.id)) {
        job.signal.throwIfAborted();
        await writeGroups(pass, groups);
      }
      return { pass, catalog };
    }),
  );

  job.progress(() => ({ items: pass.items }), "publishing");
  const files = await finishFiles(pass, await publishedFiles(deps.db, catalog), job.leaseOwner);
  const outcome = await pass.audit.finish();
  await folder.commit();
  const stats: RenderStats = {
    items: pass.items,
    files: Object.fromEntries(pass.outputs.map(({ file, tally }) => [file, tally])),
    base: baseOf(catalog),
    stale_at: pass.staleAt,
  };
  const render = auditedRender(job, catalog, pass.asOf);
  const audit = async (tx: Queries) => recordAudit(tx, { render, outcome, log: deps.log });
  await publish(auditSession, deps, job, { catalog, files, stats, audit });
  return stats;
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
  const audit = async (tx: Queries) => repeatAudit(tx, render, newest, asOf);
  const unchanged = files.map((file) => ({ ...file, changed: false }));
  await publish(db, deps, job, { catalog, files: unchanged, stats, audit });
  return stats;
}

async function reusableStats(db: Queries, catalog: Catalog, asOf: Date): Promise<RenderStats | undefined> {
  if (catalog.publishedRunId === null) return undefined;
  const stats = (await findRun(db, catalog.publishedRunId))?.stats as RenderStats | undefined;
  if (stats?.base !== baseOf(catalog)) return undefined;
  return stats.stale_at !== null && stats.stale_at <= asOf.toISOString() ? undefined : stats;
}

type Output = {
  readonly file: FeedFile;
  readonly writer: FeedWriter;
  readonly sink: FeedSink;
  readonly tally: Tally;
};

type Pass = {
  readonly asOf: Date;
  readonly outputs: readonly Output[];
  readonly exclusions: ExclusionReport;
  readonly search: SearchList;
  readonly audit: AuditPass;
  items: number;
  /** The earliest time at which an item's offer changes without a sync, such as the end of a sale. */
  staleAt: string | null;
};

export function openPass(catalog: Catalog, asOf: Date, folder: RenderFolder, audit: AuditPass): Pass {
  const { slug, name, settings, snapshotAt } = catalog;
  const context: FeedContext = { catalog: { slug, name }, settings, asOf, snapshotAt };
  const outputs = FEED_FILES.map((file): Output => {
    const writer = CHANNELS[file].open(context);
    const sink = folder.sink(file);
    void sink.write(writer.head());
    return { file, writer, sink, tally: newTally() };
  });
  return {
    asOf,
    outputs,
    exclusions: openExclusionReport(folder),
    search: openSearchList(folder),
    audit,
    items: 0,
    staleAt: null,
  };
}

export async function writeGroups(pass: Pass, groups: Iterable<ItemGroup>): Promise<void> {
  for (const group of groups) {
    pass.items += group.items.length;
    noteNextChange(pass, group);
    for (const { file, writer, sink, tally } of pass.outputs) {
      const piece = writer.group(group);
      const reported = pass.exclusions.add(file, piece);
      if (reported) await reported;
      const full = sink.write(tallyPiece(tally, piece));
      if (full) await full;
    }
    const listed = pass.search.add(group.items);
    if (listed) await listed;
    const audited = pass.audit.add(group);
    if (audited) await audited;
  }
}

/** ISO instants compare as text. An item that only expires is skipped: no row of a feed changes then. */
function noteNextChange(pass: Pass, { items }: ItemGroup): void {
  for (const item of items) {
    if (item.saleFrom === undefined && item.saleTo === undefined && item.availabilityDate === undefined)
      continue;
    const { nextChangeAt } = offerAt(item, pass.asOf);
    if (nextChangeAt !== null && (pass.staleAt === null || nextChangeAt < pass.staleAt))
      pass.staleAt = nextChangeAt;
  }
}

/** Finishes all files. A file with the same bytes as the published one keeps its date, so that caches stay valid. */
export async function finishFiles(
  { outputs, exclusions, search, asOf }: Pass,
  before: ReadonlyMap<string, FeedFileRow>,
  folder: string,
): Promise<readonly FeedFileRow[]> {
  const files = await Promise.all(
    outputs.map(async ({ file, writer, sink, tally }): Promise<FeedFileRow> => {
      await sink.write(writer.tail());
      const bytes = await sink.finish();
      const previous = before.get(file);
      const changed = previous?.sha256 !== bytes.sha256;
      const lastModified = changed || !previous ? asOf : previous.lastModified;
      const { written, excluded } = tally;
      return { file, folder, ...bytes, changed, lastModified, written, excluded };
    }),
  );
  await exclusions.finish();
  await search.finish();
  return files;
}

export type RenderStats = {
  readonly items: number;
  readonly files: Readonly<Record<string, FileStats>>;
  /** What the files were made from: a render with the same base, before `stale_at`, writes the same bytes. */
  readonly base: string;
  readonly stale_at: string | null;
};

type Publication = {
  readonly catalog: Catalog;
  readonly files: readonly FeedFileRow[];
  readonly stats: RenderStats;
  readonly audit: (tx: Queries) => Promise<AuditCompleted | undefined>;
};

/** On the session whose temporary table has the verdicts of the audit. */
async function publish(
  auditSession: Db | Session,
  { feedUrl, decryptFeedToken }: Pick<JobDeps, "feedUrl" | "decryptFeedToken">,
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
    const feedToken = { text: decryptFeedToken(encrypted), encrypted };
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
