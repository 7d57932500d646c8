/** Trims text in linear time. A pattern such as `\s+$` or `\s*,` is quadratic on long runs of white space. */

/** Removes matching characters at the end; `character` is a pattern of one character. */
export function trimEndOf(text: string, character: RegExp): string {
  let end = text.length;
  while (end > 0 && character.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** Replaces each separator and the white space around it. */
export function replaceSeparators(text: string, separator: RegExp | string, replacement: string): string {
  const parts = text.split(separator);
  const last = parts.length - 1;
  return parts
    .map((part, index) => {
      const begun = index === 0 ? part : part.trimStart();
      return index === last ? begun : begun.trimEnd();
    })
    .join(replacement);
}
