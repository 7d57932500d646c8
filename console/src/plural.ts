/** Counts with their nouns, in the form that the number asks for. */
import { formatNumber } from "./format.ts";

/** `1 item`, `1,200 items`; with verbs `1 item is`, `0 items are`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${formatNumber(count)} ${count === 1 ? one : many}`;
