/** Pages of a render's list of refusals. A page begins at a byte of the list, so its cost does not depend on where it is. */
import { badCursor } from "../../lib/cursor.ts";
import type { FeedFolders } from "../../files/feed-folders.ts";
import { REFUSALS_FILE } from "./refusal-report.ts";
import type { RefusalLine } from "./refusal-report.ts";

export type RefusalPlace = { readonly catalogId: string; readonly folder: string };

export type RefusalPage = {
  readonly lines: readonly RefusalLine[];
  /** The byte at which the next page begins; null after the last. */
  readonly next: number | null;
};

/** A page that matches little ends early, with a cursor: no request scans a whole list. */
const MAX_SCANNED = 100_000;

/** Undefined if the list is no longer on disk. */
export async function pageRefusals(
  folders: FeedFolders,
  place: RefusalPlace,
  { from, limit, isWanted }: { from: number; limit: number; isWanted: (line: RefusalLine) => boolean },
): Promise<RefusalPage | undefined> {
  const found: RefusalLine[] = [];
  let scanned = 0;
  const lines = await openLines(folders, place, from);
  if (lines === undefined) return undefined;
  for await (const { line, at } of lines) {
    if (found.length === limit || scanned === MAX_SCANNED) return { lines: found, next: at };
    scanned += 1;
    if (isWanted(line)) found.push(line);
  }
  return { lines: found, next: null };
}

/** A line with its first byte, and that of the line after it. */
export type PlacedLine = { readonly line: RefusalLine; readonly at: number; readonly next: number };

/** Undefined if the list is no longer on disk. */
export async function openLines(
  folders: FeedFolders,
  { catalogId, folder }: RefusalPlace,
  from = 0,
): Promise<AsyncGenerator<PlacedLine> | undefined> {
  const place = { catalogId, folder, file: REFUSALS_FILE, encoding: "identity" } as const;
  const bytes = await folders.open(place, { start: from, end: Infinity });
  return bytes && linesOf(bytes as AsyncIterable<Buffer>, from);
}

async function* linesOf(chunks: AsyncIterable<Buffer>, from: number): AsyncGenerator<PlacedLine> {
  let rest: Buffer = Buffer.alloc(0);
  let at = from;
  for await (const chunk of chunks) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let start = 0;
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, start)) {
      const next = at + end + 1 - start;
      yield { line: parse(bytes.toString("utf8", start, end)), at, next };
      at = next;
      start = end + 1;
    }
    rest = bytes.subarray(start);
  }
}

/** The list is ours: only a cursor that we did not make can point into the middle of a line. */
function parse(text: string): RefusalLine {
  try {
    return JSON.parse(text) as RefusalLine;
  } catch {
    throw badCursor();
  }
}
