/**
 * The audit of a catalog, in the same pass as the render: group by group, in catalog order, in constant memory. The
 * same catalog, settings and time give the same report and verdicts on any machine. Items without findings have no
 * verdict.
 */
import { withDefaults } from "../catalog/defaults.ts";
import type { ItemGroup, Item } from "../catalog/item.ts";
import type { CatalogSettings } from "../catalog/settings.ts";
import { expiryInFile } from "../channels/google/composite-values.ts";
import { type AuditContext, DAY_MS, EXPIRY_DAYS, type Shop, YEAR_DAYS } from "./audit-context.ts";
import { type AuditScope, catalogScope } from "./audit-scope.ts";
import { channelOutcomes } from "./channel-views.ts";
import { buildReport } from "./build-report.ts";
import { CatalogTables } from "./catalog-tables.ts";
import { AuditCounters, type Examples } from "./counters.ts";
import { ItemScore, OUTCOME_BYTES } from "./item-score.ts";
import { KeptItems } from "./kept-items.ts";
import { PASS } from "./outcome.ts";
import type { AuditReport } from "./report.ts";
import { ITEM_RULES } from "./ruleset.ts";
import { encodeVerdict, shownScore } from "./verdict.ts";

/**
 * When time alone can next change a verdict, by the rules that compare dates with the clock. Until then an unchanged
 * catalog need not be audited again. A new rule that uses the clock adds its time here; a property test checks this.
 */
class NextChange {
  /** The earliest future time, as an ISO instant; null when there is none. */
  at: string | null = null;
  /** That of the current group. */
  groupAt: string | null = null;
  private readonly now: string;

  constructor(now: string) {
    this.now = now;
  }

  /** The time of the audit itself counts as future: some rules change only after it. */
  add(time: string): void {
    if (time < this.now) return;
    if (this.at === null || time < this.at) this.at = time;
    if (this.groupAt === null || time < this.groupAt) this.groupAt = time;
  }

