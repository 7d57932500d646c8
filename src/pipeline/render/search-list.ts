/**
 * The text that items are searched by, as a file of a render: one line an item, in feed order. A search reads it from
 * the front and looks for bytes. Measured on a million items, that is as fast as an index in the database and costs a
 * render 3 % instead of doubling a first sync. See docs/adr/0017.
 */
import type { Item } from "../../catalog/item.ts";
import type { FeedFolders } from "../../files/feed-folders.ts";
import { NEWLINE, TAB } from "../../lib/char-codes.ts";

export const SEARCH_FILE = "search.txt";

/** The lines of these items. */
export function searchLines(items: readonly Item[]): string {
  let text = "";
  // As JSON, so that no id contains a line break. What is found in it is also in the text before it.
  for (const item of items) text += `${searchText(item)}\t${JSON.stringify(item.id)}\n`;
  return text;
}

/** The text that is searched: in lower case, without accents, on one line. */
export function searchText({ id, title, brand = "", gtin = "", sku = "", mpn = "" }: Item): string {
  return folded(`${id} ${title} ${brand} ${gtin} ${sku} ${mpn}`).replaceAll(/\s/g, " ");
}

/** The words of a search. An item is found if its text contains them all. */
export function searchTerms(q: string): readonly string[] {
  return folded(q)
    .split(/\s+/)
    .filter((term) => term !== "");
}

const ASCII = /^[\0-\x7F]*$/;

function folded(text: string): string {
  const lower = text.toLowerCase();
  return ASCII.test(lower) ? lower : lower.normalize("NFKD").replaceAll(/\p{M}/gu, "");
}

/** Where a list is. */
export type SearchPlace = { readonly catalogId: string; readonly folder: string };

/** An item that was found, or null for a part of the list that has none. The search can go on at the byte `next`. */
export type Hit = { readonly itemId: string | null; readonly next: number };

/** Undefined if the render has no list. */
export async function openSearch(
  folders: FeedFolders,
  { catalogId, folder }: SearchPlace,
  { terms, from }: { readonly terms: readonly string[]; readonly from: number },
): Promise<AsyncGenerator<Hit> | undefined> {
  const place = { catalogId, folder, file: SEARCH_FILE, encoding: "identity" } as const;
  const bytes = await folders.open(place, { start: from, end: Infinity, highWaterMark: READ_BYTES });
  return bytes && hitsIn(bytes as AsyncIterable<Buffer>, terms, from);
}

/** Large reads: a search is mostly reading. */
const READ_BYTES = 1024 * 1024;

async function* hitsIn(
  chunks: AsyncIterable<Buffer>,
  terms: readonly string[],
  from: number,
): AsyncGenerator<Hit> {
  // The longest term is likely the rarest.
  const [first = Buffer.alloc(0), ...others] = terms
    .toSorted((a, b) => b.length - a.length)
    .map((term) => Buffer.from(term));
  let rest: Buffer = Buffer.alloc(0);
  let at = from;
  for await (const chunk of chunks) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const end = bytes.lastIndexOf(NEWLINE) + 1;
    const lines = bytes.subarray(0, end);
    for (let start = 0; ; ) {
      const found = lines.indexOf(first, start);
      if (found < 0) break;
      const lineStart = lines.lastIndexOf(NEWLINE, found) + 1;
      start = lines.indexOf(NEWLINE, found) + 1;
      const line = lines.subarray(lineStart, start);
      if (others.every((term) => line.includes(term))) yield { itemId: idIn(line), next: at + start };
      if (start === end) break;
    }
    at += end;
    rest = bytes.subarray(end);
    yield { itemId: null, next: at };
  }
}

/** Null for what is not a whole line: only a cursor that we did not make can begin in the middle of one. */
function idIn(line: Buffer): string | null {
  try {
    const id: unknown = JSON.parse(line.toString("utf8", line.lastIndexOf(TAB) + 1));
    return typeof id === "string" ? id : null;
  } catch {
    return null;
  }
}
