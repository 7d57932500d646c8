/**
 * One sync: reads the source into staging, checks the numbers, merges, and in the same transaction finishes the run and queues the
 * render. If anything fails, nothing is changed.
 */
import { counted } from "../../lib/counted.ts";
import { AppError } from "../../errors.ts";
import type { Connector, SourceEvent, Validators } from "../../sources/source.ts";
import { findCatalog, lockCatalog } from "../../store/catalogs.ts";
import type { Queries, Session } from "../../store/db.ts";
import { copyIssues } from "../../store/run-issues.ts";
import { enqueueRender, newestSync } from "../../store/runs.ts";
import { findSource, saveRowContext, saveValidators, type SourceRow } from "../../store/sources.ts";
import { openStaging } from "../../store/staging.ts";
import type { SyncCompleted } from "../../contract/events.ts";
import { appendEvent } from "../../webhooks/events.sql.ts";
import { intake } from "../intake.ts";
import { balance, EMPTY_STATS, Ledger } from "./ledger.ts";
import type { SyncStats } from "../../contract/syncs.ts";
import type { Job, JobDeps } from "../job.ts";
import { type KnownRows, loadKnownRows } from "./known-rows.ts";
import { mergeStaged, SOURCE_ID_OWNERS } from "./merge-staged.ts";
import { contextKey, validatorsFor, withContext } from "./read-state.ts";
import { withSpool } from "./spool.ts";
import { sourceSink } from "./stage.ts";

export async function syncSource(deps: JobDeps, job: Job): Promise<SyncStats> {
  const { source, catalog, connector, settings } = await prepare(deps, job);
  const context = contextKey(catalog.settings, source.settings);
  return withSpool(deps.spoolRoot, async (spoolDir) => {
    const ledger = new Ledger();
    job.progress(() => ledger.stats(), "reading");
    job.listIssues(() => ledger.issues());
    await using events = connector.read(settings, {
      http: deps.http,
      signal: job.signal,
      spoolDir,
      previous: validatorsFor(source.validators, context),
      extent: "whole",
    });
    // A slow shop delays its first event; no database connection is held meanwhile.
    const first = await events.next();
    return await deps.db.session(async (session) => {
      const staging = await openStaging(session);
      const known = await rowsToSkip(session, source, { first, context });
      const sink = sourceSink({ staging, ledger }, known);
      const end = await intake({ first, events, settings: catalog.settings, signal: job.signal }, sink);
      if (end === null) {
        throw new AppError(
          "source_incomplete",
          "The source stopped before its list was complete, so nothing was changed.",
        );
      }
      if (end.kind === "unchanged")
        return session.tx(async (tx) =>
          finishUnchanged(tx, job, source, withContext(end.validators, context)),
        );

      if (end.expected !== null && end.expected !== ledger.seen)
        throw new AppError(
          "source_incomplete",
          `The source says it has ${counted(end.expected, "item")}, but ${ledger.seen} arrived. Nothing was changed; the next sync reads it again.`,
        );
      job.progress(() => ledger.stats(), "merging");
      await staging.finish();
      const validators = withContext(end.validators, context);
      try {
        return await session.tx(async (tx) => merge(tx, job, { source, ledger, validators, known, context }));
      } catch (error) {
        // The rows do not fit the items: the next sync reads them all.
        if (error instanceof AppError && error.code === "ledger_mismatch")
          await saveRowContext(deps.db, source.id, null);
        throw error;
      }
    });
  });
}

/** The rows of the last complete read, if they were read with the same settings by the same normalizer. */
async function rowsToSkip(
  session: Session,
  { id: sourceId, catalogId, rowContext, itemCount }: SourceRow,
  { first, context }: { readonly first: IteratorResult<SourceEvent, void>; readonly context: string },
): Promise<KnownRows | undefined> {
  if (rowContext !== context || first.done === true || first.value.kind === "unchanged") return undefined;
  return loadKnownRows(session, { catalogId, sourceId }, itemCount);
}

