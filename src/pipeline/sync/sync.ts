/**
 * One sync: reads the source into staging, checks the numbers, merges, and in the same transaction finishes the run and queues the
 * render. If anything fails, nothing is changed.
 */
import { counted } from "../../lib/counted.ts";
import { AppError } from "../../errors.ts";
import { fullReadHours } from "../../sources/kit/changes.ts";
import type { Connector, SourceEvent, SourceEvents, Validators } from "../../sources/source.ts";
import { findCatalog, lockItems } from "../../store/catalogs.ts";
import type { Queries, Session } from "../../store/db.ts";
import { copyIssues } from "../../store/run-issues.ts";
import { enqueueRender, newestSync } from "../../store/runs.ts";
import { changedProducts, forgetChangedProducts } from "../../store/changed-products.ts";
import { findSource, saveReadState, saveRowContext, saveValidators } from "../../store/sources.ts";
import type { ReadState, SourceRow } from "../../store/sources.ts";
import { openStaging, type StagedCounts } from "../../store/staging.ts";
import type { SyncCompleted } from "../../contract/events.ts";
import { appendEvent } from "../../webhooks/events.sql.ts";
import { effectsOf } from "../enrich/effects.ts";
import { balance, EMPTY_STATS, Ledger } from "./ledger.ts";
import type { SyncStats } from "../../contract/syncs.ts";
import type { Job, JobDeps } from "../job.ts";
import { type KnownRows, loadKnownRows } from "./known-rows.ts";
import { mergeStaged, SOURCE_ID_OWNERS } from "./merge-staged.ts";
import { contextKey, MAX_REPORTED_PRODUCTS, nextReadState, partToRead } from "./read-state.ts";
import { type FinishedRead, validatorsFor, withContext } from "./read-state.ts";
import { withSpool } from "./spool.ts";
import { readInto, ReadProducts, sourceSink } from "./stage.ts";

export async function syncSource(deps: JobDeps, job: Job): Promise<SyncStats> {
  const plan = await planRead(deps, job);
  const { source, connector, settings, context, part } = plan;
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
      part,
    });
    // A slow shop delays its first event; no database connection is held meanwhile.
    const first = await events.next();
    try {
      return await deps.db.session(async (session) =>
        readAndMerge(session, job, { plan, ledger, first, events }),
      );
    } catch (error) {
      // The rows do not fit the items: the next sync reads them all.
      if (error instanceof AppError && error.code === "ledger_mismatch") {
        await saveRowContext(deps.db, source.id, null);
        await saveReadState(deps.db, source.id, null);
      }
      throw error;
    }
  });
}

type Plan = Awaited<ReturnType<typeof planRead>>;

type FirstStep = IteratorResult<SourceEvent | readonly SourceEvent[], void>;

type Reading = {
  readonly plan: Plan;
  readonly ledger: Ledger;
  readonly first: FirstStep;
  readonly events: SourceEvents;
};

async function readAndMerge(
  session: Session,
  job: Job,
  { plan, ledger, first, events }: Reading,
): Promise<SyncStats> {
  const { source, catalog, context } = plan;
  const staging = await openStaging(session);
  const known = await rowsToSkip(session, plan, first);
  const products = new ReadProducts();
  const { settings } = catalog;
  const sink = sourceSink({ staging, ledger }, { known, products, settings });
  const end = await readInto(sink, { first, events, settings, signal: job.signal });
  if (end === null) {
    throw new AppError(
      "source_incomplete",
      "The source stopped before its list was complete, so nothing was changed.",
    );
  }
  const validators = withContext(end.validators, context);
  if (end.kind === "unchanged") return session.tx(async (tx) => finishUnchanged(tx, job, source, validators));

  if (end.expected !== null && end.expected !== ledger.seen)
    throw new AppError(
      "source_incomplete",
      `The source says it has ${counted(end.expected, "item")}, but ${ledger.seen} arrived. Nothing was changed; the next sync reads it again.`,
    );
  job.progress(() => ledger.stats(), "merging");
  const staged = await staging.finish();
  const isPartial = isKind(first, "partial");
  const { newestChange = null } = end;
  return session.tx(async (tx) =>
    merge(tx, job, { plan, ledger, staged, validators, known, isPartial, products, newestChange }),
  );
}

function isKind(step: FirstStep, ...kinds: readonly SourceEvent["kind"][]): boolean {
  const event = step.done === true ? undefined : [step.value].flat()[0];
  return event !== undefined && kinds.includes(event.kind);
}

