/** The results of a sync, a push or a read without a server, and of the render after it, in lines. */
import { CHANNEL_FILES } from "../channels/registry.ts";
import { counted } from "../lib/counted.ts";
import { remedyFor } from "../pipeline/render/remedies.ts";
import type { FileStats } from "../pipeline/render/tally.ts";
import { spread } from "../pipeline/sync/ledger.ts";
import type { SyncStats } from "../contract/syncs.ts";
import type { RenderStats } from "../pipeline/render/render.ts";
import type { FollowingRender } from "./await-run.ts";

const SHOWN = 10;

export function syncLines(stats: SyncStats): readonly string[] {
  const { seen, upserted, unchanged, rejected, removed, warnings } = stats;
  return [
    `${seen} seen: ${upserted} stored, ${unchanged} unchanged, ${rejected} rejected; ${removed} removed, ${counted(warnings, "warning")}.`,
    ...findingLines(stats),
  ];
}

/** For a feed that was read and not stored. */
export function readLines(stats: SyncStats): readonly string[] {
  const { seen, upserted, rejected, warnings } = stats;
  return [
    `${seen} seen: ${upserted} usable, ${rejected} rejected; ${counted(warnings, "warning")}.`,
    ...findingLines(stats),
  ];
}

function findingLines(stats: SyncStats): readonly string[] {
  const { warnings, warning_codes, warning_examples } = stats;
  return [
    ...rejectionLines(stats),
    ...(warnings > 0 ? [`  warnings: ${countsByCode(warning_codes)}`] : []),
    // Warnings without a position are about the whole source; those about single items are only counted.
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

/** `1990 missing_link, 4 missing_price`. */
function countsByCode(codes: Readonly<Record<string, number>>): string {
  return byCount(codes)
    .map(([code, count]) => `${count} ${code}`)
    .join(", ");
}

/** The commonest first, then by name: stored counts have another order than computed ones. */
const byCount = (codes: Readonly<Record<string, number>>): readonly (readonly [string, number])[] =>
  Object.entries(codes).sort(([nameA, a], [nameB, b]) => b - a || (nameA < nameB ? -1 : 1));

/** What the render after a sync published, with URLs and refusals. */
export function publishedLines(
  render: FollowingRender | undefined,
  feeds: readonly { readonly file: string; readonly url: string }[],
): readonly string[] {
  if (render === undefined) return ["No render followed: the feeds stay as they were."];
  if (render.error) {
    const { message, code } = render.error;
    const what = code === "render_held" ? "The render is held" : "The render failed";
    return [`${what}, and the feeds stay as they were: ${message} (${code})`];
  }
  const { items = 0, files = {} } = render.run.stats as Partial<RenderStats>;
  return [
    `Published ${counted(items, "item")}:`,
    ...fileLines(files),
    "Feed URLs:",
    ...feeds.map(({ url }) => `  ${url}`),
  ];
}

/** jsonb does not keep the order of keys. */
const inChannelOrder = (files: Readonly<Record<string, FileStats>>): readonly [string, FileStats][] =>
  CHANNEL_FILES.flatMap((file) => (files[file] === undefined ? [] : [[file, files[file]] as const]));

/** How many items each file has, what will be refused or is left out, and what to do if nothing will be shown. */
export function fileLines(files: Readonly<Record<string, FileStats>>): readonly string[] {
  const mainReasons = Object.values(files).flatMap(({ written, refused, reasons }) =>
    written === refused ? byCount(reasons).slice(0, 1) : [],
  );
  return [
    ...inChannelOrder(files).map(
      ([file, { written, excluded, refused, reasons }]) =>
        `  ${file}: ${counted(written, "item")}${refused > 0 ? `, ${refused} will be refused` : ""}${excluded > 0 ? `, ${excluded} left out` : ""}${refused + excluded > 0 ? ` (${countsByCode(reasons)})` : ""}`,
    ),
    ...[...new Set(mainReasons.map(([code]) => code))].flatMap((code) => {
      const remedy = remedyFor(code);
      return remedy === undefined ? [] : [`  ${code}: ${remedy}`];
    }),
  ];
}
