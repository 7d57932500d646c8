/** A semaphore per key: the concurrency limit of the tasks of one key. Tasks above it are refused, not queued. */
export type LimitPerKey = <T>(key: string, task: () => Promise<T>) => Promise<T | "full">;

export function limitPerKey(most: number): LimitPerKey {
  const running = new Map<string, number>();
  return async (key, task) => {
    const count = running.get(key) ?? 0;
    if (count >= most) return "full";
    running.set(key, count + 1);
    try {
      return await task();
    } finally {
      const left = (running.get(key) ?? 1) - 1;
      if (left === 0) running.delete(key);
      else running.set(key, left);
    }
  };
}
