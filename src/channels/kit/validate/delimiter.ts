/** What separates the cells of a file, by its header: the character that leaves the most names of known columns. */

/** The first wins where two leave equally many. */
const DELIMITERS = ["\t", ",", ";", "|", "~"] as const;

export function delimiterOf(header: string, isKnown: (name: string) => boolean): string {
  let best: string = DELIMITERS[0];
  let most = 0;
  for (const delimiter of DELIMITERS) {
    const count = columnNames(header, delimiter).filter(isKnown).length;
    if (count > most) [best, most] = [delimiter, count];
  }
  // With one known name or none, a comma in the header decides unless there is a tab.
  return most > 1 || header.includes("\t") || !header.includes(",") ? best : ",";
}

/** The names of a header as they are compared: without quotes, prefix and sub-attributes, in lower case. */
export function columnNames(header: string, delimiter: string): readonly string[] {
  return header.split(delimiter).map((cell) => columnKey(cell.trim().replace(/^"|"$|\(.*$/gs, "")));
}

/** `Image Link` and `g:image_link` are `image_link` to Google. */
export function columnKey(name: string): string {
  return name.trim().toLowerCase().replace(/^g:/, "").replace(/\s+/g, "_");
}
