/**
 * The shape of every streaming reader: text goes in as it comes, whole things come out. A reader does no I/O and
 * keeps at most one unfinished thing, so memory is bounded by its caps. How the text was cut into pieces never
 * changes what comes out.
 */
export type TextReader<Thing> = {
  /** Takes the next piece of text and returns the things it completed. */
  readonly push: (text: string) => readonly Thing[];
  /** Says that there is no more text; returns what was still open, or throws `truncated`. */
  readonly end: () => readonly Thing[];
};
