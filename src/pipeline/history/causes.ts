/**
 * Why something differs between the files of two renders. Pure: the indexes say whether the source's item, what rules and
 * approved values make of it, or neither has changed; the rest follows from what happened between the two renders. Each
 * difference has exactly one cause. Where several are possible, the first of this order is given: an approved value of that
 * column, the source, rules; for an item that is the same: time if the column shows the offer, settings, the program, another
 * item of the group, time.
 */
import type { Cause, CauseKind } from "../../contract/comparisons.ts";
import type { ChangingRun, Decision } from "../../store/render-facts.ts";
import { MAX_PART } from "../render/item-groups.ts";
import { type GroupEntry, isSameFingerprint } from "../render/render-index.ts";
import type { FileChange, ItemDifference } from "./compare-files.ts";

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
  readonly ruleVersions: readonly number[];
  /** Rules or category mappings. */
  readonly haveRulesChanged: boolean;
  readonly haveMappingsChanged: boolean;
  readonly changedSettings: readonly string[];
  readonly isOtherRenderer: boolean;
};

/** What the database knows about an item that differs. */
export type ItemKnowledge = {
  /** Null: pushed. Undefined: it is no longer in the catalog. */
  readonly sourceId?: string | null | undefined;
  /** Decisions about its proposed values since the earlier render. */
  readonly decisions: readonly Decision[];
  /** The columns that show a decided field, as `columnKey`; only if it matters. */
  readonly columns: ReadonlyMap<string, Decision>;
};

export const NOTHING_KNOWN: ItemKnowledge = { decisions: [], columns: new Map() };

export const columnKey = (file: string, column: string): string => `${file} ${column}`;

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
const CATEGORY_COLUMN = /category/;

export class CauseFinder {
  private readonly facts: BetweenFacts;
  /** The groups that were looked at last, and the item of them that changed. */
  private pair: { before: GroupEntry; after: GroupEntry; sibling: Sibling | null } | undefined;

  constructor(facts: BetweenFacts) {
    this.facts = facts;
  }

  /** The causes of the changes, in their order. */
  causesOf(difference: ItemDifference, known: ItemKnowledge): readonly Cause[] {
    const own = ownChange(difference);
    const source = own === "source" ? this.sourceCause(difference.change, known) : undefined;
    return difference.changes.map((change) => {
      if (own === null) return this.causeOfSame(difference, change);
      const decision =
        change.field === null ? undefined : known.columns.get(columnKey(change.file, change.field));
      if (decision) return { kind: "overlay", proposal_id: decision.id };
      return source ?? this.effectCause(change, known);
    });
  }

  private sourceCause(change: ItemDifference["change"], { sourceId }: ItemKnowledge): Cause {
    const isGone = (change === "removed") !== this.facts.isReversed && change !== "changed";
    const possible = this.facts.runs.filter(
      (run) =>
        (isGone ? run.removed : run.upserted) > 0 && (sourceId === undefined || run.sourceId === sourceId),
    );
    const [only, ...others] = possible;
    const isKnown = only && others.length === 0 && this.facts.areRunsComplete;
    return { kind: "source", ...(isKnown && { run_id: only.id }) };
  }

  /** The source has the same item; rules, a category mapping or an approved value made another of it. */
  private effectCause(change: FileChange, { decisions }: ItemKnowledge): Cause {
    if (this.facts.haveRulesChanged) return this.ruleCause(change);
    const [only] = decisions;
    return { kind: "overlay", ...(decisions.length === 1 && only && { proposal_id: only.id }) };
  }

  private ruleCause({ field }: FileChange): Cause {
    const { ruleVersions, haveMappingsChanged } = this.facts;
    const isCategory = field !== null && CATEGORY_COLUMN.test(field);
    if (ruleVersions.length === 0 || (haveMappingsChanged && isCategory)) return { kind: "category_mapping" };
    const [only] = ruleVersions;
    return { kind: "rule", ...(ruleVersions.length === 1 && only !== undefined && { version: only }) };
  }

  /** The item is the same, and the file shows it differently. */
  private causeOfSame({ compared: { before, after } }: ItemDifference, change: FileChange): Cause {
    if (!before || !after) return { kind: "source" };
    const isDue = this.isDue(this.facts.isReversed ? after.entry : before.entry);
    if (isDue && OFFER_COLUMN.test(change.field ?? "")) return { kind: "clock" };
    const general = this.generalCause() ?? this.groupCause(before.entry, after.entry, change);
    return general ?? { kind: isDue ? "clock" : "channel_table" };
  }

  /** Whether time alone has changed a group of the earlier render. */
  private isDue({ staleAt }: GroupEntry): boolean {
    return staleAt !== null && staleAt <= this.facts.until;
  }

  /** What concerns all items. */
  private generalCause(): Cause | undefined {
    if (this.facts.changedSettings.length > 0) return { kind: "settings" };
    return this.facts.isOtherRenderer ? { kind: "channel_table" } : undefined;
  }

  private groupCause(before: GroupEntry, after: GroupEntry, change: FileChange): Cause | undefined {
    const sibling = this.changedSibling(before, after);
    if (sibling) return this.siblingCause(sibling, change);
    // Whether there is another part of a group decides how a part of it is written.
    const isSplit = Math.max(before.ids.length, after.ids.length) === MAX_PART;
    return isSplit ? { kind: "source" } : undefined;
  }

  private siblingCause({ id, own }: Sibling, change: FileChange): Cause {
    const cause =
      own === "source" ? this.sourceCause("changed", NOTHING_KNOWN) : this.effectCause(change, NOTHING_KNOWN);
    return { ...cause, item_id: id };
  }

  private changedSibling(before: GroupEntry, after: GroupEntry): Sibling | null {
    if (this.pair?.before !== before || this.pair.after !== after)
      this.pair = { before, after, sibling: findChanged(before, after) };
    return this.pair.sibling;
  }
}

type Sibling = { readonly id: string; readonly own: Exclude<OwnChange, null> };

/** The first item that only one of the groups has, or that has changed. Ids are in the order of their bytes. */
function findChanged(before: GroupEntry, after: GroupEntry): Sibling | null {
  for (let at = 0; at < Math.max(before.ids.length, after.ids.length); at++) {
    const [was, is] = [before.ids[at], after.ids[at]];
    const isSame = was && is?.equals(was) === true;
    const own = isSame ? changeAt(before, at, after, at) : "source";
    const [first] = [was, is].filter((id) => id !== undefined).toSorted((a, b) => Buffer.compare(a, b));
    if (own && first) return { id: first.toString(), own };
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
};
