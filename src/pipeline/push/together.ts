/**
 * Applies small updates that wait for the same catalog together, with one merge and one render, as if they were applied
 * one after the other. Each is a run of its own with its own counts, and one that cannot be read fails alone. Nothing
 * but the claim of the first is written before the transaction of the merge, so a crash leaves all of them queued or
 * running as they were.
 */
import type { CatalogSettings } from "../../catalog/settings.ts";
import type { SyncStats } from "../../contract/syncs.ts";
import { AppError, toAppError } from "../../errors.ts";
import { findCatalog, lockItems } from "../../store/catalogs.ts";
import type { Queries, Session } from "../../store/db.ts";
import { findStoredIds } from "../../store/items.ts";
import {
  claimJoined,
  countPushedItems,
  dropPushes,
  finishJoined,
  type Joined,
  type JoinLimits,
  joinWaitingPushes,
  type Push,
  renderAfterPush,
} from "../../store/pushes.ts";
import { saveKeyStats } from "../../store/push-keys.ts";
import type { RunEnd } from "../../store/runs.ts";
import { openStaging } from "../../store/staging.ts";
import { effectsOf } from "../enrich/effects.ts";
import { endRun, leaseLost, RETRYABLE, saveMoreIssues } from "../end-run.ts";
import { type PushedChange, intake } from "../intake.ts";
import type { Job, JobDeps } from "../job.ts";
import { Ledger } from "../sync/ledger.ts";
import { mergeStaged, PUSH_ID_OWNERS } from "../sync/merge-staged.ts";
import { announceSyncs } from "../sync/sync.ts";
import { withEvents } from "./events.ts";
import { idOf } from "./patches.ts";
import { type AppliedRows, PushedCatalog } from "./pushed-catalog.ts";

/** All of them are in memory while they are applied, and other changes of the catalog wait. */
const JOIN_LIMITS: JoinLimits = { maxPushes: 200, maxBytes: 4 << 20 };

export async function applyTogether(deps: JobDeps, job: Job, push: Push): Promise<SyncStats> {
  const [first] = await deps.db.session(async (session) =>
    session.tx(async (tx) => applyAll(tx, session, { deps, job, push })),
  );
  if (first?.result.kind === "applied") return first.result.stats;
  // The run has failed already; the worker logs why.
  throw first?.result.failure ?? leaseLost();
}

type First = { readonly deps: JobDeps; readonly job: Job; readonly push: Push };

/** The changes of one push, in order. Rejections and warnings that need no look at the catalog are in the ledger. */
type ReadPush = Joined & { readonly ledger: Ledger } & (
    | { readonly changes: readonly PushedChange[]; readonly failure: null }
    | { readonly changes: null; readonly failure: AppError }
  );

type AppliedPushes = Joined & {
  readonly ledger: Ledger;
  readonly result: AppliedRows | { readonly kind: "failed"; readonly failure: AppError };
};

async function applyAll(
  tx: Queries,
  session: Session,
  { deps, job, push }: First,
): Promise<readonly AppliedPushes[]> {
  const { catalogId } = job.run;
  const { effects, settings, ...before } = await lockAndCount(tx, catalogId);
  const joined = await joinWaitingPushes(tx, job.run, JOIN_LIMITS);
  const reads: ReadPush[] = [];
  for (const one of [{ run: job.run, push }, ...joined]) reads.push(await read(deps, one, { job, settings }));
  const ids = reads.flatMap(
    ({ changes }) => changes?.flatMap((change) => idOf(change, settings) ?? []) ?? [],
  );
  const stored = await findStoredIds(tx, { catalogId, sourceId: null }, [...new Set(ids)]);
  const catalog = new PushedCatalog(stored, settings);
  const applied = reads.map((one): AppliedPushes => {
    const { run, push: of, ledger, changes, failure } = one;
    const result = changes === null ? ({ kind: "failed", failure } as const) : catalog.apply(changes, ledger);
    return { run, push: of, ledger, result };
  });
  await mergeAll(tx, session, catalog, { catalogId, before, effects });
  await finishAll(tx, job, applied);
  return applied;
}

/** Takes the lock of the items. */
export async function lockAndCount(tx: Queries, catalogId: string) {
  await lockItems(tx, catalogId);
  const catalog = await findCatalog(tx, catalogId);
  if (!catalog) throw new AppError("not_found", "The catalog was removed while it was being pushed to.");
  return {
    catalog: catalog.itemCount,
    source: await countPushedItems(tx, catalogId),
    effects: await effectsOf(tx, catalog),
    settings: catalog.settings,
  };
}

