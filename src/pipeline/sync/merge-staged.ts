/**
 * Merges staging into the catalog, in the caller's transaction and under the lock of the items. Everything is checked
 * first.
 */
import { counted, formatCount, plural } from "../../lib/counted.ts";
import { type Rejection, type Warning, wholeSourceWarning } from "../../catalog/finding.ts";
import { AppError } from "../../errors.ts";
import type { Queries } from "../../store/db.ts";
import type { StoredId } from "../../store/items.ts";
import {
  claimOrphans,
  applyDifference,
  measureDifference,
  measureRemovals,
  prepareMerge,
  recordDifference,
  rejectForeign,
  rejectDuplicates,
} from "../../store/merge.ts";
import type { ForeignRow, ItemCounts, MergeScope, Rejected, StagedRow } from "../../store/merge.ts";
import { stageProductRemovals } from "../../store/row-hashes.ts";
import { type CatalogEffects, withEffects } from "../enrich/compute.ts";
import type { StagedCounts } from "../../store/staging.ts";
import { type KnownHashes, stageAroundKnown } from "./known-rows.ts";
import { balance, type Ledger, MAX_ISSUES } from "./ledger.ts";
import type { SyncStats } from "../../contract/syncs.ts";
import { allRejectedError, areExcused, rejectionSummary } from "./rejection-summary.ts";

/** Who may already have an id, in messages. */
export type IdOwners = { readonly same: string; readonly other: string };
export const SOURCE_ID_OWNERS: IdOwners = { same: "the file", other: "another source of this catalog" };
export const PUSH_ID_OWNERS: IdOwners = { same: "this push", other: "a source of this catalog" };

export type MergeOptions = {
  readonly scope: MergeScope;
  readonly before: ItemCounts;
  readonly staged: StagedCounts;
  readonly ledger: Ledger;
  readonly removals: number;
  readonly idOwners: IdOwners;
  readonly limit: CollapseLimit | null;
  /** Why the file may have been cut off, as a sentence: then nothing is removed. */
  readonly cutOff?: string | null;
  /** The rows that a sync of a source skipped, because they are those of its last read. */
  readonly known?: KnownHashes | undefined;
  /** What is done to the items of this catalog, if anything. */
  readonly effects?: CatalogEffects | undefined;
  /** Only some products of the source were read: their items are replaced, and all others stay. */
  readonly part?: MergedPart | undefined;
};

export type MergedPart = {
  readonly products: ReadonlySet<string>;
  /**
   * How many items the source had after its last complete read: many small losses since then must not add up to a
   * collapse.
   */
  readonly itemsAtFullRead: number;
};

export async function mergeStaged(tx: Queries, merging: MergeOptions): Promise<SyncStats> {
  const { ledger, idOwners, removals } = merging;
  const { scope, skipped, mayRepeat } = await prepare(tx, merging);
  const staged = await rejectRepeated(tx, merging, mayRepeat);
  const claimed = await claimOrphans(tx, scope, merging.before);
  const before = { ...merging.before, source: merging.before.source + claimed };
  if (before.catalog > before.source) {
    rejectAccepted(ledger, await rejectForeign(tx, scope, MAX_ISSUES), foreign(idOwners.other));
  }
  const difference = await measureDifference(tx, scope, { ...before, staged });
  const { fresh, changed, removed } = difference;
  const unchanged = difference.unchanged + skipped;
  if (skipped > 0) checkSkipped(before.source, changed + unchanged + removed);
  const notRead = merging.part === undefined ? 0 : before.source - changed - unchanged - removed;
  const lostBefore = Math.max(0, (merging.part?.itemsAtFullRead ?? 0) - before.source);
  refuseLoss(merging, { before: before.source + lostBefore, removed: removed + lostBefore, notRead });
  if (removals > 0) await countRemovals(tx, merging);
  if (ledger.seen === 0 && scope.mode === "replace")
    ledger.warn(wholeSourceWarning("empty_source", "The source has no items."));
  const stats = ledger.stats({ upserted: fresh + changed, unchanged, removed, notRead });
  balance(stats);
  const apply = async () => applyDifference(tx, scope, difference, before);
  await recordDifference(tx, scope, difference, await withEffects(tx, merging.effects, scope, apply));
  return stats;
}

/** Returns how many items are staged then; undefined if that has to be counted, because some rows are removals. */
async function rejectRepeated(
  tx: Queries,
  { ledger, idOwners, staged, removals }: MergeOptions,
  mayRepeat: boolean,
): Promise<number | undefined> {
  if (mayRepeat) {
    const duplicates = await rejectDuplicates(tx, MAX_ISSUES);
    rejectAccepted(ledger, duplicates, repeated(idOwners.same));
    return removals === 0 ? staged.rows - duplicates.count : undefined;
  }
  return removals === 0 ? staged.rows : undefined;
}

/**
 * With skipped rows, or of some products, staging has only the difference: it is completed, and merged like a patch.
 */
