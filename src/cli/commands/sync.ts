/** `shelfwire sync`: syncs a source now, and renders after it, with or without a server running. */
import type { Command } from "commander";
import type { SyncStats } from "../../pipeline/sync/ledger.ts";
import { findRunCausedBy } from "../../store/runs.ts";
import { awaitRun } from "../await-run.ts";
import type { CommandContext } from "../context.ts";
import { theSource } from "../find.ts";
import { requestOrResumeSync } from "../request-sync.ts";
import { renderLines, syncLines } from "../sync-lines.ts";

export function syncCommand(program: Command, { withSystem, print, io }: CommandContext): void {
  program
    .command("sync")
    .description("sync a source now and render the feeds after it")
    .requiredOption("--source <id>")
    .action(async ({ source: sourceId }: { source: string }) => {
      const { run, render } = await withSystem(async (system) => {
        const { catalogId } = await theSource(system.db, sourceId);
        const runId = await requestOrResumeSync(system, { catalogId, sourceId, cause: "command" });
        const run = await awaitRun(system, io, runId);
        return { run, render: await findRunCausedBy(system.db, runId) };
      });
      const stats = run.stats as SyncStats;
      print({ run_id: run.id, stats }, () => [...syncLines(stats), ...renderLines(render)]);
    });
}