type PushReading = { readonly job: Job; readonly settings: CatalogSettings };

async function read(
  deps: JobDeps,
  { run, push }: Joined,
  { job: { signal }, settings }: PushReading,
): Promise<ReadPush> {
  const ledger = new Ledger();
  const changes: PushedChange[] = [];
  try {
    await withEvents(deps, push, settings, async (events) =>
      intake(
        { events, settings, signal },
        {
          take: (change) => void changes.push(change),
          add: (row) => {
            ledger.seen += 1;
            if (row.kind === "rejected") ledger.reject(row.rejection);
            return undefined;
          },
          warn: (warning) => ledger.warn(warning),
        },
      ),
    );
    return { run, push, ledger, changes, failure: null };
  } catch (error) {
    const failure = toAppError(error);
    if (signal.aborted || RETRYABLE.has(failure.code)) throw error;
    return { run, push, ledger, changes: null, failure };
  }
}

type MergeContext = {
  readonly catalogId: string;
  readonly before: { readonly catalog: number; readonly source: number };
  readonly effects: Awaited<ReturnType<typeof effectsOf>>;
};

/** Merges what all pushes together have made of the items. The merge counts for itself, and must count the same. */
async function mergeAll(
  tx: Queries,
  session: Session,
  { stored, changed }: PushedCatalog,
  { catalogId, before, effects }: MergeContext,
): Promise<void> {
  const staging = await openStaging(session);
  const ledger = new Ledger();
  const expected = { upserted: 0, unchanged: 0, removed: 0 };
  let position = 0;
  for (const [id, state] of changed) {
    const was = stored.get(id);
    position += 1;
    if (state !== null) {
      const { groupId = null, fingerprint, body } = state;
      expected[was?.fingerprint === fingerprint ? "unchanged" : "upserted"] += 1;
      ledger.seen += 1;
      ledger.accepted += 1;
      await staging.add({ position, id, groupId, fingerprint, body });
    } else if (was) {
      expected.removed += 1;
      await staging.remove(position, id);
    }
  }
  const { upserted, unchanged, removed } = await mergeStaged(tx, {
    scope: { catalogId, sourceId: null, mode: "patch" },
    before,
    effects,
    ledger,
    staged: await staging.finish(),
    removals: expected.removed,
    idOwners: PUSH_ID_OWNERS,
    limit: null,
  });
  if (upserted !== expected.upserted || unchanged !== expected.unchanged || removed !== expected.removed)
    throw new Error("The pushes do not add up to what the merge has counted.");
}

/** Finishes all runs. The first one is under a lease: if that is lost, nothing is changed. */
async function finishAll(
  tx: Queries,
  { leaseOwner: owner }: Job,
  all: readonly AppliedPushes[],
): Promise<void> {
  const runIds = all.map(({ run }) => run.id);
  const failed = all.flatMap(({ run, ledger, result }) =>
    result.kind === "failed" ? [{ run, ledger, failure: result.failure }] : [],
  );
  if (failed.length > 0)
    await claimJoined(
      tx,
      failed.map(({ run }) => run.id),
      owner,
    );
  for (const { run, ledger, failure } of failed) {
    const { code, message } = failure;
    const end: RunEnd = { state: "failed", error: { code, message }, stats: ledger.stats() };
    if (!(await endRun(tx, { run, owner, end, issues: ledger.issues() }))) throw leaseLost();
  }
  const applied = all.flatMap(({ run, ledger, result }) =>
    result.kind === "applied" ? [{ run, ledger, ...result }] : [],
  );
  if (applied.length > 0) await finishApplied(tx, owner, applied);
  await saveKeyStats(tx, runIds);
  await dropPushes(tx, runIds);
}

type AppliedRun = Pick<AppliedPushes, "run" | "ledger"> & AppliedRows;

async function finishApplied(tx: Queries, owner: string, applied: readonly AppliedRun[]): Promise<void> {
  const [first] = applied;
  if (!first) return;
  const renderRunId = await renderAfterPush(tx, first.run);
  const ends = applied.map(({ run: { id, startedAt }, stats, itemIds }) => ({
    runId: id,
    startedAt,
    stats,
    itemIds,
  }));
  const finished = await finishJoined(tx, { owner, renderRunId }, ends);
  if (finished.size < applied.length) throw leaseLost();
  for (const { run, ledger, stats } of applied)
    await saveMoreIssues(tx, run, { stats, issues: ledger.issues() });
  await announceSyncs(
    tx,
    applied.map(({ run, stats }) => ({ run, stats, finishedAt: finished.get(run.id) ?? new Date() })),
  );
}
