/**
 * Why something differs between the files of two renders. Pure: the indexes say whether the source's item, what rules
 * and approved values make of it, or neither has changed; the rest follows from what happened between the two renders.
 * Each difference has exactly one cause, and it is named only if nothing else that happened can have changed that
 * column of the item: otherwise it is `unknown`. Settings and the program can have changed every column. An item that
 * is the same can also show time or another item of its group; so can an item for which rules count days or compare
 * variants.
 */
import type { Cause, CauseKind } from "../../../contract/comparisons.ts";
import type { ChangingRun } from "../../../store/render-facts.ts";
import { MAX_PART } from "../../render/item-groups.ts";
import { type GroupEntry, isSameFingerprint } from "../../render/render-index.ts";
import type { FileChange, ItemDifference } from "./compare-files.ts";
import type { CausingDecision } from "./decisions.ts";
import { canShow } from "./field-columns.ts";
import { EXCLUDED } from "./rule-changes.ts";

/** A version of the rules, and the fields that it can have changed. */
export type RulesVersionChange = { readonly version: number; readonly fields: ReadonlySet<string> };

/** What happened between the two renders. */
export type BetweenFacts = {
  /** When the later one was made. */
  readonly until: string;
  /** Whether the first of the two is the later one. */
  readonly isReversed: boolean;
  /** Syncs, pushes and removals that changed items, the newest first. */
  readonly runs: readonly ChangingRun[];
  /** If not, a run that is not in the list may have changed an item. */
  readonly areRunsComplete: boolean;
  readonly ruleChanges: readonly RulesVersionChange[];
  /** The fields that changes of category mappings can have changed; null if there were none. */
  readonly mappedFields: ReadonlySet<string> | null;
  /** What rules set by counting days; empty if both renders were made on the same day. */
  readonly dayFields: ReadonlySet<string>;
  /** What rules set by comparing the variants of a product, as sources have them. */
  readonly variantFields: ReadonlySet<string>;
  /** The same rules were applied again: settings or sources had changed. */
  readonly isRepeated: boolean;
  /** Decisions were undone after the later render, and nothing says about which items they were. */
  readonly hasUndone: boolean;
  readonly changedSettings: readonly string[];
  readonly isOtherRenderer: boolean;
};

/** What the database knows about an item that differs. */
export type ItemKnowledge = {
  /** Null: pushed. Undefined: it is not known any more. */
  readonly sourceId?: string | null | undefined;
  /** Decisions about its proposed values between the renders. */
  readonly decisions: readonly CausingDecision[];
};

const NOTHING_KNOWN: ItemKnowledge = { decisions: [] };

/** What has changed about an item: the source's values, what rules and approved values make of them, or nothing. */
export type OwnChange = "source" | "effects" | null;

export function ownChange({ compared: { before, after } }: ItemDifference): OwnChange {
  if (!before || !after) return "source";
  return changeAt(before.entry, before.at, after.entry, after.at);
}

function changeAt(before: GroupEntry, at: number, after: GroupEntry, afterAt: number): OwnChange {
  if (isSameFingerprint(before.fingerprints, at, after.fingerprints, afterAt)) return null;
  return isSameFingerprint(before.sources, at, after.sources, afterAt) ? "effects" : "source";
}

/** Columns that show the price of now, or whether the item can be bought now. */
const OFFER_COLUMN = /(^|[._])(price|sale|availability|offers)/;

export class CauseFinder {
  private readonly facts: BetweenFacts;
  /** The groups that were looked at last, and the first item of them that changed. */
  private pair: ChangedPair | undefined;

  constructor(facts: BetweenFacts) {
    this.facts = facts;
  }

  /** The causes of the changes, in their order. `known` is by item. */
  causesOf(difference: ItemDifference, known: ReadonlyMap<string, ItemKnowledge>): readonly Cause[] {
    const own = ownChange(difference);
    const item = known.get(difference.id) ?? NOTHING_KNOWN;
    const source = own === "source" ? this.sourceCause(difference, item) : undefined;
    return difference.changes.map((change) => {
      if (own === null) return this.causeOfSame(difference, change, known);
      if (difference.change !== "changed") return { kind: "source", ...source };
      const isCompared = [...this.facts.variantFields].some((field) => canChange(field, change));
      if (!isCompared) return this.effectCause(change, item, source);
      // Another variant may have been changed by another run.
      if (source)
        return this.effectCause(change, item, this.facts.runs.length > 1 ? { kind: "source" } : source);
      return this.effectCause(change, item, this.variantCause(difference));
    });
  }

