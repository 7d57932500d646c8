/** What the files themselves show: items that will not be listed, and bytes. */
import { formatCount } from "../../../lib/counted.ts";
import type { FileFigures, GuardFigures } from "./figures.ts";
import { factor, type GuardFinding, itemsOf, ratio } from "./finding.ts";

/** The files differ because of a change of the merchant here, apart from a few items. */
const isOwnDifference = ({ after, changes, hasOwnChange = false }: GuardFigures): boolean =>
  hasOwnChange && changes !== null && changes.judged < FEW * after.items;
const FEW = 0.1;

/** Items that will not be listed: a file leaves them out, or its destination will refuse them. */
export function checkRefused(figures: GuardFigures): readonly GuardFinding[] {
  const { before, after } = figures;
  if (isOwnDifference(figures)) return [];
  return after.files.map((file) => {
    const was = before.files.find((one) => one.file === file.file);
    const [now, earlier] = [unlisted(after.items, file), unlisted(before.items, was)];
    const change = ratio(now, after.items) - ratio(earlier, before.items);
    return {
      signal: "items_refused",
      subject: file.file,
      change,
      items: now,
      before: earlier,
      after: now,
      sentence: () =>
        `${formatCount(now)} of ${itemsOf(after.items)} will be refused or left out in ${file.file}; in the published file, it was ${formatCount(earlier)} of ${formatCount(before.items)}`,
    };
  });
}

const unlisted = (items: number, file: FileFigures | undefined): number =>
  file === undefined ? 0 : items - file.written + file.refused;

/** Texts that were cut off, or that have become markup: the bytes of an item show both. */
export function checkBytes(figures: GuardFigures): readonly GuardFinding[] {
  const { before, after } = figures;
  if (isOwnDifference(figures)) return [];
  return after.files.flatMap(({ file, written, bytes }) => {
    const was = before.files.find((one) => one.file === file);
    if (!was?.bytes || !bytes || was.written === 0 || written === 0) return [];
    const [each, eachBefore] = [Math.round(bytes / written), Math.round(was.bytes / was.written)];
    return [
      {
        signal: "file_bytes",
        subject: file,
        change: factor(each, eachBefore),
        items: Math.min(written, was.written),
        before: eachBefore,
        after: each,
        sentence: () =>
          `${file} has ${formatCount(each)} bytes for each item; the published one has ${formatCount(eachBefore)}`,
      },
    ];
  });
}
