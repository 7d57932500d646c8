/**
 * Staging becomes the catalog, in the caller's transaction and under the catalog's lock: duplicates are refused, the
 * difference is counted, the limit on removals and the ledger are checked, and only then is anything written.
 */
import { counted, plural } from "../../lib/counted.ts";
import { AppError } from "../../errors.ts";
import type { Queries } from "../../store/db.ts";
import {
  adoptLeftBehind,
  applyDifference,
  measureDifference,
  measureRemovals,
  readyToMerge,
  refuseForeign,
  refuseRepeated,
} from "../../store/merge.ts";
import type { ForeignRow, MergeScope, Refused, StagedRow } from "../../store/merge.ts";
import { balance, MAX_REJECTIONS } from "./ledger.ts";
import type { SyncStats } from "../../contract/syncs.ts";
import type { Ledger } from "./ledger.ts";
import { allRejectedError, formatCount, rejectionSummary } from "./rejection-summary.ts";

export type Merging = {
  readonly scope: MergeScope;
  /** How many items there were: in the catalog, and of this owner. */
  readonly had: { readonly catalog: number; readonly source: number };
  readonly ledger: Ledger;
  /** How many removals by name were staged. */
  readonly removals: number;
  /** Who else may have taken an id, in words: the same file, another source. */
  readonly takers: { readonly same: string; readonly other: string };
  readonly limit: CollapseLimit | null;
};

export async function mergeStaged(tx: Queries, merging: Merging): Promise<SyncStats> {
  const { scope, ledger, takers, limit } = merging;
  await readyToMerge(tx, scope);
  withdraw(ledger, await refuseRepeated(tx, MAX_REJECTIONS), repeated(takers.same));
  const adopted = await adoptLeftBehind(tx, scope);
  const had = { ...merging.had, source: merging.had.source + adopted };
  if (had.catalog > had.source) {
    withdraw(ledger, await refuseForeign(tx, scope, MAX_REJECTIONS), foreign(takers.other));
  }
  const difference = await measureDifference(tx, scope, had);
  const { fresh, changed, unchanged, removed } = difference;
  if (scope.sourceId !== null && had.source === 0) refuseAllRejected(ledger);
  if (limit) {
    refuseNothingAccepted(limit, ledger, removed);
    refuseCollapse(limit, { had: had.source, removed }, ledger);
  }
  if (merging.removals > 0) await countRemovals(tx, merging);
  if (ledger.seen === 0 && scope.unnamed === "removed") ledger.warn(EMPTY);
  const stats = ledger.stats({ upserted: fresh + changed, unchanged, removed });
  balance(stats);
  await applyDifference(tx, scope, difference);
  return stats;
}

const EMPTY = {
  itemId: null,
  position: null,
  field: null,
  code: "empty_source",
  message: "The source has no items.",
} as const;

/** A removal that was refused has been seen and rejected; one of an item that is not there is only odd. */
async function countRemovals(tx: Queries, { scope, ledger, removals }: Merging): Promise<void> {
  const { left, unknown } = await measureRemovals(tx, scope.catalogId, MAX_REJECTIONS);
  ledger.seen += removals - left;
  for (let i = 0; i < unknown.count; i += 1) {
    const { position = 0, id = "" } = unknown.sample[Math.min(i, unknown.sample.length - 1)] ?? {};
    const message = `There is no item "${id}" to delete.`;
    ledger.warn({ itemId: id, position, field: "id", code: "nothing_to_remove", message });
  }
}

function withdraw<Row extends StagedRow>(
  ledger: Ledger,
  { count, sample }: Refused<Row>,
  say: (row: Row) => string,
): void {
  ledger.withdraw(
    "duplicate_item_id",
    count,
    sample.map((row) => ({ itemId: row.id, position: row.position, field: "id", message: say(row) })),
  );
}

function repeated(same: string) {
  return ({ id }: StagedRow) =>
    `The id "${id}" is taken already by an item of ${same}; ids must be unique in a catalog.`;
}

