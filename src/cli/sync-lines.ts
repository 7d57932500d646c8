/** How a sync or a push went, and the render after it, in lines for people. */
import type { SyncStats } from "../pipeline/sync/ledger.ts";
import type { RenderStats } from "../pipeline/render/publication.ts";
import type { Run } from "../store/runs.ts";

const SHOWN = 10;

export function syncLines({
  seen,
  upserted,
  unchanged,
  rejected,
  removed,
  warnings,
  rejections,
  warning_examples,
}: SyncStats): readonly string[] {
  return [
    `${seen} seen: ${upserted} stored, ${unchanged} unchanged, ${rejected} rejected; ${removed} removed, ${warnings} warnings.`,
    ...rejections
      .slice(0, SHOWN)
      .map(({ position, message, code }) => `  rejected: item ${position}: ${message} (${code})`),
    // What is said of one item is for the list of the run; what is said of the shop is for whoever stands here.
    ...warning_examples
      .filter(({ position }) => position === null)
      .map(({ message, code }) => `  note: ${message} (${code})`),
  ];
}

/** A catalog may be whole and a feed empty all the same: what each file could not carry is said here too. */
export function renderLines(render: Run | undefined): readonly string[] {
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
