/**
 * One render, step by step: one pass over the catalog feeds all four writers; the files are written beside, hashed
 * and compressed once; one transaction records them, switches the feed URLs over and finishes the run. Until then,
 * and if anything fails, the last good files stay up. A catalog that has not changed since the published render
 * reuses its files: that is still a run, with its own numbers.
 */
import { offerAt } from "../catalog/price-now.ts";
import { FEED_FILES } from "../feeds/format.ts";
import type { ItemGroup } from "../catalog/item-group.ts";
import type { FeedContext, FeedFile, FeedWriter } from "../feeds/format.ts";
import { RENDERER_VERSION, RENDERERS } from "../feeds/registry.ts";
import { AppError } from "../errors.ts";
import type { FeedSink, RenderFolder } from "../publish/local-files.ts";
import { findCatalog, publishRender } from "../store/catalogs.ts";
import type { Catalog } from "../store/catalogs.ts";
import type { Queries } from "../store/db.ts";
import { insertFeedFile, listFeedFiles } from "../store/feed-files.ts";
import type { FeedFileRow } from "../store/feed-files.ts";
import { eachItemBody } from "../store/items.ts";
import { notify } from "../store/notices.ts";
import { findRun } from "../store/runs.ts";
import { openExclusionReport } from "./exclusion-report.ts";
import type { ExclusionReport } from "./exclusion-report.ts";
import { GroupBuilder } from "./item-groups.ts";
import { newTally, tallyPiece } from "./tally.ts";
import type { FileStats, Tally } from "./tally.ts";
import type { Job, JobDeps } from "./job.ts";

export type RenderStats = {
  readonly items: number;
  readonly files: Readonly<Record<string, FileStats>>;
  /** What the files were made from; a render with the same base and before `stale_at` would give the same bytes. */
  readonly base: string;
  readonly stale_at: string | null;
};

export async function renderCatalog(deps: JobDeps, job: Job): Promise<RenderStats> {
  const reused = await reusePublished(deps, job);
  if (reused) return reused;

  const folder = await deps.folders.create(job.run.catalogId, job.attempt);
  try {
    return await renderInto(folder, deps, job);
  } catch (error) {
    await folder.discard();
    throw error;
  }
}

async function renderInto(folder: RenderFolder, deps: JobDeps, job: Job): Promise<RenderStats> {
  const asOf = new Date();
  const pass = await deps.db.session(async (session) =>
    session.snapshot(async (tx) => {
      const catalog = await theCatalog(tx, job.run.catalogId);
      const pass = openPass(catalog, asOf, folder);
      job.progress(() => ({ items: pass.items }));
      const groups = new GroupBuilder();
      for await (const bodies of eachItemBody(session, catalog.id)) {
        job.signal.throwIfAborted();
        await writeGroups(pass, groups.add(bodies));
      }
      await writeGroups(pass, groups.end());
      return pass;
    }),
  );

  const before = await publishedFiles(deps.db, pass.catalog);
  const files = await Promise.all(
    pass.outputs.map(async (output) => finishFile(output, before, job.attempt, asOf)),
  );
  await pass.exclusions.finish();
  await folder.commit();
  const stats: RenderStats = {
    items: pass.items,
    files: Object.fromEntries(pass.outputs.map(({ file, tally }) => [file, tally])),
    base: baseOf(pass.catalog),
    stale_at: pass.staleAt,
  };
  await publish(deps, job, { files, stats });
  return stats;
}

type Output = {
  readonly file: FeedFile;
  readonly writer: FeedWriter;
  readonly sink: FeedSink;
  readonly tally: Tally;
};
type Pass = {
  readonly catalog: Catalog;
  readonly asOf: Date;
  readonly outputs: readonly Output[];
  readonly exclusions: ExclusionReport;
  items: number;
  staleAt: string | null;
};

function openPass(catalog: Catalog, asOf: Date, folder: RenderFolder): Pass {
  const { slug, name, settings, snapshotAt } = catalog;
  const context: FeedContext = { catalog: { slug, name }, settings, asOf, snapshotAt };
  const outputs = FEED_FILES.map((file): Output => {
    const writer = RENDERERS[file].open(context);
    const sink = folder.sink(file);
    void sink.write(writer.head());
    return { file, writer, sink, tally: newTally() };
  });
  return { catalog, asOf, outputs, exclusions: openExclusionReport(folder), items: 0, staleAt: null };
}

async function writeGroups(pass: Pass, groups: Iterable<ItemGroup>): Promise<void> {
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
  }
}

/** The earliest moment at which the clock alone will change some item's offer. ISO instants compare as text. */
function noteNextChange(pass: Pass, { items }: ItemGroup): void {
  for (const item of items) {
    if (item.saleFrom === undefined && item.saleTo === undefined && item.availabilityDate === undefined)
      continue;
    const { nextChangeAt } = offerAt(item, pass.asOf);
    if (nextChangeAt !== null && (pass.staleAt === null || nextChangeAt < pass.staleAt))
      pass.staleAt = nextChangeAt;
  }
}

/** A file with the bytes of the published one keeps its date; its readers' caches stay good. */
async function finishFile(
  { file, writer, sink, tally }: Output,
  before: ReadonlyMap<string, FeedFileRow>,
  folder: string,
  now: Date,
): Promise<FeedFileRow> {
  await sink.write(writer.tail());
  const written = await sink.finish();
  const previous = before.get(file);
  const changed = previous?.sha256 !== written.sha256;
  const lastModified = changed || !previous ? now : previous.lastModified;
  return {
    file,
    folder,
    ...written,
    changed,
    lastModified,
    written: tally.written,
    excluded: tally.excluded,
  };
}

async function publish(
  { db }: JobDeps,
  job: Job,
  { files, stats }: { files: readonly FeedFileRow[]; stats: RenderStats },
): Promise<void> {
  checkTallies(stats);
  const { id, catalogId } = job.run;
  await db.tx(async (tx) => {
    await job.finish(tx, { state: "succeeded", stats });
    for (const file of files) await insertFeedFile(tx, id, file);
    await publishRender(tx, catalogId, { runId: id, staleAt: stats.stale_at });
    await notify(tx, { about: "published", id: catalogId });
  });
}

function checkTallies({ items, files }: RenderStats): void {
  for (const [file, { written, excluded }] of Object.entries(files)) {
    if (written + excluded === items) continue;
    throw new AppError(
      "ledger_mismatch",
      `${file} has ${written} items written and ${excluded} left out, but the catalog has ${items}. The last good files stay up. Please report this.`,
    );
  }
}

/** What the bytes depend on, besides the moment. */
const baseOf = ({ snapshot, settingsVersion }: Catalog): string =>
  `${snapshot}.${settingsVersion}.${RENDERER_VERSION}`;

async function theCatalog(db: Queries, id: string): Promise<Catalog> {
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

/** Publishes the published files anew if this render could only make the same bytes again. */
async function reusePublished(deps: JobDeps, job: Job): Promise<RenderStats | undefined> {
  const catalog = await theCatalog(deps.db, job.run.catalogId);
  if (catalog.publishedRunId === null) return undefined;
  const stats = (await findRun(deps.db, catalog.publishedRunId))?.stats as RenderStats | undefined;
  if (stats?.base !== baseOf(catalog)) return undefined;
  if (stats.stale_at !== null && stats.stale_at <= new Date().toISOString()) return undefined;
  const files = [...(await publishedFiles(deps.db, catalog)).values()];
  for (const { folder } of files) if (!(await deps.folders.has(catalog.id, folder))) return undefined;

  await publish(deps, job, { files: files.map((file) => ({ ...file, changed: false })), stats });
  return stats;
}