async function prepare(tx: Queries, { scope, known, before, part, staged }: MergeOptions) {
  const { catalogId, sourceId } = scope;
  const { mayRepeat } = staged;
  const counts = { catalog: before.catalog, staged: staged.rows };
  const hasSkipped = known !== undefined && known.seen > 0;
  if ((!hasSkipped && part === undefined) || sourceId === null) {
    await prepareMerge(tx, scope, counts);
    return { scope, skipped: 0, mayRepeat };
  }
  const patch: MergeScope = { ...scope, mode: "patch" };
  await prepareMerge(tx, patch, counts);
  if (!hasSkipped) {
    await stageProductRemovals(tx, { catalogId, sourceId }, [...(part?.products ?? [])]);
    return { scope: patch, skipped: 0, mayRepeat };
  }
  const around = await stageAroundKnown(tx, { catalogId, sourceId }, { known, itemCount: before.source });
  return { scope: patch, skipped: known.seen - around.repeated, mayRepeat: mayRepeat || around.repeated > 0 };
}

type Loss = { readonly before: number; readonly removed: number; readonly notRead: number };

function refuseLoss({ scope, ledger, limit, cutOff = null }: MergeOptions, loss: Loss): void {
  if (cutOff !== null && loss.removed > 0) throw cutOffError(cutOff, loss.removed, scope.sourceId === null);
  if (scope.sourceId !== null && loss.before === 0) refuseAllRejected(ledger);
  if (limit === null) return;
  // Items that were not read are as good as accepted.
  if (loss.notRead === 0) refuseNothingAccepted(limit, ledger, loss.removed);
  refuseCollapse(limit, loss, ledger);
}

export const SHORT_LAST_ROW = "The last row of the file has fewer cells than the header.";

function cutOffError(reason: string, removed: number, isPush: boolean): AppError {
  const items = counted(removed, "item");
  const beginning = `${reason} Together with ${items} that would be removed, this means that the file was probably cut off. Nothing was changed`;
  return isPush
    ? new AppError(
        "body_incomplete",
        `${beginning}; send the whole file. If the file is complete, push it again and allow the removal with a max_removed_ratio of 1.`,
      )
    : new AppError(
        "source_incomplete",
        `${beginning}; the next sync reads the file again. If the file is complete, sync once more and allow the removal with a max_removed_ratio of 1.`,
      );
}

/** Every item of the source was skipped, staged again or removed. */
function checkSkipped(expected: number, compared: number): void {
  if (compared === expected) return;
  throw new AppError(
    "ledger_mismatch",
    `The source has ${counted(expected, "item")}, but ${compared} ${plural(compared, "was", "were")} compared. Nothing was changed; the next sync compares all of them.`,
  );
}

/** A rejected deletion counts as seen and rejected; a deletion of an unknown item is a warning. */
async function countRemovals(tx: Queries, { scope, ledger, removals }: MergeOptions): Promise<void> {
  const { left, unknown } = await measureRemovals(tx, scope.catalogId, MAX_ISSUES);
  ledger.seen += removals - left;
  for (const row of unknown.sample) ledger.warn(nothingToRemove(row));
  ledger.countWarnings("nothing_to_remove", unknown.count - unknown.sample.length);
}

function nothingToRemove({ id, position }: StagedRow): Warning {
  const message = `There is no item "${id}" to delete.`;
  return { itemId: id, position, field: "id", code: "nothing_to_remove", message };
}

function rejectAccepted<Row extends StagedRow>(
  ledger: Ledger,
  { count, sample }: Rejected<Row>,
  message: (row: Row) => string,
): void {
  ledger.rejectAccepted(
    "duplicate_item_id",
    count,
    sample.map((row) => ({ itemId: row.id, position: row.position, field: "id", message: message(row) })),
  );
}

function repeated(same: string) {
  return ({ id }: Pick<StagedRow, "id">) =>
    `The id "${id}" is already used by an item of ${same}; ids must be unique in a catalog.`;
}

/** Who owns the id, and what to do. */
function foreign(other: string) {
  return ({ id, isPushed, isRemoval }: Omit<ForeignRow, "position">): string => {
    if (isPushed) {
      return `The id "${id}" belongs to a pushed item, which a source cannot replace. Delete it by a PATCH of the catalog, or omit it from the next PUT; then sync again.`;
    }
    return isRemoval
      ? `The item "${id}" belongs to ${other} and cannot be deleted by a push. Remove it in the source.`
      : `The id "${id}" is already used by an item of ${other}; ids must be unique in a catalog. Change one of the two ids.`;
  };
}

/** `fingerprint`: null for a removal. */
type DecidedRow = { readonly id: string; readonly position: number; readonly fingerprint: string | null };

type StagedRowContext = {
  readonly before: Pick<StoredId, "fingerprint" | "isForeign" | "isPushed"> | undefined;
  /** A row before this one has the same id. */
  readonly isRepeated: boolean;
  readonly idOwners: IdOwners;
};

