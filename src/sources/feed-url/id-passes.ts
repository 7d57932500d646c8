/**
 * Gives ids to the items of a file that has none for them. Whether a SKU is repeated is known only at the end of the
 * file, so such a file is read twice: first to count, then for the items. A file with ids is read once.
 */
import { type ItemIds, itemIds } from "../product-record/item-ids.ts";
import type { Reading } from "../product-record/reading.ts";
import type { Chosen, FeedReader } from "./feed-reader.ts";

/** `makeChosen` starts a reading of the whole file; `head` is the beginning of the file. */
export function withItemIds(makeChosen: () => Chosen, head: string): Chosen {
  const ids = itemIds();
  if (!lacksIds(makeChosen().reader, head)) return assigning(makeChosen(), ids);
  return surveying(makeChosen(), ids, () => assigning(makeChosen(), ids));
}

const isNameless = (reading: Reading): boolean => reading.kind === "draft" && reading.draft.id === undefined;

function lacksIds(reader: FeedReader, head: string): boolean {
  try {
    return reader.push(head).some(isNameless) || reader.end().some(isNameless);
  } catch {
    // A head mostly ends in the middle of an item. What is really wrong with the file comes up in the reading itself.
    return false;
  }
}

function surveying(chosen: Chosen, ids: ItemIds, next: () => Chosen): Chosen {
  const { reader } = chosen;
  const survey = (readings: readonly Reading[]): [] => {
    for (const reading of readings) if (reading.kind === "draft") ids.survey(reading.draft);
    return [];
  };
  return {
    ...chosen,
    reader: { ...reader, push: (text) => survey(reader.push(text)), end: () => survey(reader.end()) },
    after: () => {
      const more = chosen.after();
      return more === null ? next() : surveying(more, ids, next);
    },
  };
}

function assigning(chosen: Chosen, ids: ItemIds): Chosen {
  const { reader } = chosen;
  const assign = (readings: readonly Reading[]): Reading[] =>
    readings.map((reading) => (reading.kind === "draft" ? ids.assign(reading) : reading));
  return {
    ...chosen,
    reader: {
      ...reader,
      push: (text) => assign(reader.push(text)),
      end: () => [...assign(reader.end()), ...ids.notes()],
    },
    after: () => {
      const more = chosen.after();
      return more === null ? null : assigning(more, ids);
    },
  };
}
