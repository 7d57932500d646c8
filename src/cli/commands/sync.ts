/** `shelfwire sync`: syncs a source now, and renders after it, with or without a server running. */
import type { Command } from "commander";
import type { SyncStats } from "../../pipeline/ledger.ts";
import type { RenderStats } from "../../pipeline/publication.ts";
import { requestSync } from "../../pipeline/requests.ts";
import { findRunCausedBy } from "../../store/runs.ts";
import type { Run } from "../../store/runs.ts";
import { awaitRun } from "../await-run.ts";
import type { CommandContext } from "../context.ts";
import { theSource } from "../find.ts";

const SHOWN = 10;

export function syncCommand(program: Command, { withSystem, print, io }: CommandContext): void {
  program
    .command("sync")
    .description("sync a source now and render the feeds after it")
    .requiredOption("--source <id>")
    .action(async ({ source: sourceId }: { source: string }) => {
      const { run, render } = await withSystem(async (system) => {
        const { catalogId } = await theSource(system.db, sourceId);
        const runId = await requestSync(system.db, { catalogId, sourceId, cause: "command" });
        const run = await awaitRun(system, io, runId);
        return { run, render: await findRunCausedBy(system.db, runId) };
      });
      const stats = run.stats as SyncStats;
      print({ run_id: run.id, stats }, () => [...syncLines(stats), ...renderLines(render)]);
    });
}

function syncLines({
  seen,
  upserted,
  unchanged,
  rejected,
  removed,
  warnings,
  rejections,
}: SyncStats): readonly string[] {
  return [
    `${seen} seen: ${upserted} stored, ${unchanged} unchanged, ${rejected} rejected; ${removed} removed, ${warnings} warnings.`,
    ...rejections
      .slice(0, SHOWN)
      .map(({ position, message, code }) => `  rejected: item ${position}: ${message} (${code})`),
  ];
}

/** A catalog may be whole and a feed empty all the same: what each file could not carry is said here too. */
function renderLines(render: Run | undefined): readonly string[] {
  if (render?.state === "failed")
    return [`The render after it failed: ${render.error?.message ?? "no reason given"}`];
  const { files = {} } = (render?.stats ?? {}) as Partial<RenderStats>;
  return Object.entries(files)
    .filter(([, { excluded }]) => excluded > 0)
    .map(([file, { written, excluded, reasons }]) => {
      const why = Object.entries(reasons).map(([code, count]) => `${count} ${code}`);
      return `  ${file}: ${written} written, ${excluded} left out (${why.join(", ")})`;
    });
}
