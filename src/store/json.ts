/**
 * JSON that PostgreSQL accepts. It rejects NUL and lone surrogates, which a shop's feed may contain; without this,
 * storing such a run would fail.
 */
export function storableJson(value: unknown): string {
  return JSON.stringify(value, (_name, part: unknown) => (typeof part === "string" ? storable(part) : part));
}

export function storable(text: string): string {
  return text.toWellFormed().replaceAll("\0", "\uFFFD");
}
