/** Memoizes a function of one text. Above `maxEntries` all results are dropped: for what is cheap to compute again. */
export function memoize<T>(maxEntries: number, compute: (key: string) => T): (key: string) => T {
  const results = new Map<string, T>();
  return (key) => {
    const known = results.get(key);
    if (known !== undefined) return known;
    const fresh = compute(key);
    if (results.size >= maxEntries) results.clear();
    results.set(key, fresh);
    return fresh;
  };
}

/** Memoizes the last result only, for calls that often repeat the arguments of the call before. Compares by `===`. */
export function memoizeLast<Argument, T>(compute: (argument: Argument) => T): (argument: Argument) => T {
  let isKnown = false;
  let last: Argument;
  let result: T;
  return (argument) => {
    if (isKnown && last === argument) return result;
    isKnown = false;
    result = compute(argument);
    last = argument;
    isKnown = true;
    return result;
  };
}

/** The same for a function of two arguments. */
export function memoizeLastPair<A, B, T>(compute: (a: A, b: B) => T): (a: A, b: B) => T {
  let last: { readonly a: A; readonly b: B; readonly result: T } | undefined;
  return (a, b) => {
    if (last === undefined || last.a !== a || last.b !== b) last = { a, b, result: compute(a, b) };
    return last.result;
  };
}
