/**
 * A streaming reader: chunks of text go in, complete records come out. It keeps at most one unfinished record. How the
 * text was cut into chunks never changes the result.
 */
export type TextReader<Thing> = {
  /** Returns the records that the chunk completed. */
  readonly push: (text: string) => readonly Thing[];
  /** Ends the text; returns what was still open, or throws `truncated`. */
  readonly end: () => readonly Thing[];
};
