/** Counts the line breaks of a text between two places. */
export function countBreaks(text: string, from = 0, to = text.length, mark = "\n"): number {
  let count = 0;
  for (let at = text.indexOf(mark, from); at !== -1 && at < to; at = text.indexOf(mark, at + 1)) count += 1;
  return count;
}
