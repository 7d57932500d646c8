/**
 * One push: reads the stored body into staging, checks the numbers, merges, and finishes the run in the same
 * transaction. Small updates are applied together with others that wait (`together.ts`). Pushed items belong to no
 * source: a replacement removes pushed items only, and an id that a source owns is refused. If anything fails, nothing
 * is changed.
 */
import type { SyncStats } from "../../contract/syncs.ts";
import { AppError } from "../../errors.ts";
import { findCatalog } from "../../store/catalogs.ts";
import type { Queries } from "../../store/db.ts";
import { dropPushes, findPush, type Push, recordReplacement } from "../../store/pushes.ts";
import { saveKeyStats } from "../../store/push-keys.ts";
import { openStaging, type StagedCounts } from "../../store/staging.ts";
import { type PushedChange, intake, type Sink } from "../intake.ts";
import type { Job, JobDeps } from "../job.ts";
import { Ledger } from "../sync/ledger.ts";
import { mergeStaged, PUSH_ID_OWNERS, SHORT_LAST_ROW } from "../sync/merge-staged.ts";
import { stage, stagingSink } from "../sync/stage.ts";
import { succeed } from "../sync/sync.ts";
import { isComplete, withEvents } from "./events.ts";
import { isPatch, openPatches, type Patches, type PushContext, readRemoval } from "./patches.ts";
import { applyTogether, lockAndCount } from "./together.ts";

export async function applyPush(deps: JobDeps, job: Job): Promise<SyncStats> {
  const { db } = deps;
  const push = await findPush(db, job.run.id);
  const catalog = await findCatalog(db, job.run.catalogId);
  if (!push || !isComplete(push) || !catalog) {
    throw new AppError(
      "body_incomplete",
      "The server stopped before the whole body had arrived. Nothing was changed; send it again.",
    );
  }
  // A push that is tried again is applied alone: it may be the reason why the others failed with it.
  if (push.body !== null && push.mode === "update" && job.run.attempts === 1)
    return applyTogether(deps, job, push);
  const { settings } = catalog;
  const ledger = new Ledger();
  job.progress(() => ledger.stats(), "reading");
  job.listIssues(() => ledger.issues());
  return withEvents(deps, push, settings, async (events, ending) =>
    db.session(async (session) => {
      const staging = await openStaging(session);
      const context: PushContext = { staging, ledger, settings };
      const { sink, removals } = pushSink(context, push.mode, openPatches(db, catalog.id, context));
      await intake({ events, settings, signal: job.signal }, sink);
      refuseEmptyFile(push, ledger.seen);
      job.progress(() => ledger.stats(), "merging");
      const staged = await staging.finish();
      return session.tx(async (tx) =>
        merge(tx, job, {
          push,
          ledger,
          staged,
          removals: removals(),
          isCutOff: ending()?.isInsideRow === true,
        }),
      );
    }),
  );
}

/** A file with a header and no rows is what a failed export leaves; it must not empty the catalog. */
export function refuseEmptyFile(
  { format, mode, maxRemovedRatio }: Pick<Push, "format" | "mode" | "maxRemovedRatio">,
  seen: number,
): void {
  if (format !== "file" || mode !== "replace" || seen > 0 || maxRemovedRatio >= 1) return;
  throw new AppError(
    "body_malformed",
    "The file has no products in it. Nothing was changed; send a file with products. To remove all pushed items, push again and allow the removal with a max_removed_ratio of 1.",
  );
}

/**
 * Each row of an update changes the fields that it has, unless the row says that it replaces its item. The sink stages
 * such changes and removals, and counts the removals.
 */
function pushSink(
  context: PushContext,
  mode: Push["mode"],
  patches: Patches,
): { readonly sink: Sink; readonly removals: () => number } {
  let removals = 0;
  const stageRemoval = async (position: number, id: string): Promise<void> => {
    await context.staging.remove(position, id);
    removals += 1;
  };
  const take = (event: PushedChange): Promise<void> | undefined | false => {
    if (event.kind === "draft") return isPatch(event, mode) && patches.add(event);
    const removal = readRemoval(event, mode, context.settings);
    return typeof removal === "string"
      ? stageRemoval(event.position, removal)
      : stage({ kind: "rejected", rejection: removal }, event.position, context);
  };
  return { sink: { ...stagingSink(context), take, flush: patches.flush }, removals: () => removals };
}

type PushMerge = {
  readonly push: Push;
  readonly ledger: Ledger;
  readonly staged: StagedCounts;
  readonly removals: number;
  /** The last row of the file is not complete. */
  readonly isCutOff: boolean;
};

async function merge(
  tx: Queries,
  job: Job,
  { push, ledger, staged, removals, isCutOff }: PushMerge,
): Promise<SyncStats> {
  const { catalogId, id: runId } = job.run;
  const isWhole = push.mode === "replace";
  const { effects, ...before } = await lockAndCount(tx, catalogId);
  const stats = await mergeStaged(tx, {
    scope: { catalogId, sourceId: null, mode: isWhole ? "replace" : "patch" },
    before,
    effects,
    ledger,
    staged,
    removals,
    idOwners: PUSH_ID_OWNERS,
    cutOff: isWhole && isCutOff && push.maxRemovedRatio < 1 ? SHORT_LAST_ROW : null,
    limit: isWhole
      ? {
          maxRemovedRatio: push.maxRemovedRatio,
          action: "This push",
          owner: "the",
          advice:
            "If the catalog really shrank, push again and allow the removal with a max_removed_ratio of 1.",
          repair: "Correct the items and push again.",
        }
      : null,
  });
  if (isWhole) await recordReplacement(tx, catalogId, runId);
  await dropPushes(tx, [runId]);
  await succeed(tx, job, stats);
  await saveKeyStats(tx, [runId]);
  return stats;
}