  addItem({ saleTo, expiresAt, availabilityDate }: Item): void {
    if (saleTo !== undefined) this.add(saleTo);
    if (expiresAt !== undefined) {
      this.add(expiryInFile(expiresAt));
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

/** What a later audit needs to count a group again without its items. */
export type GroupRecord = {
  readonly lookups: Uint8Array;
  readonly outcomes: Uint8Array;
  /** When time alone can change it; null: never. */
  readonly sameUntil: string | null;
};

export type KeptGroup = {
  readonly lookups: Buffer;
  readonly outcomes: Buffer;
  readonly sameUntil: string | null;
  /** The ids of its items, by their places. */
  readonly idAt: (at: number) => string;
};

export type Audit = {
  /** Evaluates a group and returns the verdicts on its items with findings. */
  readonly group: (group: ItemGroup) => readonly ItemVerdict[];
  /** Of the group that was evaluated last. Valid until the next one. */
  readonly record: () => GroupRecord;
  /** A group that has not changed since the previous audit. False: its items are needed; call `keptGroup` with them. */
  readonly keep: (group: KeptGroup) => boolean;
  readonly keptGroup: (group: ItemGroup) => readonly ItemVerdict[];
  /** After a group of the previous audit was replaced or removed. Throws `MarketChanged` if other groups depend on it. */
  readonly replaced: (lookups: Buffer) => void;
  readonly finish: () => AuditReport;
  /** How many items were kept, and what they lose. Complete after `finish`. */
  readonly kept: Pick<KeptItems, "items" | "missed">;
  readonly examples: () => Examples;
  /** The time from which time alone may change the verdicts so far; null: never. */
  readonly sameUntil: () => string | null;
};

const NO_VERDICTS: readonly ItemVerdict[] = [];

/** `examples` are those of the previous audit, if groups of it are kept. */
export function openAudit(context: AuditContext, examples: Examples = {}): Audit {
  const tables = new CatalogTables();
  const scope = catalogScope(context, tables);
  const counters = new AuditCounters();
  const kept = new KeptItems(counters, examples);
  const nextChange = new NextChange(scope.shop.now);
  nextChange.addSync(context, scope.shop);
  const { evaluate, outcomes } = evaluator({ settings: context.settings, scope, counters, nextChange });
  return {
    group: (group) => {
      tables.startLog();
      return evaluate(group);
    },
    record: () => ({
      lookups: tables.logBytes(),
      outcomes: outcomes(),
      sameUntil: nextChange.groupAt,
    }),
    keep: ({ lookups, outcomes: before, sameUntil, idAt }) => {
      if (!tables.repeat(lookups) || !kept.add(before, idAt)) return false;
      if (sameUntil !== null) nextChange.add(sameUntil);
      return true;
    },
    keptGroup: (group) => tables.withRepeated(() => evaluate(group)),
    replaced: (lookups) => tables.checkReplaced(lookups),
    finish: () => {
      kept.finish();
      return buildReport(counters, scope.shop, context.rejected);
    },
    kept,
    examples: () => counters.examples(),
    sameUntil: () => nextChange.at,
  };
}

type Evaluation = {
  readonly settings: CatalogSettings;
  readonly scope: AuditScope;
  readonly counters: AuditCounters;
  readonly nextChange: NextChange;
};

/** Evaluates groups; `outcomes` has those of the items of the last one. */
function evaluator({ settings, scope, counters, nextChange }: Evaluation) {
  const score = new ItemScore();
  let outcomes = new Uint8Array(OUTCOME_BYTES);
  let items = 0;

  /** Evaluates all rules for an item, into `score`, and counts the result. */
  function evaluateItem(item: Item): void {
    const ruleContext = scope.contextOf(item);
    const channels = channelOutcomes(item, ruleContext, { settings, scope });
    if (channels) score.set(channels);
    else score.evaluate(item, ruleContext);
    counters.add(score);
    nextChange.addItem(item);
    if (channels) for (const view of channels.views) nextChange.addItem(view);
    if (score.findingCount === 0) return;
    const messageAt = channels?.messageAt ?? ((at) => ITEM_RULES[at]?.message(item, ruleContext) ?? "");
    counters.addExamples(score, item.id, messageAt);
  }

  return {
    outcomes: () => outcomes.subarray(0, items * OUTCOME_BYTES),
    evaluate: (stored: ItemGroup): readonly ItemVerdict[] => {
      let verdicts: ItemVerdict[] | undefined;
      const group = groupWithDefaults(stored, settings);
      items = 0;
      nextChange.groupAt = null;
      if (outcomes.length < group.items.length * OUTCOME_BYTES)
        outcomes = new Uint8Array(group.items.length * OUTCOME_BYTES);
      scope.startGroup(group);
      for (const item of group.items) {
        evaluateItem(item);
        score.encode(outcomes, items++ * OUTCOME_BYTES);
        if (score.findingCount > 0) (verdicts ??= []).push(verdictOf(item.id, score));
      }
      return verdicts ?? NO_VERDICTS;
    },
  };
}

/** As the feeds will show the items. Most shops have no defaults. */
function groupWithDefaults(group: ItemGroup, settings: CatalogSettings): ItemGroup {
  if (settings.defaultBrand === undefined) return group;
  return { ...group, items: group.items.map((item) => withDefaults(item, settings)) };
}

function verdictOf(itemId: string, { stake, missed, blocked, spared, results }: ItemScore): ItemVerdict {
  const findings = [];
  for (const { rule, points, outcome } of results) {
    if (outcome >= 0 && outcome !== PASS) findings.push({ number: rule.number, points, earned: outcome });
  }
  const encoded = encodeVerdict({ stake, findings, ...(spared > 0 && { spared }) });
  return { itemId, score: shownScore(stake, missed, blocked), encoded };
}