type RowDecision =
  | { readonly kind: "added" | "changed" | "unchanged" | "deleted" }
  | { readonly kind: "rejected"; readonly rejection: Rejection }
  | { readonly kind: "nothing_to_remove"; readonly warning: Warning };

/** Decides about one row in memory as a merge of staged rows does. */
export function decideRow({ id, position, fingerprint }: DecidedRow, context: StagedRowContext): RowDecision {
  const { before } = context;
  const message = refusalOf(id, fingerprint === null, context);
  if (message !== null) {
    const rejection = { itemId: id, position, field: "id", code: "duplicate_item_id", message } as const;
    return { kind: "rejected", rejection };
  }
  if (fingerprint === null)
    return before
      ? { kind: "deleted" }
      : { kind: "nothing_to_remove", warning: nothingToRemove({ id, position }) };
  if (!before) return { kind: "added" };
  return { kind: before.fingerprint === fingerprint ? "unchanged" : "changed" };
}

/** An item of a source that is being removed, or was, can be taken over, but not deleted: only pushed items can. */
function refusalOf(
  id: string,
  isRemoval: boolean,
  { before, isRepeated, idOwners }: StagedRowContext,
): string | null {
  if (isRepeated) return repeated(idOwners.same)({ id });
  if (!before || !(before.isForeign || (isRemoval && !before.isPushed))) return null;
  return foreign(idOwners.other)({ id, isPushed: before.isPushed, isRemoval });
}

export type CollapseLimit = {
  readonly maxRemovedRatio: number;
  /** For the message: what would remove items, and whose: `This pull`, `the source's`. */
  readonly action: string;
  readonly owner: string;
  /** What to do if the removal is intended. */
  readonly advice: string;
  /** What to do if every item was rejected. */
  readonly repair: string;
};

/** No limit for owners with fewer items than this. */
const COLLAPSE_MIN_ITEMS = 25;

function refuseCollapse(
  { maxRemovedRatio, action, owner, advice }: CollapseLimit,
  { before, removed }: Loss,
  ledger: Ledger,
): void {
  if (before < COLLAPSE_MIN_ITEMS || removed <= before * maxRemovedRatio) return;
  const why =
    ledger.rejected === 0
      ? ""
      : ` Of ${formatCount(ledger.seen)} ${plural(ledger.seen, "item")} ${formatCount(ledger.rejected)} ${plural(ledger.rejected, "was", "were")} rejected: ${rejectionSummary(ledger.stats())}`;
  throw new AppError(
    "catalog_collapsed",
    `${action} would remove ${removed} of ${owner} ${counted(before, "item")}, more than the limit of ${Math.round(maxRemovedRatio * 100)} %.${why} Nothing was changed. ${advice}`,
  );
}

/**
 * Rejected items are removed like items that were not sent. If all items were rejected, the data or the settings are
 * wrong: nothing is removed, however few items there are and whatever share may be removed. A limit of 1 says that the
 * shop really shrank, not that its data cannot be read. It counts where the shop itself keeps all items out.
 */
function refuseNothingAccepted(
  { maxRemovedRatio, advice, repair }: CollapseLimit,
  ledger: Ledger,
  removed: number,
): void {
  if (ledger.accepted > 0 || ledger.rejected === 0 || removed === 0) return;
  const stats = ledger.stats();
  const isIntended = areExcused(stats);
  if (isIntended && maxRemovedRatio >= 1) return;
  const [first] = stats.rejections;
  const because = `because: ${first?.message ?? "it could not be read."}`;
  const who =
    ledger.rejected === 1
      ? `The only item was rejected, ${because}`
      : `All ${ledger.rejected} items were rejected, the first ${because} The reasons: ${rejectionSummary(stats)}`;
  throw isIntended
    ? new AppError("catalog_collapsed", `${who} Nothing was changed. ${advice}`)
    : new AppError("source_all_rejected", `${who} Nothing was changed. ${repair}`);
}

/**
 * The first sync of a source, with every item rejected, fails: empty feeds would look like success. A shop that has
 * only drafts is read correctly: the sync succeeds with a warning.
 */
function refuseAllRejected(ledger: Ledger): void {
  if (ledger.accepted > 0 || ledger.rejected === 0) return;
  const stats = ledger.stats();
  const failure = allRejectedError(stats, ADVICE);
  if (failure) throw failure;
  const { unpublished = 0 } = stats.rejection_codes;
  if (unpublished === 0) return;
  const all = unpublished === 1 ? "its only item" : `all ${formatCount(unpublished)} items`;
  const message = `The shop marks ${all} as draft, archived or hidden, so the feeds have none of them. Publish one in the shop; the next sync adds it.`;
  ledger.warn(wholeSourceWarning("nothing_published", message));
}

const ADVICE =
  "Correct the source's data or settings, or the catalog's (currency, store URL), and sync again; shelfwire source test shows how the first rows are read.";
