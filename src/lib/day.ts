/** Calendar days in UTC. */

/** Counted from 1970-01-01. */
export type Day = number;

const DAY_MS = 86_400_000;

export const dayOf = (time: Date): Day => Math.floor(time.getTime() / DAY_MS);

export const startOf = (day: Day): Date => new Date(day * DAY_MS);
