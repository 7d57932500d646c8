/**
 * Assigns ids to the items of a file that has none. Whether a SKU is repeated is known only at the end of the
 * file, so such a file is read twice: first to count, then for the items. A file with ids is read once.
 */
import { type ItemIds, itemIds } from "../product-record/item-ids.ts";
import type { Reading } from "../product-record/reading.ts";
import type { FeedPass, FeedReader } from "./feed-reader.ts";

/** `makeChosen` starts a reading of the whole file; `head` is the beginning of the file. */
export function withItemIds(makePass: () => FeedPass, head: string): FeedPass {
  const ids = itemIds();
  if (!hasNoIds(makePass().reader, head)) return assigningPass(makePass(), ids);
  return countingPass(makePass(), ids, () => assigningPass(makePass(), ids));
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

function countingPass(pass: FeedPass, ids: ItemIds, next: () => FeedPass): FeedPass {
  const { reader } = pass;
  const count = (readings: readonly Reading[]): [] => {
    for (const reading of readings) if (reading.kind === "draft") ids.count(reading.draft);
    return [];
  };
  return {
    ...pass,
    reader: { ...reader, push: (text) => count(reader.push(text)), end: () => count(reader.end()) },
    after: () => {
      const more = pass.after();
      return more === null ? next() : countingPass(more, ids, next);
    },
  };
}

function assigningPass(pass: FeedPass, ids: ItemIds): FeedPass {
  const { reader } = pass;
  const assign = (readings: readonly Reading[]): Reading[] =>
    readings.map((reading) => (reading.kind === "draft" ? ids.assign(reading) : reading));
  return {
    ...pass,
    reader: {
      ...reader,
      push: (text) => assign(reader.push(text)),
      end: () => [...assign(reader.end()), ...ids.notes()],
    },
    after: () => {
      const more = pass.after();
      return more === null ? null : assigningPass(more, ids);
    },
  };
}
