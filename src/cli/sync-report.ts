/**
 * Reports a sync or a push as it proceeds: its numbers, then the render, then what was published and will be refused.
 */
import { ERRORS, isErrorCode } from "../errors.ts";
import { FEED_FILES } from "../channels/registry.ts";
import type { SyncStats } from "../contract/syncs.ts";
import type { Catalog } from "../store/catalogs.ts";
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
  const { run, render } = await awaitRun(system, io, runId, ({ stats }) => {
    const lines = [...syncLines(stats as SyncStats), "Rendering the feeds…"];
    if (!isJson()) io.out(lines.map((line) => `${line}\n`).join(""));
  });
  const feeds = FEED_FILES.map((file) => ({ file, url: system.jobs.feedUrl(catalog, file) }));
  print(
    {
      run_id: run.id,
      stats: run.stats,
      render: render ? runData({ ...render.run, error: render.error }) : null,
      feeds,
    },
    () => publishedLines(render, feeds),
  );
  const code = render?.error?.code;
  if (code !== undefined) endWith(ERRORS[isErrorCode(code) ? code : "render_failed"].exit);
}