async function prepare({ db, connectors, decryptSecrets }: JobDeps, { run }: Job) {
  const source = run.sourceId === null ? undefined : await findSource(db, run.sourceId);
  const catalog = await findCatalog(db, run.catalogId);
  if (!source || !catalog) {
    throw new AppError("unknown_source", "The source was removed before its sync began.");
  }
  const connector: Connector | undefined = connectors[source.kind];
  if (!connector)
    throw new AppError("source_settings_invalid", `There is no connector of kind "${source.kind}".`);
  return {
    source,
    catalog,
    connector,
    settings: { ...source.settings, ...decryptSecrets(source.secretsEncrypted) },
  };
}

type SyncMerge = {
  readonly source: SourceRow;
  readonly ledger: Ledger;
  readonly validators: Validators | null;
  readonly known: KnownRows | undefined;
  readonly context: string;
};

async function merge(tx: Queries, job: Job, merging: SyncMerge): Promise<SyncStats> {
  const { source, ledger, validators, known, context } = merging;
  const { id: sourceId, catalogId, maxRemovedRatio } = source;
  const stats = await mergeStaged(tx, {
    scope: { catalogId, sourceId, mode: "replace" },
    before: await lockAndCount(tx, { catalogId, sourceId }),
    ledger,
    removals: 0,
    known,
    idOwners: SOURCE_ID_OWNERS,
    limit: {
      maxRemovedRatio,
      action: "This pull",
      owner: "the source's",
      advice:
        "If the shop really shrank, raise max_removed_ratio (shelfwire source update <id> --max-removed-ratio 1) and sync again.",
    },
  });
  await saveValidators(tx, sourceId, validators);
  await saveRowContext(tx, sourceId, context);
  await succeed(tx, job, stats);
  return stats;
}

async function lockAndCount(tx: Queries, { catalogId, sourceId }: { catalogId: string; sourceId: string }) {
  await lockCatalog(tx, catalogId);
  const catalog = await findCatalog(tx, catalogId);
  const source = await findSource(tx, sourceId);
  if (!catalog || !source)
    throw new AppError("unknown_source", "The source was removed while it was being synced.");
  return {
    catalog: catalog.itemCount,
    source: source.itemCount,
    isToBeReadInFull: source.validators === null,
  };
}

/** The file is unchanged: so are its items and its rejections. */
async function finishUnchanged(
  tx: Queries,
  job: Job,
  source: SourceRow,
  validators: Validators | null,
): Promise<SyncStats> {
  const scope = { catalogId: source.catalogId, sourceId: source.id };
  const { source: items, isToBeReadInFull } = await lockAndCount(tx, scope);
  const last = await newestSync(tx, source.id, "succeeded");
  const known: SyncStats = { ...EMPTY_STATS, ...last?.stats };
  const stats: SyncStats = {
    ...known,
    seen: items + known.rejected,
    upserted: 0,
    unchanged: items,
    removed: 0,
  };
  balance(stats);
  // Validators that were cleared meanwhile stay cleared: an id that was rejected as a duplicate may be free now.
  if (!isToBeReadInFull) await saveValidators(tx, source.id, validators);
  await succeed(tx, job, stats);
  if (last) await copyIssues(tx, last.id, job.run);
  return stats;
}

/** The end of every successful sync and push: the run is finished, the render queued, the event appended. */
export async function succeed(tx: Queries, job: Job, stats: SyncStats): Promise<void> {
  const finishedAt = await job.finish(tx, { state: "succeeded", stats });
  const { catalogId, id, sourceId, startedAt, createdAt } = job.run;
  await enqueueRender(tx, catalogId, "sync", id);
  const data: SyncCompleted = {
    run_id: id,
    source_id: sourceId,
    status: "succeeded",
    stats,
    started_at: (startedAt ?? createdAt).toISOString(),
    finished_at: finishedAt.toISOString(),
  };
  await appendEvent(tx, { type: "sync.completed", data, catalogId, createdAt: finishedAt });
}
