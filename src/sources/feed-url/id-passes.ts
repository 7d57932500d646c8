/**
 * Assigns ids to the items of a file that has none. Whether a SKU is repeated is known only at the end of the
 * file, so such a file is read twice: first to count, then for the items. A file with ids is read once.
 */
import { type ItemIds, itemIds } from "../product-record/item-ids.ts";
import type { Reading } from "../product-record/reading.ts";
import type { FeedPass, FeedReader } from "./feed-reader.ts";

/** `head` is the beginning of the file. Returns the reader of the items, after the last pass. */
export function* itemPasses<Reader extends FeedReader>(
  makeReader: () => Reader,
  head: string,
  pass: Omit<FeedPass, "reader"> = {},
): Generator<FeedPass, Reader, void> {
  const ids = itemIds();
  if (hasNoIds(makeReader(), head)) yield { ...pass, reader: countIds(makeReader(), ids) };
  const reader = makeReader();
  yield { ...pass, reader: assignIds(reader, ids) };
  return reader;
}

const hasNoId = (reading: Reading): boolean => reading.kind === "draft" && reading.draft.id === undefined;

function hasNoIds(reader: FeedReader, head: string): boolean {
  try {
    return reader.push(head).some(hasNoId) || reader.end().some(hasNoId);
  } catch {
    // A head mostly ends in the middle of an item. What is really wrong with the file comes up in the reading itself.
    return false;
  }
}

function countIds(reader: FeedReader, ids: ItemIds): FeedReader {
  const count = (readings: readonly Reading[]): [] => {
    for (const reading of readings) if (reading.kind === "draft") ids.count(reading.draft);
    return [];
  };
  return { ...reader, push: (text) => count(reader.push(text)), end: () => count(reader.end()) };
}

function assignIds(reader: FeedReader, ids: ItemIds): FeedReader {
  const assign = (readings: readonly Reading[]): Reading[] =>
    readings.map((reading) => (reading.kind === "draft" ? ids.assign(reading) : reading));
  return {
    ...reader,
    push: (text) => assign(reader.push(text)),
    end: () => [...assign(reader.end()), ...ids.notes()],
  };
}
