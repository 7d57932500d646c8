/**
 * Products that are stored on disk until their variants are read, and found by key. Memory has only their positions in
 * the file, and the last product, because the variants of one product mostly follow one another.
 */
import { closeSync, openSync, readSync, writeSync } from "node:fs";
import type { Draft } from "../../catalog/draft.ts";

/** A product is anything that can be written as JSON. */
export type ParentStore<Parent = Draft> = {
  readonly set: (keys: readonly string[], parent: Parent) => void;
  readonly get: (key: string) => Parent | undefined;
  readonly keys: () => Iterable<string>;
  /** How many keys there are. */
  readonly size: () => number;
  readonly close: () => void;
};

type StoredPosition = { readonly offset: number; readonly bytes: number };

export function parentStore<Parent = Draft>(path: string): ParentStore<Parent> {
  const file = openSync(path, "w+");
  const places = new Map<string, StoredPosition>();
  let end = 0;
  let last: { readonly place: StoredPosition; readonly parent: Parent } | null = null;

  return {
    set: (keys, parent) => {
      const bytes = Buffer.from(JSON.stringify(parent));
      writeSync(file, bytes, 0, bytes.length, end);
      const place = { offset: end, bytes: bytes.length };
      end += bytes.length;
      // A key that is a slice of a row would keep the row's whole chunk in memory; a copy does not.
      for (const key of keys) places.set(Buffer.from(key).toString(), place);
    },
    get: (key) => {
      const place = places.get(key);
      if (place === undefined) return undefined;
      if (last?.place !== place) last = { place, parent: JSON.parse(readText(file, place)) as Parent };
      return last.parent;
    },
    keys: () => places.keys(),
    size: () => places.size,
    close: () => closeSync(file),
  };
}

function readText(file: number, { offset, bytes }: StoredPosition): string {
  const buffer = Buffer.alloc(bytes);
  readSync(file, buffer, 0, bytes, offset);
  return buffer.toString();
}
