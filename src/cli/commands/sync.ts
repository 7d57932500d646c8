/** `shelfwire sync`: syncs a source now, and renders after it, with or without a server running. */
import type { Command } from "commander";
import { AppError } from "../../errors.ts";
import type { SyncPlanStats } from "../../pipeline/plan/sync-plan.ts";
import { requestSync, requestSyncPlan, type SyncRequest } from "../../pipeline/requests.ts";
import { findCatalog } from "../../store/catalogs.ts";
import { awaitRun } from "../await-run.ts";
import type { CommandContext } from "../context.ts";
import { requireSource } from "../find.ts";
import { ratio } from "../options.ts";
import { syncPlanLines } from "../plan-lines.ts";
import type { System } from "../system.ts";
import { reportSync } from "../sync-report.ts";
import { commandChanges } from "../change-log.ts";

type SyncOptions = {
  readonly source: string;
  readonly changes?: boolean;
  readonly dryRun?: boolean;
  readonly maxRemovedRatio?: string;
  readonly publish?: boolean;
};

export function syncCommand(program: Command, context: CommandContext): void {
  program
    .command("sync")
    .description("sync a source now and render the feeds after it")
    .requiredOption("--source <id>", "which source")
    .option("--changes", "read only what changed since the last sync, if the source can tell")
    .option("--dry-run", "read the whole source, store nothing, and say what the sync would change")
    .option("--max-removed-ratio <ratio>", "largest share of its items that this sync may remove, 0 to 1")
    .option("--publish", "publish the new files even if they exceed limits of the publish guard")
    .action(
      async ({
        source: sourceId,
        changes: changesOnly,
        dryRun = false,
        maxRemovedRatio: share,
        publish = false,
      }: SyncOptions) =>
        context.withSystem(async (system) => {
          const maxRemovedRatio = share === undefined ? undefined : ratio("--max-removed-ratio", share);
          const { catalogId } = await requireSource(system.db, sourceId);
          if (dryRun) return tryAndReport(context, system, { catalogId, sourceId, maxRemovedRatio });
          const catalog = await findCatalog(system.db, catalogId);
          if (!catalog) throw new AppError("not_found", "The source's catalog was deleted.");
          const runId = await requestSync(system.db, {
            catalogId,
            sourceId,
            cause: "command",
            changesOnly,
            maxRemovedRatio,
            guard: publish ? "publish" : "hold",
            onQueued: async (tx, id) =>
              commandChanges("sync").record(tx, catalogId, { type: "source", id: sourceId, runId: id }),
          });
          await reportSync(context, system, { catalog, runId });
        }),
    );
}

async function tryAndReport(
  { io, print }: CommandContext,
  system: System,
  sync: Pick<SyncRequest, "catalogId" | "sourceId" | "maxRemovedRatio">,
): Promise<void> {
  const runId = await requestSyncPlan(system.db, { ...sync, cause: "command" });
  const { run } = await awaitRun(system, io, runId);
  const { plan, ...stats } = run.stats as SyncPlanStats;
  print({ run_id: run.id, stats, plan }, () => syncPlanLines(stats, plan));
}
