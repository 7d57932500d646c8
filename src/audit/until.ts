/**
 * How long a verdict holds: rules that look at dates answer otherwise once the clock passes them. Until the earliest
 * such moment an unchanged catalog need not be judged again. Whoever adds a rule that compares with the clock adds
 * its moment here; a law compares the verdicts before and after.
 */
import type { Item } from "../catalog/item.ts";
import { FINE } from "./outcome.ts";
import { type AuditContext, EXPIRY_DAYS, type Shop, DAY_MS, YEAR_DAYS } from "./shop.ts";

/** The earliest of the moments that are still to come, as an instant; null when there is none. */
export class Earliest {
  at: string | null = null;
  private readonly now: string;

  constructor(now: string) {
    this.now = now;
  }

  /** The very moment of the audit counts as to come: some rules only answer otherwise after it. */
  note(moment: string): void {
    if (moment >= this.now && (this.at === null || moment < this.at)) this.at = moment;
  }

  /** Most items have none of these dates, so this is cheap where it matters. */
  noteItem({ saleTo, expiresAt, availabilityDate }: Item): void {
    if (saleTo !== undefined) this.note(saleTo);
    if (expiresAt !== undefined) {
      this.note(expiresAt);
      this.note(earlier(expiresAt, EXPIRY_DAYS));
    }
    if (availabilityDate !== undefined) {
      this.note(availabilityDate);
      this.note(earlier(availabilityDate, YEAR_DAYS));
    }
  }
}

/** When a catalog that is not synced again would count as stale. */
export function noteStaleSync(earliest: Earliest, { freshness }: AuditContext, { sync }: Shop): void {
  const { lastSyncAt, intervalS } = freshness;
  if (sync !== FINE || lastSyncAt === null || intervalS === null) return;
  earliest.note(new Date(lastSyncAt.getTime() + 2 * intervalS * 1_000).toISOString());
}

function earlier(instant: string, days: number): string {
  return new Date(Date.parse(instant) - days * DAY_MS).toISOString();
}
