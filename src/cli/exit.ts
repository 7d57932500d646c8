/** Exit statuses of commands, in addition to those of failures in `errors.ts`. */

/** A check that ran and found problems. */
export const FINDINGS = 6;

/** An unknown command or a missing option, as Commander reports it. */
export const USAGE = 2;

/** 128 and the number of SIGPIPE: the reader of the output is gone. */
export const CLOSED_PIPE = 141;