  /** The change of another variant in its source, which rules compare the item with. */
  private variantCause({ compared: { before, after } }: ItemDifference): Cause | undefined {
    const variant = before && after && this.changedSibling(before.entry, after.entry, "source");
    if (!variant) return undefined;
    const { id, presence: change } = variant;
    return { ...this.sourceCause({ id, change }, NOTHING_KNOWN), item_id: id };
  }

  private sourceCause(
    { id, change }: Pick<ItemDifference, "id" | "change">,
    { sourceId }: ItemKnowledge,
  ): Cause {
    const isGone = (change === "removed") !== this.facts.isReversed && change !== "changed";
    const possible = this.facts.runs.filter(
      (run) =>
        (isGone ? run.removed : run.upserted) > 0 &&
        (sourceId === undefined || run.sourceId === sourceId) &&
        (run.itemIds === null || run.itemIds.includes(id)),
    );
    const [only, ...others] = possible;
    const isKnown = only && others.length === 0 && this.facts.areRunsComplete;
    return { kind: "source", ...(isKnown && { run_id: only.id }) };
  }

  /**
   * The item differs. What can have changed this column: the source if its item or a variant that it is compared with
   * differs, rules, category mappings and decisions about fields that the column can show, and another day if rules
   * count days. A decision is also proven by its value in the column: values are applied last.
   */
  private effectCause(change: FileChange, known: ItemKnowledge, source?: Cause): Cause {
    const decisions = known.decisions.filter(({ field }) => canChange(field, change));
    const shown = decisions.find(({ value, isCertain }) => isCertain && showsValue(change, value));
    if (shown) return { kind: "overlay", proposal_id: shown.id };
    const possible = [
      ...(source ? [source] : []),
      ...overlayCauses(decisions),
      ...this.ruleCauses((fields) => fields.some((field) => canChange(field, change))),
      ...([...this.facts.dayFields].some((field) => canChange(field, change)) ? [CLOCK] : []),
    ];
    if (possible.length === 0) return this.remainingCause(known);
    return onlyOne([...possible, ...this.generalCauses()]);
  }

  /**
   * No column of the item is known to show what has changed, so that only what is the only thing that happened can be
   * named.
   */
  private remainingCause({ decisions }: ItemKnowledge): Cause {
    const { changedSettings, isRepeated } = this.facts;
    const isUnexplained = isRepeated && changedSettings.length === 0;
    return onlyOne([
      ...overlayCauses(decisions),
      ...this.ruleCauses(() => true),
      ...this.generalCauses(),
      ...(isUnexplained ? [UNKNOWN] : []),
    ]);
  }

  /** Rules and category mappings that can have changed one of the wanted fields. */
  private ruleCauses(isWanted: (fields: readonly string[]) => boolean): Cause[] {
    const { ruleChanges, mappedFields } = this.facts;
    const versions = ruleChanges.filter(({ fields }) => isWanted([...fields]));
    const [only] = versions;
    return [
      ...(only ? [{ kind: "rule", ...(versions.length === 1 && { version: only.version }) } as const] : []),
      ...(mappedFields && isWanted([...mappedFields]) ? [{ kind: "category_mapping" } as const] : []),
    ];
  }

  /** The item is the same, and the file shows it differently. */
  private causeOfSame(
    { compared: { before, after } }: ItemDifference,
    change: FileChange,
    known: ReadonlyMap<string, ItemKnowledge>,
  ): Cause {
    if (!before || !after) return { kind: "source" };
    const isDue = this.isDue(this.facts.isReversed ? after.entry : before.entry);
    if (isDue && OFFER_COLUMN.test(change.field ?? "")) return { kind: "clock" };
    const ofGroup = this.groupCauses([before.entry, after.entry], change, known);
    const possible = [...this.generalCauses(), ...ofGroup];
    // Time can also decide whether a file has the item.
    if (isDue && (change.field === null || possible.length === 0)) possible.push({ kind: "clock" });
    return onlyOne(possible);
  }

  /** Whether time alone has changed a group of the earlier render. */
  private isDue({ staleAt }: GroupEntry): boolean {
    return staleAt !== null && staleAt <= this.facts.until;
  }

