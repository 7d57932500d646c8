/**
 * The audit of a catalog, in the same pass as the render: group by group, in catalog order, in constant memory. The
 * same catalog, settings and time give the same report and verdicts on any machine. Items without findings have no
 * verdict.
 */
import { withDefaults } from "../catalog/defaults.ts";
import type { ItemGroup, Item } from "../catalog/item.ts";
import type { CatalogSettings } from "../catalog/settings.ts";
import { type AuditContext, DAY_MS, EXPIRY_DAYS, type Shop, YEAR_DAYS } from "./audit-context.ts";
import { catalogScope } from "./audit-scope.ts";
import { buildReport } from "./build-report.ts";
import { AuditCounters } from "./counters.ts";
import { ItemScore } from "./item-score.ts";
import { PASS } from "./outcome.ts";
import type { AuditReport } from "./report.ts";
import { encodeVerdict, shownScore } from "./verdict.ts";

/**
 * When time alone can next change a verdict, by the rules that compare dates with the clock. Until then an unchanged
 * catalog need not be audited again. A new rule that uses the clock adds its time here; a property test checks this.
 */
class NextChange {
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

export type ItemVerdict = {
  readonly itemId: string;
  /** Cut to a whole number. */
  readonly score: number;
  readonly encoded: Uint8Array;
};

export type Audit = {
  /** Evaluates a group and returns the verdicts on its items with findings. */
  readonly group: (group: ItemGroup) => readonly ItemVerdict[];
  readonly finish: () => AuditReport;
  /** The time from which time alone may change the verdicts so far; null: never. */
  readonly sameUntil: () => string | null;
};

const NO_VERDICTS: readonly ItemVerdict[] = [];

export function openAudit(context: AuditContext): Audit {
  const scope = catalogScope(context);
  const score = new ItemScore();
  const counters = new AuditCounters();
  const nextChange = new NextChange(scope.shop.now);
  nextChange.addSync(context, scope.shop);
  return {
    group: (stored) => {
      let verdicts: ItemVerdict[] | undefined;
      const group = groupWithDefaults(stored, context.settings);
      scope.startGroup(group);
      for (const item of group.items) {
        const ruleContext = scope.contextOf(item);
        score.evaluate(item, ruleContext);
        counters.add(score, item, ruleContext);
        nextChange.addItem(item);
        if (score.findingCount > 0) (verdicts ??= []).push(verdictOf(item.id, score));
      }
      return verdicts ?? NO_VERDICTS;
    },
    finish: () => buildReport(counters, scope.shop, context.rejected),
    sameUntil: () => nextChange.at,
  };
}

/** As the feeds will show the items. Most shops have no defaults. */
function groupWithDefaults(group: ItemGroup, settings: CatalogSettings): ItemGroup {
  if (settings.defaultBrand === undefined) return group;
  return { ...group, items: group.items.map((item) => withDefaults(item, settings)) };
}

function verdictOf(itemId: string, { stake, missed, results }: ItemScore): ItemVerdict {
  const findings = [];
  for (const { rule, points, outcome } of results) {
    if (outcome >= 0 && outcome !== PASS) findings.push({ number: rule.number, points, earned: outcome });
  }
  return { itemId, score: shownScore(stake, missed), encoded: encodeVerdict({ stake, findings }) };
}
