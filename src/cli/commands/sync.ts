/** `shelfwire sync`: syncs a source now, and renders after it, with or without a server running. */
import type { Command } from "commander";
import type { SyncStats } from "../../pipeline/ledger.ts";
import { requestSync } from "../../pipeline/requests.ts";
import type { CommandContext } from "../context.ts";
import { theSource } from "../find.ts";
import { awaitRun } from "../await-run.ts";

export function syncCommand(program: Command, { withSystem, print, io }: CommandContext): void {
  program
    .command("sync")
    .description("sync a source now and render the feeds after it")
    .requiredOption("--source <id>")
    .action(async ({ source: sourceId }: { source: string }) => {
      const run = await withSystem(async (system) => {
        const { catalogId } = await theSource(system.db, sourceId);
        const runId = await requestSync(system.db, { catalogId, sourceId, cause: "command" });
        return awaitRun(system, io, runId);
      });
      const stats = run.stats as SyncStats;
      print({ run_id: run.id, stats }, () => [
        `${stats.seen} seen: ${stats.upserted} stored, ${stats.unchanged} unchanged, ${stats.rejected} rejected; ${stats.removed} removed, ${stats.warnings} warnings.`,
        ...stats.rejections
          .slice(0, 10)
          .map(({ position, message, code }) => `  rejected: row ${position}: ${message} (${code})`),
      ]);
    });
}
