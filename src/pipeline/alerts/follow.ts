/**
 * Follows problems over time: what is found in a catalog now, and the rows of before, make the rows of now. Pure. A
 * problem that is gone is kept as open for a while, and longer each time it comes back within a day: what comes and
 * goes is one alert.
 */
import type { Attention } from "../../contract/status.ts";
import type { AlertRow } from "../../store/alerts.ts";

const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;

/** How long a problem must stay away before it counts as resolved. */
const HOLD_MS = 30 * MINUTE;
/** A problem that comes back within this time after it was resolved continues its alert. */
const RETURN_MS = DAY;
/**
 * Rows that were resolved longer ago are of no interest: the longest hold, the time to return, and some for the mail.
 */
export const RECENT_MS = 3 * DAY;
/** `lastSeenAt` alone is written this often: most checks write nothing. */
const WRITE_EVERY_MS = 10 * MINUTE;

export type FoundProblem = Pick<Attention, "code" | "severity" | "message" | "action" | "since"> & {
  readonly subject: string;
};

/** 30 minutes, 2 hours, 8 hours, a day. */
const holdMs = (times: number): number => Math.min(DAY, HOLD_MS * 4 ** times);

export type Following = {
  readonly catalogId: string;
  readonly now: Date;
  readonly newId: () => string;
};

/** `rows` are the open ones and those resolved within `RECENT_MS`, one of each problem. */
export function follow(
  rows: readonly AlertRow[],
  found: readonly FoundProblem[],
  following: Following,
): readonly AlertRow[] {
  const known = new Map(rows.map((row) => [keyOf(row), row]));
  const seen = new Map(found.map((one) => [keyOf(one), one]));
  const present = [...seen].map(([key, one]) => stillThere(known.get(key), one, following));
  const absent = rows.filter((row) => !seen.has(keyOf(row))).map((row) => gone(row, following.now));
  return [...present, ...absent];
}

/** Those that have to be written. */
export const changedRows = (before: readonly AlertRow[], after: readonly AlertRow[]): readonly AlertRow[] =>
  after.filter((row) => !before.includes(row));

const keyOf = ({ code, subject }: Pick<AlertRow, "code" | "subject">): string => `${code} ${subject}`;

function stillThere(
  row: AlertRow | undefined,
  found: FoundProblem,
  { catalogId, now, newId }: Following,
): AlertRow {
  const { code, subject, severity, message, action } = found;
  const since = found.since === null ? now : new Date(found.since);
  const facts = { severity, message, action, lastSeenAt: now };
  if (row === undefined || isOver(row, now))
    return {
      id: newId(),
      catalogId,
      code,
      subject,
      ...facts,
      since,
      openedAt: now,
      clearedAt: null,
      resolvedAt: null,
      times: 0,
      notifiedAt: null,
      resolvedNotifiedAt: null,
      mailId: null,
    };
  if (row.resolvedAt !== null) return reopened({ ...row, ...facts, since }, now);
  if (row.clearedAt !== null) return { ...row, ...facts, clearedAt: null, since: returnedSince(row, found) };
  const isDue = now.getTime() - row.lastSeenAt.getTime() >= WRITE_EVERY_MS;
  return isDue || !isSameText(row, found) ? { ...row, ...facts } : row;
}

/** Of a problem that was over for a moment: it may have begun again. */
function returnedSince({ since, clearedAt }: AlertRow, found: FoundProblem): Date {
  const began = found.since === null ? since : new Date(found.since);
  return clearedAt !== null && began > clearedAt ? began : since;
}

/** Times in a message are spans such as "3 minutes": it changes every minute for an hour, then every hour. */
const isSameText = (row: AlertRow, { severity, message, action }: FoundProblem): boolean =>
  row.severity === severity &&
  row.message === message &&
  row.action?.kind === action?.kind &&
  row.action?.target === action?.target;

const isOver = ({ resolvedAt, times }: AlertRow, now: Date): boolean =>
  resolvedAt !== null && now.getTime() - resolvedAt.getTime() >= holdMs(times) + RETURN_MS;

/** Recipients who were told that it is over are told again; the others still know. */
function reopened(row: AlertRow, now: Date): AlertRow {
  const { notifiedAt, resolvedNotifiedAt, times } = row;
  return {
    ...row,
    times: times + 1,
    openedAt: now,
    clearedAt: null,
    resolvedAt: null,
    notifiedAt: resolvedNotifiedAt === null ? notifiedAt : null,
    resolvedNotifiedAt: null,
  };
}

function gone(row: AlertRow, now: Date): AlertRow {
  const { clearedAt, resolvedAt, times } = row;
  if (resolvedAt !== null) return row;
  if (clearedAt === null) return { ...row, clearedAt: now };
  return now.getTime() - clearedAt.getTime() >= holdMs(times) ? { ...row, resolvedAt: clearedAt } : row;
}