/** Whose the id is, and the way out. */
function foreign(other: string) {
  return ({ id, isPushed, isRemoval }: ForeignRow): string => {
    if (isPushed) {
      return `The id "${id}" belongs to an item that was pushed, and a source does not take that over. Delete it by a PATCH of the catalog, or leave it out of the next PUT; then sync again.`;
    }
    return isRemoval
      ? `The item "${id}" belongs to ${other} and cannot be deleted by a push. Remove it where it comes from.`
      : `The id "${id}" is taken already by an item of ${other}; ids must be unique in a catalog. Give one of the two another id.`;
  };
}

export type CollapseLimit = {
  readonly maxRemovedRatio: number;
  /** What would remove the items, and of whom: `This pull`, `the source's`. */
  readonly act: string;
  readonly owner: string;
  /** What to do if it is meant, as a sentence. */
  readonly remedy: string;
};

/** An owner of fewer items than this may shrink freely: half of a handful is everyday. */
const COLLAPSE_FLOOR = 10;

function refuseCollapse(
  { maxRemovedRatio, act, owner, remedy }: CollapseLimit,
  { had, removed }: { readonly had: number; readonly removed: number },
  ledger: Ledger,
): void {
  if (had < COLLAPSE_FLOOR || removed <= had * maxRemovedRatio) return;
  const why =
    ledger.rejected === 0
      ? ""
      : ` Of ${formatCount(ledger.seen)} ${plural(ledger.seen, "item")} ${formatCount(ledger.rejected)} ${plural(ledger.rejected, "was", "were")} rejected: ${rejectionSummary(ledger.stats(NOTHING))}`;
  throw new AppError(
    "catalog_collapsed",
    `${act} would remove ${removed} of ${owner} ${counted(had, "item")}, more than the limit of ${Math.round(maxRemovedRatio * 100)} %.${why} The catalog and the feeds stay as they were. ${remedy}`,
  );
}

/**
 * Items that were named but rejected are removed like those that were not named. When that is all of them, something
 * is wrong with how they were sent, and not with the shop: nothing is removed for that, however few there are.
 */
function refuseNothingAccepted(
  { maxRemovedRatio, remedy }: CollapseLimit,
  ledger: Ledger,
  removed: number,
): void {
  if (ledger.accepted > 0 || ledger.rejected === 0 || removed === 0 || maxRemovedRatio >= 1) return;
  const stats = ledger.stats(NOTHING);
  const [first] = stats.rejections;
  const because = `because: ${first?.message ?? "it could not be read."}`;
  const who =
    ledger.rejected === 1
      ? `The only item was rejected, ${because}`
      : `All ${ledger.rejected} items were rejected, the first ${because} The reasons: ${rejectionSummary(stats)}`;
  throw new AppError(
    "catalog_collapsed",
    `${who} Nothing was changed: the catalog and the feeds stay as they were. ${remedy}`,
  );
}

/**
 * The first items of a source, and not one of them could be used: empty feeds would look like success. A shop that
 * has only drafts so far is read correctly: the sync succeeds with a warning, and later syncs bring what is published.
 */
function refuseAllRejected(ledger: Ledger): void {
  if (ledger.accepted > 0 || ledger.rejected === 0) return;
  const stats = ledger.stats(NOTHING);
  const failure = allRejectedError(stats, ADVICE);
  if (failure) throw failure;
  const { unpublished = 0 } = stats.rejection_codes;
  if (unpublished > 0) ledger.warn(nothingPublished(unpublished));
}

const ADVICE =
  "Correct the source's data or settings, or the catalog's (currency, store URL), and sync again; shelfwire source test shows what becomes of the first rows.";

const nothingPublished = (count: number) =>
  ({
    itemId: null,
    position: null,
    field: null,
    code: "nothing_published",
    message: `The shop marks ${count === 1 ? "its only item" : `all ${formatCount(count)} items`} as draft, archived or hidden, so the feeds have none of them. Publish one in the shop; the next sync brings it.`,
  }) as const;

const NOTHING = { upserted: 0, unchanged: 0, removed: 0 };
