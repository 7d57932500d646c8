/**
 * A sync or a push and the render after it, reported as they happen: the numbers of the sync at its end, then that the
 * feeds are being rendered, then what was published, where, and what was left out.
 */
import { ERRORS, isErrorCode } from "../errors.ts";
import { FEED_FILES } from "../channels/registry.ts";
import type { SyncStats } from "../contract/syncs.ts";
import type { Catalog } from "../store/catalogs.ts";
import type { Run } from "../store/runs.ts";
import { awaitRun } from "./await-run.ts";
import type { CommandContext } from "./context.ts";
import { runData } from "./run-text.ts";
import { publishedLines, syncLines } from "./sync-lines.ts";
import type { System } from "./system.ts";

export async function reportSync(
  { io, isJson, print, endWith }: CommandContext,
  system: System,
  { catalog, runId }: { readonly catalog: Catalog; readonly runId: string },
): Promise<void> {
  const say = (lines: readonly string[]) => {
    if (!isJson()) io.out(lines.map((line) => `${line}\n`).join(""));
  };
  const { run, render } = await awaitRun(system, io, runId, {
    onSynced: ({ stats }) => say([...syncLines(stats as SyncStats), "Rendering the feeds…"]),
  });
  const feeds = FEED_FILES.map((file) => ({ file, url: system.jobs.feedUrl(catalog, file) }));
  print({ run_id: run.id, stats: run.stats, render: render ? runData(render) : null, feeds }, () =>
    publishedLines(render, feeds),
  );
  if (render?.state === "failed") endWith(statusOf(render));
}

function statusOf({ error }: Run): number {
  const code = error?.code;
  return ERRORS[isErrorCode(code) ? code : "render_failed"].exit;
}
