/**
 * Loads values by key with one call for all keys that are requested at about the same time: while one call is under
 * way, the keys of the next one are collected. A value is never older than its request.
 */
export function batchLoader<Key, Value>(
  load: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Value>>,
): (key: Key) => Promise<Value | undefined> {
  let next: { readonly keys: Set<Key>; readonly result: Promise<ReadonlyMap<Key, Value>> } | null = null;
  let current: Promise<unknown> = Promise.resolve();

  const collect = () => {
    const keys = new Set<Key>();
    const result = current.then(async () => {
      next = null;
      return load([...keys]);
    });
    current = result.catch(() => undefined);
    return { keys, result };
  };
  return async (key) => {
    next ??= collect();
    next.keys.add(key);
    return (await next.result).get(key);
  };
}
