/**
 * Drafts of products whose variants may stand anywhere in the file, kept on disk and found by key. In memory there
 * is only where each lies, so a file of many products costs little; variants of one product mostly follow one
 * another, so the last one is kept at hand.
 */
import { closeSync, openSync, readSync, writeSync } from "node:fs";
import type { Draft } from "../../catalog/draft.ts";

export type ParentStore = {
  readonly put: (keys: readonly string[], draft: Draft) => void;
  readonly get: (key: string) => Draft | undefined;
  /** How many products were never asked for. */
  readonly unused: () => number;
  readonly close: () => void;
};

type Place = { readonly offset: number; readonly bytes: number; isUsed: boolean };

export function parentStore(path: string): ParentStore {
  const file = openSync(path, "w+");
  const places = new Map<string, Place>();
  let end = 0;
  let last: { readonly place: Place; readonly draft: Draft } | null = null;

  return {
    put: (keys, draft) => {
      const bytes = Buffer.from(JSON.stringify(draft));
      writeSync(file, bytes, 0, bytes.length, end);
      const place = { offset: end, bytes: bytes.length, isUsed: false };
      end += bytes.length;
      // A key cut out of a row would keep the row's whole chunk in memory; a copy does not.
      for (const key of keys) places.set(Buffer.from(key).toString(), place);
    },
    get: (key) => {
      const place = places.get(key);
      if (place === undefined) return undefined;
      place.isUsed = true;
      if (last?.place !== place) last = { place, draft: readDraft(file, place) };
      return last.draft;
    },
    unused: () => new Set([...places.values()].filter(({ isUsed }) => !isUsed)).size,
    close: () => closeSync(file),
  };
}

function readDraft(file: number, { offset, bytes }: Place): Draft {
  const buffer = Buffer.alloc(bytes);
  readSync(file, buffer, 0, bytes, offset);
  return JSON.parse(buffer.toString()) as Draft;
}
