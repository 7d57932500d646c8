/**
 * The limits of what a validator keeps in memory, far more than a real feed needs. Beyond a limit the validator reports
 * the limit and continues with the checks that are still possible.
 */

/** Characters of a line, and of a row whose quoted cells span lines. */
export const MAX_ROW_CHARS = 1024 * 1024;
/** A quote that is still open after so many lines was never meant to be one. */
export const MAX_ROW_LINES = 2_000;
/** Characters of one JSON element: a group may have thousands of variants. */
export const MAX_ELEMENT_CHARS = 32 * 1024 * 1024;
export const MAX_DEPTH = 64;
/** Ids that are remembered to find duplicates, for each kind of id. */
export const MAX_IDS = 2_000_000;
/** Rows of one group that are compared with each other. */
export const MAX_GROUP_ROWS = 10_000;
/** Names of unknown columns that are reported. */
export const MAX_NAMES = 1_000;
