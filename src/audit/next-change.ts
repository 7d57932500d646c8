/**
 * When time alone can next change a verdict: rules that compare dates with the clock. Until then an unchanged catalog
 * need not be audited again. A new rule that uses the clock adds its time here; a property test checks this.
 */
import type { Item } from "../catalog/item.ts";
import { type AuditContext, DAY_MS, EXPIRY_DAYS, type Shop, YEAR_DAYS } from "./audit-context.ts";
import { PASS } from "./outcome.ts";

export class NextChange {
  /** The earliest future time, as an ISO instant; null when there is none. */
  at: string | null = null;
  private readonly now: string;

  constructor(now: string) {
    this.now = now;
  }

  /** The time of the audit itself counts as future: some rules change only after it. */
  add(time: string): void {
    if (time >= this.now && (this.at === null || time < this.at)) this.at = time;
  }

  addItem({ saleTo, expiresAt, availabilityDate }: Item): void {
    if (saleTo !== undefined) this.add(saleTo);
    if (expiresAt !== undefined) {
      this.add(expiresAt);
      this.add(daysBefore(expiresAt, EXPIRY_DAYS));
    }
    if (availabilityDate !== undefined) {
      this.add(availabilityDate);
      this.add(daysBefore(availabilityDate, YEAR_DAYS));
    }
  }

  /** When the last sync becomes too old. */
  addSync({ freshness }: AuditContext, { sync }: Shop): void {
    const { lastSyncAt, intervalS } = freshness;
    if (sync !== PASS || lastSyncAt === null || intervalS === null) return;
    this.add(new Date(lastSyncAt.getTime() + 2 * intervalS * 1_000).toISOString());
  }
}

function daysBefore(instant: string, days: number): string {
  return new Date(Date.parse(instant) - days * DAY_MS).toISOString();
}
