/**
 * The audit of a catalog, in the same pass as the render: group by group, in catalog order, in constant memory. The
 * same catalog, settings and time give the same report and verdicts on any machine. Items without findings have no
 * verdict.
 */
import { withDefaults } from "../catalog/defaults.ts";
import type { ItemGroup, Item } from "../catalog/item.ts";
import { comparePlaces } from "../lib/first-few.ts";
import type { CatalogSettings } from "../catalog/settings.ts";
import { expiryInFile } from "../channels/google/composite-values.ts";
import { type AuditContext, DAY_MS, EXPIRY_DAYS, type AuditedShop, YEAR_DAYS } from "./audit-context.ts";
import { type AuditScope, catalogScope } from "./audit-scope.ts";
import { channelOutcomes } from "./channel-views.ts";
import { buildReport } from "./build-report.ts";
import { CatalogTables } from "./catalog-tables.ts";
import { AuditCounters, type RuleExamples, type NewExample } from "./counters.ts";
import { MAX_SHARED_KEYS } from "./key-tables.ts";
import { ItemScore, OUTCOME_BYTES } from "./item-score.ts";
import { PASS } from "./outcome.ts";
import { OutcomeCounts } from "./outcome-counts.ts";
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
  addSync({ freshness }: AuditContext, { sync }: AuditedShop): void {
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

/** The record of a group in the previous audit. */
export type EarlierGroup = {
  readonly place: string;
  readonly lookups: Buffer;
  readonly outcomes: Buffer;
};

/** What an audit leaves for the next one, so that it visits only what has changed. */
export type AuditState = {
  readonly examples: RuleExamples;
  /** How many items have which outcomes; null if there are too many combinations. */
  readonly outcomes: Buffer | null;
  /** How many keys each table of lookups has, or a little more. */
  readonly tableKeys: readonly number[];
};

export type PreviousAudit = Omit<AuditState, "outcomes"> & {
  readonly outcomes: Buffer;
  /** The lookups of groups that changed; null: so many that all lookups are repeated. */
  readonly affected: ReadonlySet<string> | null;
};

export type Auditor = {
  /** Evaluates a group and returns the verdicts on its items with findings. */
  readonly group: (group: ItemGroup) => readonly ItemVerdict[];
  /** The same for a group that looks up what it looked up in the previous audit. */
  readonly groupLike: (group: ItemGroup, lookups: Buffer) => readonly ItemVerdict[];
  /** The record of the group that was evaluated last. Valid until the next one. */
  readonly record: () => GroupRecord;
  /** A group that has not changed since the previous audit. False: its items are needed; call `keptGroup` with them. */
  readonly keep: (lookups: Buffer) => boolean;
  readonly keptGroup: (group: ItemGroup, earlier: EarlierGroup) => readonly ItemVerdict[];
  /** After a group of the previous audit was replaced or removed. Throws `MarketChanged` if other groups depend on it. */
  readonly replaced: (earlier: EarlierGroup) => void;
  /**
   * The place from which on kept groups may be needed as examples, because items that were examples have changed; undefined: none.
   * `end`: up to where kept groups were visited.
   */
  readonly examplesFrom: (end?: string) => string | undefined;
  /** Whether a kept group, visited in feed order, is needed as an example: call `exampleGroup` with its items. */
  readonly needsExample: (earlier: EarlierGroup) => boolean;
  readonly exampleGroup: (group: ItemGroup, earlier: EarlierGroup) => void;
  readonly finish: () => AuditReport;
  /** How many items were kept, and what they lose. Complete after `finish`. */
  readonly kept: Pick<OutcomeCounts, "items" | "missed">;
  /** Complete after `finish`. */
  readonly state: () => AuditState;
  /** The time from which time alone may change the verdicts that were evaluated; null: never. */
  readonly sameUntil: () => string | null;
};

const NO_VERDICTS: readonly ItemVerdict[] = [];

/** The place of a group in feed order: an item without a group comes after the group of the same name. */
export const placeOf = ({ groupId, items }: ItemGroup): string => groupId ?? `${items[0]?.id ?? ""}\0`;

/** Whether so few lookups are affected that no table would be full in a complete audit. */
export const canRestrict = ({ tableKeys }: Pick<AuditState, "tableKeys">, affected: number): boolean =>
  tableKeys.every((keys) => keys + affected < MAX_SHARED_KEYS);

/** With `previous`, only what has changed since then is visited. */
export function openAudit(context: AuditContext, previous?: PreviousAudit): Auditor {
  const tables = new CatalogTables(previous?.affected ?? null);
  const scope = catalogScope(context, tables);
  const counters = new AuditCounters(previous?.examples);
  const kept = new OutcomeCounts(counters, previous?.outcomes);
  const fresh = new OutcomeCounts(counters);
  const nextChange = new NextChange(scope.shop.now);
  nextChange.addSync(context, scope.shop);
  const { evaluate, outcomes } = evaluator({ settings: context.settings, scope, counters, nextChange });
  const counted = (group: ItemGroup): readonly ItemVerdict[] => {
    const verdicts = evaluate(group);
    fresh.add(outcomes());
    return verdicts;
  };
  return {
    group: (group) => {
      tables.startLog();
      return counted(group);
    },
    record: () => ({
      lookups: tables.logBytes(),
      outcomes: outcomes(),
      sameUntil: nextChange.groupAt,
    }),
    ...keptGroups(tables, counted, ({ place, outcomes: before }) => {
      kept.add(before, -1);
      counters.dropExamples(place);
    }),
    ...exampleSearch(counters, tables, evaluate),
    finish: () => {
      kept.finish();
      fresh.finish();
      return buildReport(counters, scope.shop, context.rejected);
    },
    kept,
    state: () => ({
      examples: counters.examples(),
      outcomes: kept.encodeWith(fresh),
      tableKeys: tables.keyCounts.map(
        (keys, at) => keys + (previous?.affected ? (previous.tableKeys[at] ?? 0) : 0),
      ),
    }),
    sameUntil: () => nextChange.at,
  };
}

/** What is done with groups of the previous audit. `replace` takes a group out of the counts. */
function keptGroups(
  tables: CatalogTables,
  counted: Auditor["group"],
  replace: (earlier: EarlierGroup) => void,
): Pick<Auditor, "groupLike" | "keep" | "keptGroup" | "replaced"> {
  return {
    groupLike: (group, lookups) => {
      tables.repeatLookups(lookups);
      return tables.withRepeated(() => counted(group));
    },
    keep: (lookups) => tables.repeat(lookups),
    keptGroup: (group, earlier) => {
      replace(earlier);
      return tables.withRepeated(() => counted(group));
    },
    replaced: (earlier) => {
      replace(earlier);
      tables.checkReplaced(earlier.lookups);
    },
  };
}

/** Finds kept items that take the places of examples that have changed. */
function exampleSearch(
  counters: AuditCounters,
  tables: CatalogTables,
  evaluate: ReturnType<typeof evaluator>["evaluate"],
): Pick<Auditor, "examplesFrom" | "needsExample" | "exampleGroup"> {
  const score = new ItemScore();
  /** Whether the examples of a rule are incomplete up to this place, so that a kept item at this place is one of them. */
  const isMissing = (place: string, at: number): boolean => {
    const from = counters.rules[at]?.examples.missingFrom(place);
    return from !== undefined && comparePlaces(place, from) >= 0;
  };
  return {
    examplesFrom: (end) =>
      counters.rules
        .flatMap(({ examples }) => examples.missingFrom(end) ?? [])
        .toSorted(comparePlaces)
        .at(0),
    needsExample: ({ place, outcomes: before }) => {
      for (let at = 0; at < before.length; at += OUTCOME_BYTES) {
        score.load(before.subarray(at, at + OUTCOME_BYTES));
        const found = score.notPassed.subarray(0, score.notPassedCount);
        if (found.some((rule) => (score.results[rule]?.outcome ?? -1) >= 0 && isMissing(place, rule)))
          return true;
      }
      return false;
    },
    exampleGroup: (group, { place, lookups }) => {
      for (const [at, { examples }] of counters.rules.entries())
        if (isMissing(place, at)) examples.refill(place);
      tables.recall(lookups);
      tables.withRepeated(() => evaluate(group, (at) => isMissing(place, at)));
    },
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
  let outcomes = Buffer.alloc(OUTCOME_BYTES);
  let items = 0;

  /** Evaluates all rules for an item, into `score`. */
  function evaluateItem(item: Item, examples: Pick<NewExample, "place" | "isWanted">): void {
    const ruleContext = scope.contextOf(item);
    const channels = channelOutcomes(item, ruleContext, { settings, scope });
    if (channels) score.set(channels);
    else score.evaluate(item, ruleContext);
    nextChange.addItem(item);
    if (channels) for (const view of channels.views) nextChange.addItem(view);
    if (score.findingCount === 0) return;
    const messageAt = channels?.messageAt ?? ((at) => ITEM_RULES[at]?.message(item, ruleContext) ?? "");
    counters.addExamples(score, { ...examples, itemId: item.id, messageAt });
  }

  return {
    outcomes: () => outcomes.subarray(0, items * OUTCOME_BYTES),
    /** `isWanted` limits the rules that get examples. */
    evaluate: (stored: ItemGroup, isWanted?: (at: number) => boolean): readonly ItemVerdict[] => {
      const place = placeOf(stored);
      let verdicts: ItemVerdict[] | undefined;
      const group = groupWithDefaults(stored, settings);
      items = 0;
      nextChange.groupAt = null;
      if (outcomes.length < group.items.length * OUTCOME_BYTES)
        outcomes = Buffer.alloc(group.items.length * OUTCOME_BYTES);
      scope.startGroup(group);
      for (const item of group.items) {
        evaluateItem(item, { place, isWanted });
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
