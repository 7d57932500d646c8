/** Writes JSON that PostgreSQL accepts: it rejects NUL and lone surrogates, which a feed may contain. */
export function storableJson(value: unknown): string {
  return JSON.stringify(value, (_name, part: unknown) => (typeof part === "string" ? storable(part) : part));
}

export function storable(text: string): string {
  return text.toWellFormed().replaceAll("\0", "\uFFFD");
}
