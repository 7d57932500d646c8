/**
 * Decides when recipients are mailed, and about what. Pure. Several problems at once, and those that are over, are one
 * message.
 */
import { ATTENTION_CODES } from "../../contract/status.ts";
import type { AlertRow } from "../../store/alerts.ts";
import { ADVICE } from "./advice.ts";

const MINUTE = 60_000;

/** What makes destinations get old items or none is mailed after this time at the latest. */
const FAILING_AFTER_MIN = 5;
/** After a message the next one about the same catalog waits: troubles rarely come alone. */
export const MAIL_EVERY_MS = 10 * MINUTE;

export type DueMail = { readonly problems: readonly AlertRow[]; readonly resolved: readonly AlertRow[] };

export function dueMail(
  rows: readonly AlertRow[],
  { now, lastMailAt }: { readonly now: Date; readonly lastMailAt: Date | null },
): DueMail | undefined {
  if (lastMailAt !== null && isWithin(lastMailAt, MAIL_EVERY_MS, now)) return undefined;
  const unknown = rows.filter((row) => isOpen(row) && row.notifiedAt === null && mailAfterMs(row) !== null);
  const dueAfter = (ms: number) =>
    unknown.filter((row) => !isWithin(row.openedAt, (mailAfterMs(row) ?? 0) - ms, now));
  const isDue = dueAfter(0).length > 0;
  const resolved = rows.filter(
    ({ resolvedAt, notifiedAt, resolvedNotifiedAt }) =>
      resolvedAt !== null && notifiedAt !== null && resolvedNotifiedAt === null,
  );
  if (!isDue && resolved.length === 0) return undefined;
  // Those that would be due before the next message could be sent; the others may be over by then.
  return {
    problems: byConsequence(isDue ? dueAfter(MAIL_EVERY_MS) : []),
    resolved: byConsequence(resolved),
  };
}

/** The clock may have been set back. */
const isWithin = (at: Date, ms: number, now: Date): boolean => Math.abs(now.getTime() - at.getTime()) < ms;

const isOpen = ({ clearedAt, resolvedAt }: AlertRow): boolean => clearedAt === null && resolvedAt === null;

function mailAfterMs({ code, severity }: AlertRow): number | null {
  // A mail that says that mails fail does not arrive; later it is not true any more.
  if (code === "mail_failing") return null;
  const { mailAfterMin } = ADVICE[code];
  if (severity === "failing") return Math.min(FAILING_AFTER_MIN, mailAfterMin ?? FAILING_AFTER_MIN) * MINUTE;
  return mailAfterMin === null ? null : mailAfterMin * MINUTE;
}

/** The most severe first, then in the order of the codes; those that seem to be over come last. */
export const byConsequence = (rows: readonly AlertRow[]): readonly AlertRow[] =>
  rows.toSorted(
    (a, b) =>
      Number(a.clearedAt !== null) - Number(b.clearedAt !== null) ||
      Number(b.severity === "failing") - Number(a.severity === "failing") ||
      ATTENTION_CODES.indexOf(a.code) - ATTENTION_CODES.indexOf(b.code) ||
      a.since.getTime() - b.since.getTime() ||
      (a.id < b.id ? -1 : 1),
  );

/** The rows after the message is queued. */
export function markNotified(
  rows: readonly AlertRow[],
  mail: DueMail,
  at: Date,
  mailId: string,
): readonly AlertRow[] {
  return rows.map((row) => {
    if (mail.problems.includes(row)) return { ...row, notifiedAt: at, mailId };
    return mail.resolved.includes(row) ? { ...row, resolvedNotifiedAt: at } : row;
  });
}
