/**
 * JSON that PostgreSQL takes. It refuses NUL and half a surrogate pair, which JavaScript's texts may hold and a shop's
 * feed sometimes does; a run that could not be written down for that would look like a worker that died.
 */
export function storableJson(value: unknown): string {
  return JSON.stringify(value, (_name, part: unknown) => (typeof part === "string" ? storable(part) : part));
}

export function storable(text: string): string {
  return text.toWellFormed().replaceAll("\0", "\uFFFD");
}
