/** What a pushed body is made of: elements one after the other, whatever the format around them. */

/** An element of the body, or why there is none where one should be, as sentences. */
export type Element = { readonly value: unknown; readonly text: string } | { readonly broken: string };

/** Reads text piece by piece. Throws when the body as a whole cannot be believed. */
export type ElementReader = {
  readonly push: (text: string) => readonly Element[];
  readonly end: () => readonly Element[];
};
