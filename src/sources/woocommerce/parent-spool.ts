/**
 * Variable products, kept on disk until their variations come by: the shop lists the two apart, and neither list fits
 * in memory. Here is only where each lies; siblings mostly follow one another, so the last one is kept at hand.
 */
import { closeSync, openSync, readSync, writeSync } from "node:fs";
import type { Row } from "./wire.ts";

export type ParentSpool = {
  readonly put: (id: number, product: Row) => void;
  readonly get: (id: number) => Row | undefined;
  readonly ids: () => Iterable<number>;
  readonly close: () => void;
};

type Place = { readonly offset: number; readonly bytes: number };

export function parentSpool(path: string): ParentSpool {
  const file = openSync(path, "w+");
  const places = new Map<number, Place>();
  let end = 0;
  let last: { readonly id: number; readonly product: Row } | null = null;

  return {
    put: (id, product) => {
      const bytes = Buffer.from(JSON.stringify(product));
      writeSync(file, bytes, 0, bytes.length, end);
      places.set(id, { offset: end, bytes: bytes.length });
      end += bytes.length;
    },
    get: (id) => {
      const place = places.get(id);
      if (place === undefined) return undefined;
      if (last?.id !== id) last = { id, product: readRow(file, place) };
      return last.product;
    },
    ids: () => places.keys(),
    close: () => closeSync(file),
  };
}

function readRow(file: number, { offset, bytes }: Place): Row {
  const buffer = Buffer.alloc(bytes);
  readSync(file, buffer, 0, bytes, offset);
  return JSON.parse(buffer.toString()) as Row;
}
