/** Items of two sides in feed order, one after another. */

export type Place = { readonly sortKey: Buffer; readonly isGrouped: boolean; readonly id: Buffer };

/** Negative if the earlier item comes first, zero if both are the same item. */
export function compareItems(was: Place | undefined, is: Place | undefined): number {
  if (was === undefined) return 1;
  return is === undefined ? -1 : comparePlaces(was, is);
}

/** The order of the database: by bytes; an item without a group comes after the group of the same name. */
function comparePlaces(a: Place, b: Place): number {
  return (
    Buffer.compare(a.sortKey, b.sortKey) ||
    Number(b.isGrouped) - Number(a.isGrouped) ||
    Buffer.compare(a.id, b.id)
  );
}

export type Flattened<Value> = ReturnType<typeof flatten<never, Value>>;

/** One value after another from batches. `take` returns the next one of the batch without waiting, if there is one. */
export function flatten<Batch, Value>(
  batches: AsyncIterable<readonly Batch[]>,
  valuesOf: (one: Batch) => readonly Value[],
) {
  const iterator = batches[Symbol.asyncIterator]();
  let batch: readonly Batch[] = [];
  let values: readonly Value[] = [];
  let [nextBatch, nextValue] = [0, 0];
  const take = (): Value | undefined => {
    while (nextValue === values.length && nextBatch < batch.length) {
      const one = batch[nextBatch++];
      values = one === undefined ? [] : valuesOf(one);
      nextValue = 0;
    }
    return values[nextValue] === undefined ? undefined : values[nextValue++];
  };
  return {
    take,
    close: async (): Promise<void> => void (await iterator.return?.()),
    skipAll: async (): Promise<void> => {
      while (!(await iterator.next()).done);
    },
    next: async (): Promise<Value | undefined> => {
      for (;;) {
        const value = take();
        if (value !== undefined) return value;
        const more = await iterator.next();
        if (more.done) return undefined;
        batch = more.value;
        nextBatch = 0;
      }
    },
  };
}
