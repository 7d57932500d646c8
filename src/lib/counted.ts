/** Counts with their nouns, in the form that the number asks for. */

/** `1 item`, `2 items`; with verbs `1 item is`, `0 items are`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${plural(count, one, many)}`;

/** The word alone, for a number that is written in another way. */
export const plural = (count: number, one: string, many = `${one}s`): string => (count === 1 ? one : many);

/** With marks between thousands: `1,000`. */
export const formatCount = (count: number): string => FORMAT.format(count);

/** Made once: `toLocaleString` makes one for each call. */
const FORMAT = new Intl.NumberFormat("en");
