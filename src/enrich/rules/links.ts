/** Query parameters of links. All other characters of an address stay as they are. */

/** Sets the parameters: one that is there already gets the new value in its place, and its repetitions are removed. */
export function withParameters(url: string, parameters: ReadonlyMap<string, string>): string {
  const hash = url.indexOf("#");
  const [address, fragment] = hash < 0 ? [url, ""] : [url.slice(0, hash), url.slice(hash)];
  const mark = address.indexOf("?");
  const path = mark < 0 ? address : address.slice(0, mark);
  const query = mark < 0 ? "" : address.slice(mark + 1);
  const left = new Map(parameters);
  const kept = (query === "" ? [] : query.split("&")).flatMap((pair) => {
    const name = decodedName(pair);
    if (!parameters.has(name)) return [pair];
    const value = left.get(name);
    left.delete(name);
    return value === undefined ? [] : [pairOf(name, value)];
  });
  const pairs = [...kept, ...[...left].map(([name, value]) => pairOf(name, value))];
  return pairs.length === 0 ? url : `${path}?${pairs.join("&")}${fragment}`;
}

const pairOf = (name: string, value: string): string =>
  `${encodeURIComponent(name)}=${encodeURIComponent(value)}`;

function decodedName(pair: string): string {
  const name = pair.split("=", 1)[0] ?? "";
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
