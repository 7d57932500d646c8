/** Makes a thing once for each key, and forgets everything when it has made too many: for what is cheap to make again. */
export function remembering<T>(most: number, make: (key: string) => T): (key: string) => T {
  const made = new Map<string, T>();
  return (key) => {
    const known = made.get(key);
    if (known !== undefined) return known;
    const fresh = make(key);
    if (made.size >= most) made.clear();
    made.set(key, fresh);
    return fresh;
  };
}