  /** What concerns all items. */
  private generalCauses(): Cause[] {
    const { changedSettings, isOtherRenderer } = this.facts;
    return [
      ...(changedSettings.length > 0 ? [{ kind: "settings" } as const] : []),
      ...(isOtherRenderer ? [{ kind: "channel_table" } as const] : []),
    ];
  }

  private groupCauses(
    [before, after]: readonly [GroupEntry, GroupEntry],
    change: FileChange,
    known: ReadonlyMap<string, ItemKnowledge>,
  ): readonly Cause[] {
    const sibling = this.changedSibling(before, after);
    if (sibling) return [this.siblingCause(sibling, change, known.get(sibling.id) ?? NOTHING_KNOWN)];
    // Whether there is another part of a group decides how a part of it is written.
    const isSplit = Math.max(before.ids.length, after.ids.length) === MAX_PART;
    return isSplit ? [{ kind: "source" }] : [];
  }

  private siblingCause({ id, own, presence }: Sibling, change: FileChange, known: ItemKnowledge): Cause {
    const source = own === "source" ? this.sourceCause({ id, change: presence }, NOTHING_KNOWN) : undefined;
    return { ...this.effectCause(change, known, source), item_id: id };
  }

  /** The other item of the group that changed, if the item itself is the same. */
  siblingOf({ compared: { before, after } }: ItemDifference): Sibling | null {
    const isSame = before && after && changeAt(before.entry, before.at, after.entry, after.at) === null;
    return isSame ? this.changedSibling(before.entry, after.entry) : null;
  }

  private changedSibling(before: GroupEntry, after: GroupEntry, own?: "source"): Sibling | null {
    if (this.pair?.before !== before || this.pair.after !== after)
      this.pair = {
        before,
        after,
        any: findChanged(before, after, () => true),
        source: findChanged(before, after, (change) => change === "source"),
      };
    return this.pair[own ?? "any"];
  }
}

const UNKNOWN: Cause = { kind: "unknown" };
const CLOCK: Cause = { kind: "clock" };

/** The cause, if no other one is possible. */
function onlyOne([first, ...others]: readonly Cause[]): Cause {
  return first && others.length === 0 ? first : UNKNOWN;
}

/** Whether a field can have changed a column, or whether the file has the item. */
function canChange(field: string, { file, field: column, leftOut }: FileChange): boolean {
  if (leftOut?.code === "excluded_by_rule") return field === EXCLUDED;
  return canShow(field, file, column ?? leftOut?.field ?? null);
}

/** Whether a value is what the column shows in one of the renders. */
const showsValue = ({ before, after }: FileChange, value: string): boolean =>
  before === value || after === value;

function overlayCauses(decisions: readonly CausingDecision[]): Cause[] {
  const [only] = decisions;
  if (!only) return [];
  return [{ kind: "overlay", ...(decisions.length === 1 && { proposal_id: only.id }) }];
}

type Sibling = {
  readonly id: string;
  readonly own: Exclude<OwnChange, null>;
  readonly presence: ItemDifference["change"];
};

type ChangedPair = {
  readonly before: GroupEntry;
  readonly after: GroupEntry;
  readonly any: Sibling | null;
  /** The first one whose source changed. */
  readonly source: Sibling | null;
};

/**
 * The first item that only one of the groups has, or that has changed as wanted. Ids are in the order of their bytes.
 */
function findChanged(
  before: GroupEntry,
  after: GroupEntry,
  isWanted: (own: Exclude<OwnChange, null>) => boolean,
): Sibling | null {
  for (let at = 0; at < Math.max(before.ids.length, after.ids.length); at++) {
    const [was, is] = [before.ids[at], after.ids[at]];
    const isSame = was && is?.equals(was) === true;
    const own = isSame ? changeAt(before, at, after, at) : "source";
    const [first] = [was, is].filter((id) => id !== undefined).toSorted((a, b) => Buffer.compare(a, b));
    const presence = isSame ? "changed" : first === was ? "removed" : "added";
    if (own && first && isWanted(own)) return { id: first.toString(), own, presence };
  }
  return null;
}

export const NO_CAUSES: Readonly<Record<CauseKind, number>> = {
  source: 0,
  overlay: 0,
  rule: 0,
  category_mapping: 0,
  settings: 0,
  channel_table: 0,
  clock: 0,
  unknown: 0,
};
