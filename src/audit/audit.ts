/**
 * The audit of a catalog, in the same pass as the render: group by group, in catalog order, in constant memory. The
 * same catalog, settings and time give the same report and verdicts on any machine. Items without findings have no
 * verdict.
 */
import { withDefaults } from "../catalog/defaults.ts";
import type { ItemGroup } from "../catalog/item-group.ts";
import type { CatalogSettings } from "../catalog/settings.ts";
import type { AuditContext } from "./audit-context.ts";
import { catalogScope } from "./audit-scope.ts";
import { buildReport } from "./build-report.ts";
import { AuditCounters } from "./counters.ts";
import { ItemScore } from "./item-score.ts";
import { NextChange } from "./next-change.ts";
import { PASS } from "./outcome.ts";
import type { AuditReport } from "./report.ts";
import { encodeVerdict, shownScore } from "./verdict.ts";

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