/**
 * The rows of the last complete read, if they were read with the same settings by the same normalizer, and their items have the
 * products that the source names. A read of some products is small: it skips none.
 */
async function rowsToSkip(
  session: Session,
  { source, context, namesProducts }: Plan,
  first: FirstStep,
): Promise<KnownRows | undefined> {
  const { id: sourceId, catalogId, rowContext, readState, itemCount } = source;
  const haveProducts = readState !== null || !namesProducts;
  const isComplete = first.done !== true && !isKind(first, "unchanged", "partial");
  if (rowContext !== context || !haveProducts || !isComplete) return undefined;
  return loadKnownRows(session, { catalogId, sourceId }, itemCount);
}

async function planRead({ db, connectors, decryptSecrets }: JobDeps, { run }: Job) {
  const source = run.sourceId === null ? undefined : await findSource(db, run.sourceId);
  const catalog = await findCatalog(db, run.catalogId);
  if (!source || !catalog) {
    throw new AppError("unknown_source", "The source was removed before its sync began.");
  }
  const connector: Connector | undefined = connectors[source.kind];
  if (!connector)
    throw new AppError("source_settings_invalid", `There is no connector of kind "${source.kind}".`);
  const settings = { ...source.settings, ...decryptSecrets(source.secretsEncrypted) };
  const context = contextKey(catalog.settings, source.settings);
  const parts = connector.parts?.(settings) ?? [];
  const startedAt = new Date();
  const part = partToRead({
    reads: run.reads,
    parts,
    fullReadHours: fullReadHours(connector, settings),
    state: source.readState?.context === context ? source.readState : null,
    reported: await changedProducts(db, source.id, MAX_REPORTED_PRODUCTS + 1),
    now: startedAt,
  });
  return { source, catalog, connector, settings, context, part, namesProducts: parts.length > 0, startedAt };
}

type SyncMerge = Pick<FinishedRead, "products" | "newestChange"> & {
  readonly plan: Plan;
  readonly ledger: Ledger;
  readonly staged: StagedCounts;
  readonly validators: Validators | null;
  readonly known: KnownRows | undefined;
  /** Only some products were read. */
  readonly isPartial: boolean;
};

async function merge(tx: Queries, job: Job, merging: SyncMerge): Promise<SyncStats> {
  const { ledger, staged, validators, known, isPartial, products } = merging;
  const { source, context } = merging.plan;
  const { id: sourceId, catalogId, maxRemovedRatio } = source;
  const before = await lockAndCount(tx, { catalogId, sourceId });
  const stats = await mergeStaged(tx, {
    scope: { catalogId, sourceId, mode: "replace" },
    before,
    effects: before.effects,
    staged,
    part: isPartial
      ? { products: products.complete, itemsAtFullRead: source.readState?.items ?? 0 }
      : undefined,
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
  if (!isPartial) await saveRowContext(tx, sourceId, context);
  await saveNextState(tx, merging, { stats, stored: before.readState });
  if (job.run.startedAt !== null) await forgetChangedProducts(tx, sourceId, job.run.startedAt);
  await succeed(tx, job, stats);
  return stats;
}

/** `stored`: before the merge. A change of the settings during the read clears it: then the next read is a complete one. */
async function saveNextState(
  tx: Queries,
  { plan, isPartial, products, newestChange }: SyncMerge,
  { stats, stored }: { readonly stats: SyncStats; readonly stored: ReadState | null },
): Promise<void> {
  const { source, context, startedAt, namesProducts } = plan;
  if (!namesProducts || (isPartial && stored === null)) return;
  const state = nextReadState({
    previous: isPartial ? stored : null,
    context,
    startedAt,
    newestChange,
    products,
    hasDuplicates: (stats.rejection_codes["duplicate_item_id"] ?? 0) > 0,
    items: stats.upserted + stats.unchanged,
  });
  await saveReadState(tx, source.id, state);
}

async function lockAndCount(tx: Queries, { catalogId, sourceId }: { catalogId: string; sourceId: string }) {
  await lockItems(tx, catalogId);
  const catalog = await findCatalog(tx, catalogId);
  const source = await findSource(tx, sourceId);
  if (!catalog || !source)
    throw new AppError("unknown_source", "The source was removed while it was being synced.");
  return {
    catalog: catalog.itemCount,
    source: source.itemCount,
    isToBeReadInFull: source.validators === null,
    readState: source.readState,
    effects: await effectsOf(tx, catalogId),
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
