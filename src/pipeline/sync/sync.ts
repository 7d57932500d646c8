/**
 * One sync, step by step: read the source into staging, check the numbers, merge, and in the same transaction
 * finish the run and ask for the render. Nothing live is touched while the source is being read; if anything goes
 * wrong, nothing happened, and the run says why.
 */
import { counted } from "../../lib/counted.ts";
import { AppError } from "../../errors.ts";
import { newId } from "../../lib/id.ts";
import type { Connector, Validators } from "../../sources/source.ts";
import { findCatalog, lockCatalog } from "../../store/catalogs.ts";
import type { Queries } from "../../store/db.ts";
import { enqueueRun, lastSucceededSync } from "../../store/runs.ts";
import { findSource, saveValidators } from "../../store/sources.ts";
import type { SourceRow } from "../../store/sources.ts";
import { openStaging } from "../../store/staging.ts";
import type { SyncCompleted } from "../../contract/events.ts";
import { appendEvent } from "../../webhooks/events.sql.ts";
import { intake } from "../intake.ts";
import { balance, EMPTY_STATS, Ledger } from "./ledger.ts";
import type { SyncStats } from "../../contract/syncs.ts";
import type { Job, JobDeps } from "../job.ts";
import { mergeStaged } from "./merge-staged.ts";
import { contextKey, validatorsFor, withContext } from "./read-state.ts";
import { withSpool } from "./spool.ts";
import { stagingSink } from "./stage.ts";

export async function syncSource(deps: JobDeps, job: Job): Promise<SyncStats> {
  const { source, catalog, connector, settings } = await prepare(deps, job);
  const context = contextKey(catalog.settings, source.settings);
  return withSpool(deps.spoolRoot, async (spoolDir) => {
    const ledger = new Ledger();
    job.progress(() => ledger.stats({ upserted: 0, unchanged: 0, removed: 0 }));
    await using events = connector.read(settings, {
      http: deps.http,
      signal: job.signal,
      spoolDir,
      previous: validatorsFor(source.validators, context),
      extent: "whole",
    });
    // The first event is what a slow shop keeps us waiting for; no connection to the database waits with us.
    const first = await events.next();
    return await deps.db.session(async (session) => {
      const staging = await openStaging(session);
      const { settings: rules } = catalog;
      const sink = stagingSink({ staging, ledger, settings: rules });
      const end = await intake({ first, events, settings: rules, signal: job.signal }, sink);
      if (end === null) {
        throw new AppError(
          "source_incomplete",
          "The source stopped before its list was complete, so nothing was changed.",
        );
      }
      if (end.kind === "unchanged")
        return session.tx(async (tx) => keepAsIs(tx, job, source, withContext(end.validators, context)));

      checkTotal(end.expected, ledger.seen);
      await staging.seal();
      const validators = withContext(end.validators, context);
      return session.tx(async (tx) => merge(tx, job, { source, ledger, validators }));
    });
  });
}

async function prepare({ db, connectors, openSecrets }: JobDeps, { run }: Job) {
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
    settings: { ...source.settings, ...openSecrets(source.secretsEncrypted) },
  };
}

function checkTotal(expected: number | null, seen: number): void {
  if (expected === null || expected === seen) return;
  throw new AppError(
    "source_incomplete",
    `The source says it has ${counted(expected, "item")}, but ${seen} arrived. Nothing was changed; the next sync reads it again.`,
  );
}

type Merging = {
  readonly source: SourceRow;
  readonly ledger: Ledger;
  readonly validators: Validators | null;
};

async function merge(tx: Queries, job: Job, { source, ledger, validators }: Merging): Promise<SyncStats> {
  const { id: sourceId, catalogId, maxRemovedRatio } = source;
  const stats = await mergeStaged(tx, {
    scope: { catalogId, sourceId, mode: "replace" },
    had: await lockAndCount(tx, { catalogId, sourceId }),
    ledger,
    removals: 0,
    takers: { same: "the file", other: "another source of this catalog" },
    limit: {
      maxRemovedRatio,
      act: "This pull",
      owner: "the source's",
      remedy:
        "If the shop really shrank, raise max_removed_ratio (shelfwire source update <id> --max-removed-ratio 1) and sync again.",
    },
  });
  await saveValidators(tx, sourceId, validators);
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

/** The file is the one we read before: its items, and the ones it could not give us, are what they were. */
async function keepAsIs(
  tx: Queries,
  job: Job,
  source: SourceRow,
  validators: Validators | null,
): Promise<SyncStats> {
  const scope = { catalogId: source.catalogId, sourceId: source.id };
  const { source: items, isToBeReadInFull } = await lockAndCount(tx, scope);
  const last = (await lastSucceededSync(tx, source.id))?.stats as Partial<SyncStats> | undefined;
  const known = { ...EMPTY_STATS, ...last };
  const stats: SyncStats = {
    ...known,
    seen: items + known.rejected,
    upserted: 0,
    unchanged: items,
    removed: 0,
  };
  balance(stats);
  // Forgotten while we asked: an id this file was refused for may be free now, and stays so until it is read.
  if (!isToBeReadInFull) await saveValidators(tx, source.id, validators);
  await succeed(tx, job, stats);
  return stats;
}

/** How every sync and every push ends well: finished, announced, and with the render asked for. */
export async function succeed(tx: Queries, job: Job, stats: SyncStats): Promise<void> {
  const finishedAt = await job.finish(tx, { state: "succeeded", stats });
  const { catalogId, id, sourceId, startedAt, createdAt } = job.run;
  await enqueueRun(tx, {
    id: newId(),
    catalogId,
    sourceId: null,
    kind: "render",
    cause: "sync",
    causeRunId: id,
  });
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
