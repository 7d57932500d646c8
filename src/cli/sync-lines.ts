/** How a sync or a push went, and the render after it, in lines for people. */
import { spread } from "../pipeline/sync/ledger.ts";
import type { SyncStats } from "../pipeline/sync/ledger.ts";
import type { RenderStats } from "../pipeline/render/publication.ts";
import type { Run } from "../store/runs.ts";

const SHOWN = 10;

export function syncLines(stats: SyncStats): readonly string[] {
  const { seen, upserted, unchanged, rejected, removed, warnings, warning_examples } = stats;
  return [
    `${seen} seen: ${upserted} stored, ${unchanged} unchanged, ${rejected} rejected; ${removed} removed, ${warnings} warnings.`,
    ...rejectionLines(stats),
    // What is said of one item is for the list of the run; what is said of the shop is for whoever stands here.
    ...warning_examples
      .filter(({ position }) => position === null)
      .map(({ message, code }) => `  note: ${message} (${code})`),
  ];
}

/** The first rejections of every code; the counts by code where more were rejected than are shown. */
function rejectionLines({ rejected, rejections, rejection_codes }: SyncStats): readonly string[] {
  const shown = spread(rejections, SHOWN);
  return [
    ...(rejected > shown.length ? [`  rejected: ${countsByCode(rejection_codes)}; for example:`] : []),
    ...shown.map(({ position, message, code }) => `  rejected: item ${position}: ${message} (${code})`),
  ];
}

/** `1990 missing_link, 4 missing_price`: the commonest first. */
export function countsByCode(codes: Readonly<Record<string, number>>): string {
  return Object.entries(codes)
    .sort(([, a], [, b]) => b - a)
    .map(([code, count]) => `${count} ${code}`)
    .join(", ");
}

/** A catalog may be whole and a feed empty all the same: what each file could not carry is said here too. */
export function renderLines(render: Run | undefined): readonly string[] {
  if (render?.state === "failed")
    return [`The render after it failed: ${render.error?.message ?? "no reason given"}`];
  const { files = {} } = (render?.stats ?? {}) as Partial<RenderStats>;
  return Object.entries(files)
    .filter(([, { excluded }]) => excluded > 0)
    .map(
      ([file, { written, excluded, reasons }]) =>
        `  ${file}: ${written} written, ${excluded} left out (${countsByCode(reasons)})`,
    );
}
